import { URGENCY, type UrgencyClass } from './urgency.ts';

/** What the open payments of one class want: how many they are, and looks a second at their own intervals. */
export interface Demand {
  readonly urgency: UrgencyClass;
  readonly payments: number;
  readonly perSecond: number;
}

/** By what each class's intervals are multiplied; indexed by class, 1 where the budget suffices. */
export type IntervalScale = readonly [number, number, number, number];

export const NO_SCALE: IntervalScale = [1, 1, 1, 1];

/** Kept free for looks on demand, first looks and estimates that are a little off. */
const RESERVE = 0.03;
/** Every open payment is looked at within ten intervals, jitter and the wait for a turn included, while a round fits. */
const FLOOR_INTERVALS = 9.3;
/** A round that fits no more is made evenly while it is hardly longer, and by shares alone once it is so much longer. */
const EVEN_UP_TO = 1.05;
const SHARED_FROM = 1.4;
/** The watch has hours: it is the first to wait, until this share of the budget is all that it has. */
const WATCH_SHARE = 0.05;
/** What no budget is too short for: a look at a payment within a day. */
const MAX_FACTOR = 10_000;
/** How payments of the classes share what is left, and a budget too short for a round: where changes are likely. */
const SHARES = [1, 0.35, 0.15] as const;

/** Looks a second, indexed by class; the late watch apart. */
type Rates = readonly number[];

/**
 * Fits the looks that are wanted to the looks that may be made: intervals stretch, the lowest class first, and nobody
 * starves. Pure and without steps: of the demand, the budget in looks a second (Infinity for none) and the interval.
 */
export function scaleFor(
  demand: readonly Demand[],
  budgetPerSecond: number,
  intervalMs: number,
): IntervalScale {
  const budget = budgetPerSecond * (1 - RESERVE);
  const payments = byClass(demand, (each) => each.payments);
  const wanted = byClass(demand, (each) => each.perSecond);
  if (sum(wanted) <= budget) return NO_SCALE;
  const [open, watched] = [wanted.slice(0, URGENCY.watching), wanted[URGENCY.watching] ?? 0];
  const watch = Math.min(watched, Math.max(budget - sum(open), budget * WATCH_SHARE));
  const rates = [...fit(open, payments, budget - watch, intervalMs / 1_000), watch];
  return [
    factor(wanted, rates, 0),
    factor(wanted, rates, 1),
    factor(wanted, rates, 2),
    factor(wanted, rates, 3),
  ];
}

/** First a round of all open payments, then what is left by shares. */
function fit(wanted: Rates, payments: Rates, budget: number, intervalS: number): Rates {
  const floor = wanted.map((want, urgency) =>
    Math.min(want, (payments[urgency] ?? 0) / (FLOOR_INTERVALS * intervalS)),
  );
  const excess = sum(floor) / budget;
  if (excess <= 1) {
    const more = wanted.map((want, urgency) => want - (floor[urgency] ?? 0));
    const shared = share(budget - sum(floor), more, payments);
    return floor.map((rate, urgency) => rate + (shared[urgency] ?? 0));
  }
  const byShares = Math.min(Math.max((excess - EVEN_UP_TO) / (SHARED_FROM - EVEN_UP_TO), 0), 1);
  const shared = share(budget, wanted, payments);
  return floor.map((rate, urgency) => (1 - byShares) * (rate / excess) + byShares * (shared[urgency] ?? 0));
}

/** Shares a rate out, each payment by the share of its class; what a class does not want is left to the others. */
function share(rate: number, wanted: Rates, payments: Rates): Rates {
  const weights = wanted.map((_want, urgency) => (payments[urgency] ?? 0) * (SHARES[urgency] ?? 0));
  const shared = wanted.map(() => 0);
  let free = rate;
  let open = wanted.map((_want, urgency) => urgency).filter((urgency) => (weights[urgency] ?? 0) > 0);
  while (open.length > 0) {
    const all = sum(open.map((urgency) => weights[urgency] ?? 0));
    const partOf = (urgency: number): number => (free * (weights[urgency] ?? 0)) / all;
    const content = open.filter((urgency) => (wanted[urgency] ?? 0) <= partOf(urgency));
    for (const urgency of content.length > 0 ? content : open)
      shared[urgency] = content.length > 0 ? (wanted[urgency] ?? 0) : partOf(urgency);
    if (content.length === 0) break;
    free -= sum(content.map((urgency) => wanted[urgency] ?? 0));
    open = open.filter((urgency) => !content.includes(urgency));
  }
  return shared;
}

function factor(wanted: Rates, rates: Rates, urgency: UrgencyClass): number {
  const [want, rate] = [wanted[urgency] ?? 0, rates[urgency] ?? 0];
  return want <= rate ? 1 : Math.min(want / rate, MAX_FACTOR);
}

function byClass(demand: readonly Demand[], of: (each: Demand) => number): number[] {
  const rates = [0, 0, 0, 0];
  for (const each of demand) if (each.payments > 0) rates[each.urgency] = of(each);
  return rates;
}

function sum(rates: Rates): number {
  return rates.reduce((total, rate) => total + rate, 0);
}
