import type { Circuit, DueDelivery, Settlement, TargetChange } from '../../../src/ports/deliveries.ts';

const OPENS_AFTER_FAILURES = 10;
const OPENS_AFTER_PAYMENTS = 3;
const PROBE_EVERY_MS = 5_000;
const PROBE_WAIT_MS = { least: 30_000, most: 600_000 } as const;

/** The circuit of an endpoint, by the rules of note_outcomes, note_success and take_probes. */
export class FakeCircuit {
  state: Circuit = 'closed';
  recoveredAt = -Infinity;
  failures = 0;
  /** The last success. */
  deliveredAt = -Infinity;
  private readonly payments = new Set<string>();
  private failingSince: number | null = null;
  private probeAt = Infinity;
  private probedAt = -Infinity;
  private probingUntil = -Infinity;

  /**
   * Notes attempts at the endpoint that were settled at once; `refusedSince`: when the payment of each attempt first failed
   * there.
   */
  note(
    settled: readonly Settlement[],
    refusedSince: (delivery: DueDelivery) => number,
    now: number,
  ): TargetChange['change'] | null {
    this.probingUntil = -Infinity;
    if (settled.some(({ outcome }) => outcome.kind === 'delivered')) return this.succeed(now);
    const scheduled = settled.filter(({ delivery }) => !delivery.isUnscheduled);
    if (scheduled.length === 0) return null;
    const counted = scheduled.filter(({ delivery }) => refusedSince(delivery) > this.deliveredAt);
    this.failures += counted.length;
    for (const { delivery } of counted) this.payments.add(delivery.quoteId);
    if (counted.length > 0)
      this.failingSince ??= Math.max(
        this.recoveredAt,
        Math.min(...counted.map(({ delivery }) => refusedSince(delivery))),
      );
    if (this.state === 'open') return 'open';
    if (this.failures < OPENS_AFTER_FAILURES || this.payments.size < OPENS_AFTER_PAYMENTS) return null;
    this.state = 'open';
    this.probeAt = now + this.waitMs(now);
    this.probedAt = now;
    return 'opened';
  }

  /** Whether the probe is an untried delivery; null: no probe is due. */
  takeProbe(hasUntried: boolean, hasNext: boolean, now: number, leaseMs: number): boolean | null {
    if (this.state !== 'open' || this.probingUntil > now || this.probedAt > now - PROBE_EVERY_MS) return null;
    const isNext = this.probeAt <= now && hasNext;
    if (!isNext && !hasUntried) return null;
    const isUntried = this.probeAt > now;
    if (!isUntried) this.probeAt = now + this.waitMs(now);
    this.probedAt = now;
    this.probingUntil = now + leaseMs;
    return isUntried;
  }

  private succeed(now: number): TargetChange['change'] | null {
    this.failures = 0;
    this.deliveredAt = now;
    this.payments.clear();
    this.failingSince = null;
    this.probeAt = Infinity;
    if (this.state !== 'open') return null;
    this.state = 'recovering';
    this.recoveredAt = now;
    return 'recovered';
  }

  private waitMs(now: number): number {
    const quarter = (now - (this.failingSince ?? now)) / 4;
    return Math.max(PROBE_WAIT_MS.least, Math.min(PROBE_WAIT_MS.most, quarter));
  }
}
