import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { expect, it } from '@jest/globals';

const FIXTURE = `
  const { appendFileSync } = require('node:fs');
  const ran = (what) => () => appendFileSync(__dirname + '/ran', what + '\\n');
  const fails = () => { throw new Error('no database'); };
  describe('one whose beforeAll fails', () => {
    beforeAll(ran('the first hook'));
    beforeAll(fails);
    beforeAll(ran('a later hook'));
    it('fails', ran('a test after beforeAll'));
    it.concurrent('fails beside others', ran('a concurrent test'));
    describe('with one within', () => {
      beforeAll(ran('a hook within'));
      beforeEach(ran('beforeEach within'));
      it('fails', ran('a test within'));
    });
  });
  describe('one whose beforeEach fails', () => {
    beforeEach(fails);
    beforeEach(ran('a later beforeEach'));
    it('fails', ran('a test after beforeEach'));
  });
  it('passes', ran('a test outside'));`;

it('runs no test, and no further hook, after a hook that they need has failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paybell-failed-hooks-'));
  writeFileSync(join(folder, 'fixture.test.cjs'), FIXTURE);
  const config = {
    rootDir: folder,
    testEnvironment: resolve('test/support/plain-globals.js'),
    testMatch: ['**/*.test.cjs'],
    transform: {},
  };
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(config));
  const jest = [
    resolve('node_modules/jest/bin/jest.js'),
    '-i',
    '--json',
    '--config',
    join(folder, 'jest.config.json'),
  ];
  const report = await new Promise<string>((done) =>
    execFile(process.execPath, jest, (_error, stdout) => done(stdout)),
  );
  expect(JSON.parse(report)).toMatchObject({ numFailedTests: 4, numPassedTests: 1 });
  expect(report.match(/no database/g)?.length).toBeGreaterThanOrEqual(4);
  expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('the first hook\na test outside\n');
  rmSync(folder, { recursive: true });
});
