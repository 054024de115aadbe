import { chmodSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Cleanup } from '../testkit/cleanup.ts';
import { SmallDisk } from '../testkit/small-disk.ts';
import { readOptions, USAGE, type ChaosOptions } from './options.ts';
import { missingParts } from './missing-parts.ts';
import { runChaos } from './run.ts';
import { breachesOf, failureOf, tableOf } from './table.ts';

const BREACHED = 1;
const BAD_USAGE = 2;
const INTERRUPTED = 130;
const FOLDER = 'paybell-chaos-';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const startedAt = Date.now();
const log = (line: string): void =>
  print(`${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(7)} s  ${line}`);

/** Runs and judges; the exit status is 0 if every count is 0. */
async function main(args: readonly string[]): Promise<number> {
  const options = understood(args);
  if (options === null) return BAD_USAGE;
  print(`seed ${options.seed}`);
  const missing = missingParts(options);
  if (missing.length > 0) {
    process.stderr.write(`${missing.join('\n')}\n`);
    return BAD_USAGE;
  }
  const temporary = realpathSync(tmpdir());
  removeLeftovers(temporary);
  const folder = mkdtempSync(join(temporary, `${FOLDER}${process.pid}-`));
  chmodSync(folder, 0o755);
  const cleanup = new Cleanup();
  // At any end of this process the kernel ends its children, and this listener removes its files.
  process.once('exit', () => removeWithDisks(folder));
  const interrupted = new Promise<number>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
      process.on(signal, () => resolve(INTERRUPTED));
  });
  try {
    return await Promise.race([interrupted, play(options, folder, cleanup)]);
  } finally {
    log('cleaning up');
    for (const problem of await cleanup.run()) process.stderr.write(`not cleaned up: ${problem}\n`);
  }
}

async function play(options: ChaosOptions, folder: string, cleanup: Cleanup): Promise<number> {
  const run = await runChaos(options, folder, cleanup, log);
  print(`\n${tableOf(run)}\n`);
  const { length } = breachesOf(run);
  if (length === 0) return 0;
  process.stderr.write(
    `${failureOf(run, folder)}\n\n${length} breaches; again with --seed ${options.seed}\n`,
  );
  return BREACHED;
}

function understood(args: readonly string[]): ChaosOptions | null {
  try {
    return readOptions(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return null;
  }
}

/** Removes the rest of killed runs. */
function removeLeftovers(temporary: string): void {
  for (const name of readdirSync(temporary).filter((each) => each.startsWith(FOLDER))) {
    const pid = Number(name.slice(FOLDER.length).split('-')[0]);
    if (!isAlive(pid)) removeWithDisks(join(temporary, name));
  }
}

function removeWithDisks(folder: string): void {
  SmallDisk.removeIn(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

process.exit(await main(process.argv.slice(2)));
