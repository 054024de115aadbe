import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { Random } from '../simulation/random.ts';
import { mutantsOf, type Mutant } from './mutants.ts';
import { sqlMutantsOf } from './sql-mutants.ts';

/** The decision code: these files, and all files in these folders. */
export const AREAS: readonly (readonly string[])[] = [
  ['src/domain'],
  ['src/features/polling'],
  ['src/features/delivery'],
  ['src/database/functions'],
  ['src/chains'],
  ['chainflip', 'oneclick', 'relay/status'].map((folder) => `src/providers/${folder}/to-status.ts`),
];

export interface Placed extends Mutant {
  readonly file: string;
}

/** All mutants of each area, or of these files and folders as the only area. */
export function mutantsByArea(only: readonly string[]): readonly (readonly Placed[])[] {
  const areas = only.length === 0 ? AREAS : [only];
  return areas.map((paths) => paths.flatMap(filesAt).flatMap(placedIn));
}

/**
 * Draws a fair share of each area: the others get what a small area lacks. The result depends on the sources and the seed
 * alone.
 */
export function drawn<T>(areas: readonly (readonly T[])[], sample: number, seed: number): readonly T[] {
  const random = new Random(seed);
  const shuffled = areas.map((area) =>
    area
      .map((each) => ({ each, at: random.next() }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ each }) => each),
  );
  const most = Math.max(...areas.map((area) => area.length));
  const inTurn = Array.from({ length: most }, (_, round) =>
    shuffled.flatMap((area) => area.slice(round, round + 1)),
  );
  const chosen = new Set(inTurn.flat().slice(0, sample));
  return areas.flat().filter((each) => chosen.has(each));
}

function placedIn(file: string): readonly Placed[] {
  const source = readFileSync(file, 'utf8');
  const mutants = file.endsWith('.sql') ? sqlMutantsOf(source) : mutantsOf(source);
  return mutants.map((mutant) => ({ ...mutant, file }));
}

/** The sources at this path. */
export function filesAt(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file));
  return files.filter((file) => /\.(?:ts|sql)$/.test(file)).toSorted();
}
