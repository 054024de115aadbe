import { URGENCY, type UrgencyClass } from './urgency.ts';
import { rateOf, type RateLimit, type RateLimitRules } from '../rate-limit/rate-limit.ts';

/**
 * The demand of one urgency class: the number of its open payments, and the polls a second that they need at unscaled
 * intervals.
 */
export interface Demand {
  readonly urgency: UrgencyClass;
  readonly payments: number;
  readonly perSecond: number;
}

/** The factor of each class's intervals, indexed by class; 1 where the budget suffices. */
export type IntervalScale = readonly [number, number, number, number];

export const NO_SCALE: IntervalScale = [1, 1, 1, 1];

/** The share of the budget that stays free for immediate polls, first polls and errors of the estimate. */
const RESERVE = 0.03;
/** While the budget allows it, every open payment is polled within ten intervals, jitter and queueing included. */
const FLOOR_INTERVALS = 9.3;
/**
 * The demand of one round of polls divided by the budget. Up to EVEN_UP_TO all classes are slowed evenly. From the second
 * value on, SHARES alone divide the budget; in between, both ways are mixed.
 */
const EVEN_UP_TO = 1.05;
const SHARED_FROM = 1.4;
/** The late watch lasts hours, so it is slowed first. It keeps at least this share of the budget. */
const WATCH_SHARE = 0.05;
/** Even the shortest budget polls a payment within a day. */
const MAX_FACTOR = 10_000;
/** The weight of a payment of each open class when the budget is divided: larger where changes are likely. */
const SHARES = [1, 0.35, 0.15] as const;

/** Polls a second, indexed by class, without the late watch. */
type Rates = readonly number[];

/**
 * Fits the polls that payments demand to the budget: intervals grow, those of the lowest class first, and no payment starves.
 * A pure, continuous function of the demand, of the budget in polls a second (Infinity: no limit) and of the interval.
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
  const rates = [...ratesWithin(open, payments, budget - watch, intervalMs / 1_000), watch];
  return [
    factor(wanted, rates, 0),
    factor(wanted, rates, 1),
    factor(wanted, rates, 2),
    factor(wanted, rates, 3),
  ];
}

/** Gives each class enough for one round of its payments, then divides the rest by weight. */
function ratesWithin(wanted: Rates, payments: Rates, budget: number, intervalS: number): Rates {
  const floor = wanted.map((want, urgency) =>
    Math.min(want, (payments[urgency] ?? 0) / (FLOOR_INTERVALS * intervalS)),
  );
  // Compares before dividing: without open payments, the late watch may leave nothing of the budget.
  if (sum(floor) <= budget) {
    const more = wanted.map((want, urgency) => want - (floor[urgency] ?? 0));
    const shared = shareOut(budget - sum(floor), more, payments);
    return floor.map((rate, urgency) => rate + (shared[urgency] ?? 0));
  }
  const excess = sum(floor) / budget;
  const byShares = Math.min(Math.max((excess - EVEN_UP_TO) / (SHARED_FROM - EVEN_UP_TO), 0), 1);
  const shared = shareOut(budget, wanted, payments);
  return floor.map((rate, urgency) => (1 - byShares) * (rate / excess) + byShares * (shared[urgency] ?? 0));
}

/**
 * Divides a rate by the weights of the payments; a class that needs less than its part leaves the rest to the other classes.
 */
function shareOut(rate: number, wanted: Rates, payments: Rates): Rates {
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

/** Intervals are scaled for the rate this far ahead: by then, a lowered rate limit may have grown again. */
const AHEAD_MS = 30_000;
/** Overdue payments are polled within this time, beside those that become due … */
const CATCH_UP_S = 60;
/** … which keep at least this share of the rate. */
const LEAST_SHARE = 0.75;

/** The requests a second to plan intervals for: the expected rate limit, less the requests for overdue payments. */
export function plannedRate(
  rateLimit: RateLimit,
  overdue: number,
  now: number,
  rules: RateLimitRules,
): number {
  const rate = rateOf(rateLimit, now + AHEAD_MS, rules);
  return rate === Number.POSITIVE_INFINITY ? rate : Math.max(rate - overdue / CATCH_UP_S, rate * LEAST_SHARE);
}
