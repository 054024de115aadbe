import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

import { expect, it } from '@jest/globals';

import { SLOW_FILES } from '../support/slow-files.js';

it('every file that a fresh clone starts first is there, and is named once', () => {
  expect(SLOW_FILES.filter((name) => !existsSync(resolve(name)))).toEqual([]);
  expect(new Set(SLOW_FILES).size).toBe(SLOW_FILES.length);
});
