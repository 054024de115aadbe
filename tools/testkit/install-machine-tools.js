/**
 * `npm run test:tools [-- NAME …]`: installs the programs that tests need beside Node, or the named ones, with the package
 * manager of this machine. It runs before `npm ci`, so it imports no package.
 */
import { spawnSync } from 'node:child_process';

import { TOOLS } from './machine-tools.js';

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in TOOLS));
if (unknown.length > 0)
  end(`There is no tool ${unknown.join(', ')}. The tools are: ${Object.keys(TOOLS).join(', ')}.`);

const wanted = Object.entries(TOOLS).filter(([name]) => named.length === 0 || named.includes(name));
const missing = wanted.filter(([, tool]) => tool.find() === null);
for (const [, tool] of wanted)
  console.log(`${tool.find() === null ? 'missing' : 'here   '}  ${tool.title}: ${tool.purpose}`);
if (missing.length > 0) installAll();

function installAll() {
  const manager = managers().find(({ program }) => isHere(program));
  if (manager === undefined)
    end('This machine has neither apt-get nor brew: install the missing tools by hand.');
  const packages = [...new Set(missing.flatMap(([, tool]) => tool[manager.kind]))];
  if (packages.length > 0) {
    console.log(`Installing ${packages.join(', ')} with ${manager.program}.`);
    for (const words of manager.commands(packages)) run(words);
  }
  const left = missing.filter(([, tool]) => tool.find() === null);
  const ours = left.filter(([, tool]) => tool[manager.kind].length > 0);
  for (const [name, tool] of left)
    console.log(`still missing  ${tool.title}${name === 'root' ? ': run the tests as root' : ''}`);
  if (ours.length > 0) process.exit(1);
}

function managers() {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo'];
  const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq'];
  return [
    {
      kind: 'apt',
      program: 'apt-get',
      commands: (/** @type {string[]} */ packages) => [
        [...asRoot, ...quiet, 'update'],
        [...asRoot, ...quiet, '-y', '--no-install-recommends', 'install', ...packages],
      ],
    },
    {
      kind: 'brew',
      program: 'brew',
      commands: (/** @type {string[]} */ packages) => [['brew', 'install', ...packages]],
    },
  ];
}

function run(/** @type {string[]} */ [program = '', ...words]) {
  const { status, error } = spawnSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0)
    end(`${[program, ...words].join(' ')} failed${error === undefined ? '' : `: ${error.message}`}`);
}

function isHere(/** @type {string} */ program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
}

/** @returns {never} */
function end(/** @type {string} */ why) {
  console.error(why);
  process.exit(1);
}
