import type { Mutant } from './mutants.ts';

interface Equivalent {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly reason: string;
}

/** Mutants that change nothing that anyone could notice. */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'src/domain/event/log-position.ts',
    before: 'one.rank > other.rank',
    after: 'one.rank >= other.rank',
    reason: 'Equal ranks were compared by their positions before.',
  },
  {
    file: 'src/domain/event/log-position.ts',
    before: 'rank === undefined || position === undefined',
    after: 'rank === undefined && position === undefined',
    reason: 'The pattern has both groups, or does not match.',
  },
];

/** Why no test can notice this mutant; null where one could. */
export function equivalenceOf(file: string, { before, after }: Mutant): string | null {
  const known = EQUIVALENTS.find(
    (each) => each.file === file && each.before === before && each.after === after,
  );
  return known?.reason ?? null;
}
