import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';

import { beforeAll, expect, it } from '@jest/globals';

import { readToldStories } from '../../tools/testkit/told-story.ts';

const run = promisify(execFile);
const BUILT_WITHIN_MS = 120_000;
const DEMO_WITHIN_MS = 130_000;
/** The verdict of all other stories is `contradicted`, with the reason that names the story. */
const VERDICTS: Readonly<Record<string, string>> = {
  proven_late: 'proven',
  unverified: 'unverified',
  deposit_unseen_by_provider: 'deposit_unseen_by_provider',
};

beforeAll(() => run('npm', ['run', 'build:tools', '--silent']), BUILT_WITHIN_MS);

it(
  "npm run demo -- --proof --sandbox tells each story of the sandbox's chain as docs/using/stories/require has it",
  async () => {
    const { stdout } = await run(process.execPath, ['build/tools/demo/demo.js', '--proof', '--sandbox']);
    const printed = stripVTControlCharacters(stdout);
    for (const { name } of readToldStories('require')) {
      const verdict = VERDICTS[name] ?? `contradicted: ${name}`;
      expect(printed).toMatch(new RegExp(`^${name} .* ✓ .*\\n +created → .*\\n +${verdict}$`, 'm'));
    }
  },
  DEMO_WITHIN_MS,
);
