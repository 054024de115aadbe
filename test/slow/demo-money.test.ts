import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';

import { expect, it } from '@jest/globals';

import { describeWith } from '../support/describe-with.ts';
import { readToldStories } from '../../tools/testkit/told-story.ts';

const run = promisify(execFile);
const DEMO_WITHIN_MS = 240_000;

it(
  'npm run demo -- --money plays every story with the events of docs/using/stories, and prints each',
  async () => {
    await run('npm', ['run', 'build:tools', '--silent']);
    const { stdout } = await run(process.execPath, ['build/tools/demo/demo.js', '--money']);
    const told = stripVTControlCharacters(stdout).match(/^\w+(?= .* ✓ created, )/gm);
    expect(told).toEqual(readToldStories().map(({ name }) => name));
  },
  DEMO_WITHIN_MS,
);

describeWith('anvil', 'payouts on a real node', () => {
  it(
    'are proven or contradicted by npm run demo -- --proof, as the provider has sent them',
    async () => {
      await run('npm', ['run', 'build:tools', '--silent']);
      const { stdout } = await run(process.execPath, ['build/tools/demo/demo.js', '--proof']);
      const verdicts = stripVTControlCharacters(stdout).match(/^ +(?:proven|contradicted: \w+)$/gm);
      expect(verdicts?.map((verdict) => verdict.trim())).toEqual([
        'proven',
        'contradicted: amount_short',
        'contradicted: other_recipient',
        'contradicted: other_token',
        'contradicted: output_reverted',
        'contradicted: output_missing',
        'contradicted: output_used_before',
      ]);
    },
    DEMO_WITHIN_MS,
  );
});
