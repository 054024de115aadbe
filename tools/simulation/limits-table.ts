import { CHANGES, delaysOf } from './delays.ts';
import { endOf, makeLife } from './lives.ts';
import type { SimulationOptions } from './options.ts';
import { Random } from './random.ts';
import { simulate } from './run.ts';
import { seconds } from './table.ts';

const LONG_MINUTES = 360;
/** The number of open payments at any time, and the life of an unpaid quote. */
const ROWS: readonly (readonly [open: number, quoteMinutes: number])[] = [
  [10, 5],
  [30, 5],
  [100, 5],
  [300, 5],
  [300, LONG_MINUTES],
  [1_000, LONG_MINUTES],
  [3_000, LONG_MINUTES],
];
const LIMITS = [60, 200, 600] as const;
/**
 * A payment needs a poll for its end, and most need one for the deposit: with fewer polls, payments arrive faster than they
 * are polled.
 */
const LEAST_POLLS = 2;
const SHORT_RUN_MINUTES = 180;
const MINUTE_MS = 60_000;
const SAMPLES = 2_000;

/** A table in Markdown of the effect of a limit of requests a minute on a merchant: mean / p99 of the detection delay. */
export async function limitsTable(options: SimulationOptions): Promise<string> {
  const limits = LIMITS.map((rpm) => `${rpm} a minute`);
  const lines = [lineOf(['open payments', 'a quote lives', 'new ones a minute', ...limits])];
  lines.push(lineOf(['---', '---', '---', ...limits.map(() => '---')]));
  for (const [open, quoteMinutes] of ROWS) {
    const row = { ...options, open, quoteMinutes };
    const cells: string[] = [];
    for (const rpm of LIMITS) cells.push(await delayWithin({ ...row, rpm }));
    const life = quoteMinutes === LONG_MINUTES ? '6 h' : `${quoteMinutes} min`;
    lines.push(
      lineOf([open.toLocaleString('en-US'), life, String(Math.round(comingPerMinute(row))), ...cells]),
    );
  }
  return lines.join('\n');
}

/** The cell for a number of open payments and a limit. */
export async function delayWithin(options: SimulationOptions): Promise<string> {
  if (options.rpm < LEAST_POLLS * comingPerMinute(options)) return 'too few';
  const isLong = options.quoteMinutes === LONG_MINUTES;
  const minutes = isLong ? 2 * LONG_MINUTES : SHORT_RUN_MINUTES;
  const warmUpMinutes = isLong ? LONG_MINUTES : 0;
  const { paybell } = await simulate({ ...options, warmUpMinutes, minutes, watchMinutes: 20, isCalm: true });
  const { meanMs, p99Ms } = delaysOf(paybell, CHANGES.afterDeposit);
  return `${seconds(meanMs)} / ${seconds(p99Ms)}`;
}

function lineOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Another payment follows each that ends. */
function comingPerMinute({ open, quoteMinutes, seed }: SimulationOptions): number {
  const random = new Random(seed);
  const lives = Array.from({ length: SAMPLES }, (_, id) => makeLife(id, 0, random, quoteMinutes * MINUTE_MS));
  const meanMs = lives.reduce((sum, life) => sum + endOf(life), 0) / SAMPLES;
  return open / (meanMs / MINUTE_MS);
}
