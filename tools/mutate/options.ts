import { parseArgs } from 'node:util';

export interface MutateOptions {
  /** Files or folders, relative to the project; empty: the whole scope. */
  readonly only: readonly string[];
  /** How many mutants, drawn at random; null: all. */
  readonly sample: number | null;
  readonly seed: number;
  /** Only with the tests that import a mutated file themselves. */
  readonly isDirect: boolean;
}

export const USAGE = `usage: npm run mutate -- [options]

  --only PATH    a file or folder instead of the whole scope; may be repeated
  --sample N     only N mutants, drawn at random
  --seed N       another draw (1)
  --direct       only with the tests that import a mutated file themselves: quicker, and stricter
`;

/** Throws where the options can't be understood. */
export function readOptions(args: readonly string[]): MutateOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      direct: { type: 'boolean', default: false },
    },
  });
  const sample = values.sample === undefined ? null : whole('sample', values.sample);
  return { only: values.only, sample, seed: whole('seed', values.seed), isDirect: values.direct };
}

function whole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`);
  return Number(text);
}
