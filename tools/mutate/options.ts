import { parseArgs } from 'node:util';

export interface MutateOptions {
  /** Files or folders, relative to the project; empty: the whole decision code. */
  readonly only: readonly string[];
  /** The number of mutants, drawn evenly over the areas; null: all. */
  readonly sample: number | null;
  readonly seed: number;
  /** True: only prints the drawn mutants and the tests that would judge them. */
  readonly isPlan: boolean;
}

/** The number that is judged within 15 minutes on two cores. */
const SAMPLE = 150;

export const USAGE = `usage: npm run mutate -- [options]

  --only PATH    all mutants of a file or folder instead of a sample of the decision code; may be repeated
  --sample N     so many mutants, drawn evenly over the areas (${SAMPLE})
  --seed N       another draw (1)
  --plan         lists what is drawn and which tests would judge it, and runs none
`;

/** Throws where the options cannot be understood. */
export function readOptions(args: readonly string[]): MutateOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      plan: { type: 'boolean', default: false },
    },
  });
  const usual = values.only.length > 0 ? null : SAMPLE;
  const sample = values.sample === undefined ? usual : whole('sample', values.sample);
  return { only: values.only, sample, seed: whole('seed', values.seed), isPlan: values.plan };
}

function whole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`);
  return Number(text);
}
