import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';

import { expect, it } from '@jest/globals';

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
