import { existsSync, readdirSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import { isOtherCode } from '../support/changed-code.js';
import { CONTRACT_OF, contractFilesFor, SCENES } from '../support/contract-subjects.js';
import { missingTools } from '../support/count-reporter.js';
import { E2E_OF, e2eFilesFor } from '../support/e2e-subjects.js';
import { SLOW_FILES } from '../support/slow-files.js';

const pending = (name: string): object => ({ status: 'pending', ancestorTitles: [name], title: 'works' });
const resultsOf = (...testResults: object[]): object => ({ testResults: [{ testResults }] });

describe('what a run prints at its end', () => {
  it('counts the tests of each missing tool, with the command that installs it', () => {
    const lines = missingTools(
      resultsOf(pending('x [needs pika]'), pending('y [needs php]'), pending('z [needs php]')),
    );
    expect(lines).toEqual([
      '',
      '3 tests did not run, because this machine lacks what they run on:',
      '  tool  tests  to run them',
      '  PHP       2  npm run test:tools -- php',
      '  pika      1  npm run test:tools -- pika',
    ]);
  });
});

describe('what `npm run test:changed` runs of test/e2e', () => {
  it.each(['src/features', 'web/src/screens'])('is named for every folder of %s', (parent) => {
    const folders = readdirSync(parent).map((name) => `${parent}/${name}/`);
    expect(folders.filter((folder) => !(folder in E2E_OF))).toEqual([]);
  });

  it('takes the longest folder that is named', () => {
    expect(e2eFilesFor(['src/cli/doctor/doctor.ts'])).toEqual(['test/e2e/cli/doctor.test.ts']);
    expect(e2eFilesFor(['src/domain/payment/status.ts'])).toEqual(['test/e2e/main-job.test.ts']);
    expect(e2eFilesFor(['docs/using/receive-webhooks.md', 'test/e2e/kill.test.ts'])).toEqual([
      'test/e2e/docs/doc-snippets.test.ts',
      'test/e2e/kill.test.ts',
    ]);
  });

  it('is a file that there is, and every file is some folder’s', () => {
    const named = new Set(Object.values(E2E_OF).flat());
    const files = readdirSync('test/e2e', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => name.slice(0, -'.test.ts'.length));
    expect(files.filter((name) => !named.has(name))).toEqual([]);
    expect([...named].filter((name) => !files.includes(name))).toEqual([]);
    const paths = [...Object.keys(E2E_OF), ...Object.keys(CONTRACT_OF)];
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('what `npm run test:changed` runs of test/contract', () => {
  it('is named for every folder of the database', () => {
    const entries = readdirSync('src/database', { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `src/database/${name}/`);
    expect(folders.filter((folder) => !(folder in CONTRACT_OF))).toEqual([]);
  });

  it('is a file that there is, as each scene is that Jest passes over', () => {
    const named = [...contractFilesFor(Object.keys(CONTRACT_OF)), ...SCENES];
    expect(named.filter((file) => !existsSync(file))).toEqual([]);
  });
});

describe('whether `npm run test:changed` takes a file for changed', () => {
  const NOW = 'export interface Payment { readonly late: boolean }\nexport const LATE = 1;';

  it.each([
    ['src/ports/a.ts', 'export const LATE = 1;', false],
    ['src/ports/a.ts', `// A comment.\n${NOW}`, false],
    ['src/ports/a.ts', NOW.replace('1', '2'), true],
    ['src/ports/a.ts', null, true],
    ['src/features/a/a.dto.ts', `// A description in /openapi.json.\n${NOW}`, true],
    ['src/database/functions/a.sql', 'SELECT 1', true],
    ['web/src/api/schema.d.ts', 'export interface Payment {}', false],
  ])('%s, which was %j', (path, before, isTaken) => {
    expect(
      isOtherCode(path, before, path.endsWith('.d.ts') ? 'export interface Payment { a: 1 }' : NOW),
    ).toBe(isTaken);
  });
});

it('every file that a fresh clone starts first is there, and is named once', () => {
  expect(SLOW_FILES.filter((name) => !existsSync(name))).toEqual([]);
  expect(new Set(SLOW_FILES).size).toBe(SLOW_FILES.length);
});
