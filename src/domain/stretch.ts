import { URGENCY, type UrgencyClass } from './urgency.ts';

/** What the open payments of one class want: how many they are, and looks a second at their own intervals. */
export interface Demand {
  readonly urgency: UrgencyClass;
  readonly payments: number;
  readonly perSecond: number;
}

/** By what each class's intervals are multiplied; indexed by class, 1 where the budget suffices. */
export type Stretch = readonly [number, number, number, number];

export const NO_STRETCH: Stretch = [1, 1, 1, 1];

/** Kept free for looks on demand, first looks and estimates that are a little off. */
const RESERVE = 0.03;
/** A round of all open payments that fits into this many intervals is made: with jitter and the wait for a turn, 10. */
const ROUND_INTERVALS = 9.7;
/** Intervals vary upwards only: so much longer they are on average. */
const MEAN_JITTER = 1.02;
/** Stretched ones stay a little below. */
const STRETCHED_INTERVALS = 7;
/** The watch has hours: it is the first to wait, until this share of the budget is all that it has. */
const WATCH_SHARE = 0.05;
/** What no budget is too short for: a look at a payment within a day. */
const MAX_FACTOR = 10_000;
/** Who gives way first, and how far, in intervals of an open payment: the lowest class first, the rest in turns. */
const STEPS: readonly (readonly [UrgencyClass, number])[] = [
  [URGENCY.unattended, STRETCHED_INTERVALS],
  [URGENCY.attended, 2],
  [URGENCY.inFlight, 1.5],
  [URGENCY.attended, 4],
  [URGENCY.inFlight, 3],
  [URGENCY.attended, STRETCHED_INTERVALS],
  [URGENCY.inFlight, STRETCHED_INTERVALS],
];
/** How the classes share a budget too short for one round: where changes are likely, looks are worth more. */
const SHARES: Readonly<Record<number, number>> = {
  [URGENCY.inFlight]: 1,
  [URGENCY.attended]: 0.35,
  [URGENCY.unattended]: 0.15,
};
const OPEN = [URGENCY.inFlight, URGENCY.attended, URGENCY.unattended] as const;

/**
 * Fits the looks that are wanted to the looks that may be made: intervals stretch, the lowest class first, and nobody
 * starves. Pure: of the demand, the budget in looks a second (Infinity for none) and the usual interval.
 */
export function stretchFor(demand: readonly Demand[], budgetPerSecond: number, intervalMs: number): Stretch {
  const fit = new Fit(demand, budgetPerSecond * (1 - RESERVE), intervalMs / 1_000);
  return fit.isMet() ? NO_STRETCH : fit.stretched();
}

/** One demand being fitted: each class's rate in looks a second, lowered until their sum is the budget's. */
class Fit {
  private readonly wanted: number[] = [0, 0, 0, 0];
  private readonly payments: number[] = [0, 0, 0, 0];
  private readonly rates: number[];

  constructor(
    demand: readonly Demand[],
    private readonly budget: number,
    private readonly intervalS: number,
  ) {
    for (const { urgency, payments, perSecond } of demand.filter((each) => each.payments > 0)) {
      this.wanted[urgency] = perSecond;
      this.payments[urgency] = payments;
    }
    this.rates = [...this.wanted];
  }

  isMet(): boolean {
    return this.total() <= this.budget;
  }

  stretched(): Stretch {
    if (this.lower(URGENCY.watching, this.budget * WATCH_SHARE)) return this.factors();
    const open = OPEN.reduce<number>((sum, urgency) => sum + this.paymentsOf(urgency), 0);
    const left = this.budget - this.rateOf(URGENCY.watching);
    const roundIntervals = open / left / this.intervalS;
    if (roundIntervals > ROUND_INTERVALS) return this.shareOut(left);
    const shortest = STRETCHED_INTERVALS * this.intervalS;
    if (roundIntervals > STRETCHED_INTERVALS)
      return this.evenly(Math.max(open / left / MEAN_JITTER, shortest));
    for (const [urgency, intervals] of STEPS) {
      if (this.lower(urgency, this.paymentsOf(urgency) / (intervals * this.intervalS))) break;
    }
    return this.factors();
  }

  /** Lowers a class as far as needed, and to `least` at most; true once everything fits. */
  private lower(urgency: UrgencyClass, least: number): boolean {
    const fitting = this.budget - (this.total() - this.rateOf(urgency));
    this.rates[urgency] = Math.min(this.rateOf(urgency), Math.max(fitting, least));
    return this.isMet();
  }

  private evenly(roundS: number): Stretch {
    for (const urgency of OPEN)
      this.rates[urgency] = Math.min(this.rateOf(urgency), this.paymentsOf(urgency) / roundS);
    return this.factors();
  }

  /** By shares; what a class does not want is left to the others. */
  private shareOut(left: number): Stretch {
    let free = left;
    let open: UrgencyClass[] = [...OPEN];
    for (;;) {
      const weights = open.reduce<number>((sum, urgency) => sum + this.weightOf(urgency), 0);
      const content = open.filter(
        (urgency) => this.wantedOf(urgency) * weights <= free * this.weightOf(urgency),
      );
      if (content.length === 0 || weights === 0) {
        for (const urgency of open) this.rates[urgency] = (free * this.weightOf(urgency)) / (weights || 1);
        return this.factors();
      }
      free -= content.reduce<number>((sum, urgency) => sum + this.wantedOf(urgency), 0);
      open = open.filter((urgency) => !content.includes(urgency));
    }
  }

  private factors(): Stretch {
    const factor = (urgency: UrgencyClass): number => {
      const [wanted, rate] = [this.wantedOf(urgency), this.rateOf(urgency)];
      return wanted <= rate ? 1 : Math.min(wanted / rate, MAX_FACTOR);
    };
    return [factor(0), factor(1), factor(2), factor(3)];
  }

  private total(): number {
    return this.rates.reduce((sum, rate) => sum + rate, 0);
  }

  private rateOf(urgency: UrgencyClass): number {
    return this.rates[urgency] ?? 0;
  }

  private wantedOf(urgency: UrgencyClass): number {
    return this.wanted[urgency] ?? 0;
  }

  private paymentsOf(urgency: UrgencyClass): number {
    return this.payments[urgency] ?? 0;
  }

  private weightOf(urgency: UrgencyClass): number {
    return this.paymentsOf(urgency) * (SHARES[urgency] ?? 0);
  }
}
