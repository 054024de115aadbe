import { inWords } from '../text/in-words.ts';
import type { Demand, IntervalScale } from './interval-scale.ts';
import { URGENCY } from './urgency.ts';

/** The change that is noticed late: a deposit, or a completion where deposits are noticed in time. */
export const CHANGES = ['deposit', 'completion'] as const;

/** The cost of a request budget that is smaller than the open payments need. */
export interface ShortBudget {
  readonly change: (typeof CHANGES)[number];
  readonly noticedAfterMs: number;
  readonly neededPerMinute: number;
  readonly hasPerMinute: number;
}

/**
 * The factor of each class's intervals above which a person should know, as in the rule PaybellBudgetShort. Payers who look at
 * their page wait first, and most payers who left it do not come back; payments that have ended may wait.
 */
const LATE_CHANGES = [
  { urgency: URGENCY.attended, above: 4, change: 'deposit' },
  { urgency: URGENCY.unattended, above: 10, change: 'deposit' },
  { urgency: URGENCY.inFlight, above: 2, change: 'completion' },
] as const;

const MINUTE_S = 60;

export function isShort(scale: IntervalScale): boolean {
  return LATE_CHANGES.some(({ urgency, above }) => scale[urgency] > above);
}

/** Null: no open payment has an interval that is too long. */
export function shortBudget(
  demand: readonly Demand[],
  scale: IntervalScale,
  limits: { readonly batchSize: number; readonly ownRpm?: number; readonly hasPerMinute: number },
): ShortBudget | null {
  const { batchSize, ownRpm = 0, hasPerMinute } = limits;
  const open = demand.filter((each) => each.urgency !== URGENCY.watching && each.perSecond > 0);
  const polls = open.reduce((sum, { perSecond }) => sum + perSecond, 0);
  const neededPerMinute = (polls * MINUTE_S) / batchSize + ownRpm;
  for (const { urgency, above, change } of LATE_CHANGES) {
    const late = open.find((each) => each.urgency === urgency);
    if (late === undefined || scale[urgency] <= above) continue;
    const noticedAfterMs = (late.payments / late.perSecond) * scale[urgency] * 1_000;
    return { change, noticedAfterMs, neededPerMinute, hasPerMinute };
  }
  return null;
}

/** `a deposit is noticed after about 7 min; it needs 900 requests a minute and has 6` */
export function sayShortBudget({
  change,
  noticedAfterMs,
  neededPerMinute,
  hasPerMinute,
}: ShortBudget): string {
  const needs = `needs ${Math.round(neededPerMinute)} requests a minute and has ${Math.round(hasPerMinute)}`;
  return `a ${change} is noticed after about ${inWords(noticedAfterMs)}; it ${needs}`;
}
