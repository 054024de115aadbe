import { writeFileSync } from 'node:fs';

import { readOptions, USAGE, type SimulationOptions } from './options.ts';
import { csvOf } from './csv.ts';
import { limitsTable } from './limits-table.ts';
import { simulate } from './run.ts';
import { tableOf } from './table.ts';

const BREACHED = 1;
const BAD_USAGE = 2;

/** Prints the results of a run; the exit code says whether every invariant held. */
async function main(args: readonly string[]): Promise<number> {
  const options = understood(args);
  if (options === null) return BAD_USAGE;
  if (options.isTable) {
    process.stdout.write(`${await limitsTable(options)}\n`);
    return 0;
  }
  const startedAt = performance.now();
  const run = await simulate(options);
  const tookS = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`${tableOf(run)}\n\nsimulated in ${tookS} s\n`);
  if (options.out !== null) writeFileSync(options.out, csvOf(run));
  if (run.invariants.breachCount === 0) return 0;
  process.stderr.write(`${run.invariants.breachCount} invariants were broken, see above\n`);
  return BREACHED;
}

function understood(args: readonly string[]): SimulationOptions | null {
  try {
    return readOptions(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return null;
  }
}

process.exitCode = await main(process.argv.slice(2));
