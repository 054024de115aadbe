/**
 * `npm run test:changed [-- REF]`: runs the tests that the change since REF touches, committed or not: unit, then contract,
 * then the others, up to the first of these groups that fails. Without REF it is the main branch. A file that differs in types
 * and comments alone touches no test. Jest finds unit, contract and tool tests by their imports; support/contract-subjects.js
 * and support/e2e-subjects.js name the tests that imports do not find.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

import { isOtherCode } from './support/changed-code.js';
import { contractFilesFor, SCENES } from './support/contract-subjects.js';
import { e2eFilesFor } from './support/e2e-subjects.js';

const JEST = ['run', 'jest', '--silent', '--'];
const BY_IMPORT = ['unit', 'contract', 'tools'];
/** Jest's roots. */
const IMPORTED = /^(?:src|test|tools)\/.*\.(?:ts|js)$/;

const ref = process.argv[2] ?? mainBranch();
const base = linesOf('git', ['merge-base', ref, 'HEAD'])[0] ?? ref;
const changed = changedSince(base);
const other = changed.filter((path) => isOtherCode(path, textAt(base, path), textNow(path)));
const byImport = new Set([
  ...contractFilesFor(other).filter((file) => existsSync(file)),
  ...relatedTo(other),
]);
const endToEnd = e2eFilesFor(other).filter((file) => existsSync(file));
/** The order matters: the kind that explains a failure best comes first, and a failing group ends the run. */
const groups = [
  { name: 'unit', files: [...byImport].filter((file) => file.startsWith('test/unit/')) },
  { name: 'contract', files: [...byImport].filter((file) => file.startsWith('test/contract/')) },
  {
    name: 'end to end',
    files: [...[...byImport].filter((file) => file.startsWith('test/tools/')), ...endToEnd],
  },
].filter(({ files }) => files.length > 0);

console.log(
  `${changed.length} files changed since ${ref}, ${other.length} of them in what they do; files of tests: ${groups.map(({ name, files }) => `${files.length} ${name}`).join(', ') || 'none'}`,
);
let isBuilt = false;
for (const { name, files } of groups) {
  // Unit tests read `src/`, all others may run `dist/`.
  if (name !== 'unit') build();
  run('npm', [...JEST, '--runTestsByPath', ...files]);
}

function mainBranch() {
  const { status } = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'origin/main'], {
    stdio: 'ignore',
  });
  return status === 0 ? 'origin/main' : 'main';
}

function changedSince(/** @type {string} */ commit) {
  return [
    ...linesOf('git', ['diff', '--name-only', '--no-renames', commit]),
    ...linesOf('git', ['ls-files', '--others', '--exclude-standard']),
  ];
}

function textAt(/** @type {string} */ commit, /** @type {string} */ path) {
  const { status, stdout } = spawnSync('git', ['show', `${commit}:${path}`], { encoding: 'utf8' });
  return status === 0 ? stdout : null;
}

function textNow(/** @type {string} */ path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** A change of a scene touches its tests too. */
function relatedTo(/** @type {readonly string[]} */ paths) {
  const sources = paths.filter((path) => IMPORTED.test(path) && existsSync(path));
  if (sources.length === 0) return [];
  const scenes = SCENES.filter((scene) => !paths.includes(scene)).map((scene) => `/${scene}$`);
  const past = scenes.flatMap((scene) => ['--modulePathIgnorePatterns', scene]);
  const words = ['--selectProjects', ...BY_IMPORT, ...past, '--listTests', '--findRelatedTests', ...sources];
  return linesOf('npm', [...JEST, ...words])
    .filter((line) => line.endsWith('.test.ts'))
    .map((line) => line.slice(process.cwd().length + 1));
}

function linesOf(/** @type {string} */ program, /** @type {string[]} */ words) {
  return execFileSync(program, words, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}

function build() {
  if (!isBuilt) run('npm', ['run', 'build', '--silent']);
  isBuilt = true;
}

function run(/** @type {string} */ program, /** @type {string[]} */ words) {
  const { status } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
