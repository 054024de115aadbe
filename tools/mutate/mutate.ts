import { existsSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

import { drawn, mutantsByArea, type Placed } from './areas.ts';
import { Judge } from './judge.ts';
import { Judges } from './judges.ts';
import { readOptions, USAGE, type MutateOptions } from './options.ts';
import { lineOf, reportOf } from './report.ts';
import { Sandbox } from './sandbox.ts';

const SURVIVED = 1;
const BAD_USAGE = 2;

/** Prints the mutants that no test notices; the exit code says whether there are unknown ones. */
async function main(args: readonly string[]): Promise<number> {
  const options = understood(args);
  if (options === null) return BAD_USAGE;
  const areas = mutantsByArea(options.only);
  const mutants = drawn(areas, options.sample ?? areas.flat().length, options.seed);
  const judges = await Judges.read();
  if (options.isPlan) {
    for (const mutant of mutants)
      process.stdout.write(`${lineOf(mutant)}\n  ${judges.of(mutant.file).join(' ')}\n`);
    return 0;
  }
  const { text, left } = await judged(mutants, judges);
  process.stdout.write(
    `${text}\n${mutants.length} of ${areas.flat().length} mutants, seed ${options.seed}\n`,
  );
  return left === 0 ? 0 : SURVIVED;
}

async function judged(mutants: readonly Placed[], judges: Judges): Promise<ReturnType<typeof reportOf>> {
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(0);
  let count = 0;
  const sandboxes = Array.from({ length: availableParallelism() + 1 }, () => new Sandbox());
  const judge = new Judge(judges, sandboxes, (mutant, { verdict, by }) => {
    process.stderr.write(`${(count += 1)} ${seconds()} s  ${verdict} ${by}  ${lineOf(mutant)}\n`);
  });
  const report = reportOf(mutants, await judge.judgeAll(mutants));
  process.stderr.write(`${seconds()} s, load ${loadavg()[1]?.toFixed(1)}\n`);
  return report;
}

function understood(args: readonly string[]): MutateOptions | null {
  try {
    const options = readOptions(args);
    const missing = options.only.find((path) => !existsSync(path));
    if (missing !== undefined) throw new Error(`there is no ${missing}`);
    return options;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return null;
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(SURVIVED));
process.exitCode = await main(process.argv.slice(2));
