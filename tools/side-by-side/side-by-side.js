/**
 * Runs npm scripts side by side, and prints the output of those that fail: `side-by-side.js check:` runs all scripts whose
 * names begin with `check:`, `side-by-side.js build:service build:client` these two. The first in package.json starts first.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** @type {{ scripts: Record<string, string> }} */
const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const waiting = Object.keys(scripts).filter((name) =>
  process.argv.slice(2).some((word) => (word.endsWith(':') ? name.startsWith(word) : name === word)),
);
/** Most parts use one processor. */
const AT_ONCE = Math.max(2, availableParallelism());

/**
 * @param {string} name
 * @returns {Promise<void>}
 */
async function run(name) {
  const startedAt = performance.now();
  /** @type {Buffer[]} */
  const printed = [];
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => printed.push(part));
  const status = await new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  console.log(`${name}: ${status === 0 ? 'passed' : `failed (${status})`} in ${seconds} s`);
  if (status === 0) return;
  process.exitCode = 1;
  process.stdout.write(Buffer.concat(printed));
}

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await run(name);
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
