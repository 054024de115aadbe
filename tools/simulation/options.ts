import { parseArgs } from 'node:util';

/** The options of a run. */
export interface SimulationOptions {
  /** The number of payments in a run, unless `open` keeps a number of them open. */
  readonly payments: number;
  /** Keeps this number of payments open: each that ends is followed by another one; 0: a stream of `payments`. */
  readonly open: number;
  /** The provider's limit and Paybell's budget, requests a minute; 0: none. */
  readonly rpm: number;
  readonly seed: number;
  /** The life of a quote that is never paid. */
  readonly quoteMinutes: number;
  /** The measurement leaves out payments that come before this time. */
  readonly warmUpMinutes: number;
  /** How long payments come. */
  readonly minutes: number;
  /** How long Paybell watches a payment that has expired or failed. */
  readonly watchMinutes: number;
  /** Prints the table of the effects of limits on a merchant, instead of one run. */
  readonly isTable: boolean;
  /** No troubles of the provider's. */
  readonly isCalm: boolean;
  readonly out: string | null;
}

export const USAGE = `usage: npm run simulate -- [options]

  --payments N   payments in all (20000)
  --open N       or: keep N open all the time, each that ends being followed by another
  --rpm N        the provider's limit, requests a minute; 0: none (0)
  --minutes N    how long payments come (1440; with --open 180)
  --quote N      how long a quote lives that nobody pays, minutes (5)
  --warm-up N    how long payments come that are not measured, minutes (0)
  --watch N      how long Paybell watches for late changes, minutes (1440)
  --seed N       another seed, other lives (1)
  --calm         without outages and spells of 429
  --limits       what a limit means for a merchant: the table of docs/running/providers.md
  --out FILE     write the delays and the requests of each minute to FILE, as CSV
`;

const OPTIONS = {
  payments: { type: 'string', default: '20000' },
  open: { type: 'string', default: '0' },
  rpm: { type: 'string', default: '0' },
  minutes: { type: 'string' },
  quote: { type: 'string', default: '5' },
  'warm-up': { type: 'string', default: '0' },
  limits: { type: 'boolean', default: false },
  watch: { type: 'string', default: '1440' },
  seed: { type: 'string', default: '1' },
  calm: { type: 'boolean', default: false },
  out: { type: 'string' },
} as const;
const DAY_MINUTES = 1_440;
const OPEN_MINUTES = 180;

/** Reads the command line; throws with a message for a person. */
export function readOptions(args: readonly string[]): SimulationOptions {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const open = whole('open', values.open, 0, 100_000);
  const usualMinutes = open > 0 ? OPEN_MINUTES : DAY_MINUTES;
  return {
    payments: whole('payments', values.payments, 1, 1_000_000),
    open,
    rpm: whole('rpm', values.rpm, 0, 1_000_000),
    minutes: whole('minutes', values.minutes ?? String(usualMinutes), 1, 100_000),
    seed: whole('seed', values.seed, 0, 4_294_967_295),
    quoteMinutes: whole('quote', values.quote, 1, 1_440),
    warmUpMinutes: whole('warm-up', values['warm-up'], 0, 100_000),
    isTable: values.limits,
    watchMinutes: whole('watch', values.watch, 1, 100_000),
    isCalm: values.calm,
    out: values.out ?? null,
  };
}

function whole(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least || value > most)
    throw new Error(`--${name} is ${text}: it has to be a whole number from ${least} to ${most}`);
  return value;
}
