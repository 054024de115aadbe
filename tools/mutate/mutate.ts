import { existsSync, readFileSync } from 'node:fs';

import { Random } from '../simulation/random.ts';
import { judgeAll } from './judge-all.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { readOptions, USAGE, type MutateOptions } from './options.ts';
import { reportOf } from './report.ts';
import { filesOf } from './scope.ts';
import type { MutantKey } from './session.ts';

const SURVIVED = 1;
const BAD_USAGE = 2;

/** Prints which mutants no test notices; the exit code says whether there are any that are not known. */
async function main(args: readonly string[]): Promise<number> {
  const options = understood(args);
  if (options === null) return BAD_USAGE;
  const files = filesOf(options.only);
  const mutants = drawn(allMutants(files), options);
  const startedAt = performance.now();
  const verdicts = await judgeAll(files, [...mutants.keys()], options.isDirect);
  const decided = new Map([...mutants].filter(([key]) => verdicts.has(key)));
  const { text, survivors } = reportOf(decided, verdicts);
  const tookS = ((performance.now() - startedAt) / 1_000).toFixed(0);
  // What lives is decided last.
  if (decided.size < mutants.size) process.stdout.write('stopped: the score says little yet\n');
  process.stdout.write(`${text}\n${decided.size} of ${mutants.size} mutants in ${tookS} s\n`);
  return survivors === 0 ? 0 : SURVIVED;
}

function allMutants(files: readonly string[]): ReadonlyMap<MutantKey, Mutant> {
  const keyed = files.flatMap((file) =>
    mutantsOf(readFileSync(file, 'utf8')).map((mutant) => [`${file}#${mutant.id}`, mutant] as const),
  );
  return new Map(keyed);
}

function drawn(
  mutants: ReadonlyMap<MutantKey, Mutant>,
  { sample, seed }: MutateOptions,
): ReadonlyMap<MutantKey, Mutant> {
  if (sample === null) return mutants;
  const random = new Random(seed);
  const shuffled = [...mutants].map((entry) => ({ entry, at: random.next() })).sort((a, b) => a.at - b.at);
  const chosen = new Set(shuffled.slice(0, sample).map(({ entry: [key] }) => key));
  return new Map([...mutants].filter(([key]) => chosen.has(key)));
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

process.exitCode = await main(process.argv.slice(2));
