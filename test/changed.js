/**
 * `npm run test:changed [-- REF]`: runs the tests that the change since REF touches, committed or not. Without REF it is
 * the main branch. Jest finds unit, contract and tool tests by their imports; support/e2e-subjects.js names the e2e files.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { e2eFilesFor } from './support/e2e-subjects.js';

const JEST = ['run', 'jest', '--silent', '--'];
const BY_IMPORT = ['unit', 'contract', 'tools'];

const ref = process.argv[2] ?? mainBranch();
const changed = changedSince(ref);
const related = linesOf('npm', [
  ...JEST,
  '--selectProjects',
  ...BY_IMPORT,
  `--changedSince=${ref}`,
  '--listTests',
]).filter((line) => line.endsWith('.test.ts'));
const endToEnd = e2eFilesFor(changed).filter((file) => existsSync(file));

console.log(
  `${changed.length} files changed since ${ref}: ${related.length} files of tests by their imports, ${endToEnd.length} of test/e2e`,
);
if (related.length + endToEnd.length === 0) process.exit(0);
// Unit tests read `src/`, all others may run `dist/`.
if (endToEnd.length > 0 || related.some((file) => !file.includes('/test/unit/')))
  run('npm', ['run', 'build', '--silent']);
run('npm', [...JEST, '--runTestsByPath', ...related, ...endToEnd]);

function mainBranch() {
  const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'origin/main'], {
    stdio: 'ignore',
  });
  return status === 0 ? 'origin/main' : 'main';
}

function changedSince(/** @type {string} */ from) {
  const base = linesOf('git', ['merge-base', from, 'HEAD'])[0] ?? from;
  return [
    ...linesOf('git', ['diff', '--name-only', base]),
    ...linesOf('git', ['ls-files', '--others', '--exclude-standard']),
  ];
}

function linesOf(/** @type {string} */ program, /** @type {string[]} */ words) {
  return execFileSync(program, words, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

function run(/** @type {string} */ program, /** @type {string[]} */ words) {
  const { status } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
