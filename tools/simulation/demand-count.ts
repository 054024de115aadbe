import type { Demand } from '../../src/domain/polling/interval-scale.ts';
import { URGENCY, type UrgencyClass } from '../../src/domain/polling/urgency.ts';

const CLASSES = Object.values(URGENCY);

interface Counted {
  readonly urgency: UrgencyClass;
  readonly intervalMs: number;
}

/** How many payments each class has, and how many polls a second they want, kept up to date with every change. */
export class DemandCount {
  private readonly payments = [0, 0, 0, 0];
  private readonly perSecond = [0, 0, 0, 0];

  get all(): Demand[] {
    return CLASSES.map((urgency) => ({
      urgency,
      payments: this.payments[urgency] ?? 0,
      perSecond: Math.max(this.perSecond[urgency] ?? 0, 0),
    }));
  }

  get pollsPerSecond(): number {
    return this.perSecond.reduce((sum, each) => sum + each, 0);
  }

  /** Payments that are neither ended nor closed. */
  get open(): number {
    return this.payments.slice(0, URGENCY.watching).reduce((sum, each) => sum + each, 0);
  }

  count({ urgency, intervalMs }: Counted, by: 1 | -1): void {
    this.payments[urgency] = (this.payments[urgency] ?? 0) + by;
    this.perSecond[urgency] = (this.perSecond[urgency] ?? 0) + (by * 1_000) / intervalMs;
  }
}
