import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterEach, expect, it } from '@jest/globals';

import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmdirSync(folder);
});

/** A folder of a process that has ended. */
function left(parent: string): string {
  const { pid } = spawnSync(process.execPath, ['--version']);
  const folder = join(parent, `paybell-data-${pid}-left`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'base'), 'data');
  return folder;
}

it('makes an empty folder, and removes those of processes that have ended alone', () => {
  const first = makeDataFolder();
  made.push(first);
  expect(readdirSync(first)).toEqual([]);
  const killed = left(dirname(first));
  const second = makeDataFolder();
  made.push(second);
  expect([killed, first, second].map((folder) => existsSync(folder))).toEqual([false, true, true]);
});
