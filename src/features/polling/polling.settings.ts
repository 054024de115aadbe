import { MAX_CLAIM_WAIT_MS } from '../../domain/polling/spacing.ts';
import { claimGapMs, LEAST_CLAIM_WAIT_MS, type UrgencyRules } from '../../domain/polling/urgency.ts';
import { USUAL_SUMS, type SumRules } from '../../domain/payment/amounts.ts';
import type { Verify } from '../../domain/proof/verification.ts';
import type { ProviderLimits } from '../../ports/payment-provider.ts';

/** How much longer a lease lasts than its request, for the wait before and the commit after it. */
const LEASE_SPARE_MS = 2_000;
/** Not longer than the usual intervals: otherwise each unchanged poll would cost a write. */
const FIRST_LEASE_MS = 2_000;
/** The remainder of a slow request's lease after its time-out and the gap. */
const SLOW_SPARE_MS = 500;
/** A claim may wait this many times as long as recent claims had to. */
const SPARE_WAITS = 2;
/** Often enough to extend the lease of a slow request well before it expires. */
export const EXTEND_EVERY_MS = 250;

/** The rules of polling for all providers, from the configuration. */
export class PollingRules {
  constructor(
    readonly urgency: UrgencyRules,
    readonly stalledAfterMs: number,
    /** The shortest time between two polls of one payment; immediate polls are exempt. */
    readonly minGapMs: number,
    /** Whether this process polls by the schedule. */
    readonly isTracker: boolean,
    readonly verify: Verify = 'off',
    readonly sums: SumRules = USUAL_SUMS,
  ) {}
}

/** How one provider is polled. */
export class PollingSettings {
  /** The lease of a poll on demand: long enough for a request's whole time-out and the gap after it. */
  readonly leaseMs: number;
  /**
   * The lease of a slow poll after its extension: even if this request ends as late as its time-out, and this process dies
   * meanwhile, the next request comes after the gap.
   */
  readonly slowLeaseMs: number;
  /** The first lease: no longer than requests usually take, so that it rarely delays the next poll. */
  readonly firstLeaseMs: number;
  /** After this time a request counts as slow, and its leases are extended to `slowLeaseMs`. */
  readonly slowAfterMs: number;
  /**
   * Within this time, a poll whose request was sent at once is answered or gets a longer lease, so that no second claim of its
   * payment is possible.
   */
  readonly pollMs: number;
  /**
   * The shortest time between two claims of a payment: longer than the gap, since requests start at varying times after the
   * claim.
   */
  readonly claimGapMs: number;

  constructor(
    readonly urgency: UrgencyRules,
    readonly stalledAfterMs: number,
    readonly minGapMs: number,
    readonly requestTimeoutMs: number,
    readonly verify: Verify = 'off',
    readonly sums: SumRules = USUAL_SUMS,
  ) {
    this.claimGapMs = Math.ceil(claimGapMs(minGapMs));
    this.leaseMs = Math.max(requestTimeoutMs + LEASE_SPARE_MS, this.claimGapMs + MAX_CLAIM_WAIT_MS);
    this.firstLeaseMs = Math.max(Math.min(FIRST_LEASE_MS, this.leaseMs), this.claimGapMs);
    this.slowAfterMs = Math.max((this.firstLeaseMs - MAX_CLAIM_WAIT_MS) / 2, LEAST_CLAIM_WAIT_MS);
    const wholeMs = requestTimeoutMs + this.claimGapMs + SLOW_SPARE_MS;
    this.slowLeaseMs = Math.max(wholeMs - this.slowAfterMs, this.leaseMs);
    this.pollMs = this.slowAfterMs + 2 * EXTEND_EVERY_MS;
  }

  static of(
    { urgency, stalledAfterMs, minGapMs, verify, sums }: PollingRules,
    { timeoutMs }: ProviderLimits,
  ): PollingSettings {
    return new PollingSettings(urgency, stalledAfterMs, minGapMs, timeoutMs, verify, sums);
  }

  /**
   * How much longer than the first lease a claim holds its payment when claims wait `waitMs` for their requests. The interval
   * of money in flight is hardly longer than the gap: without this spare, all of its claims would be dropped if the database
   * is far away or the process is busy.
   */
  spareMs(waitMs: number): number {
    const neededMs = Math.min(SPARE_WAITS * waitMs, MAX_CLAIM_WAIT_MS);
    return Math.max(Math.ceil(neededMs - this.slackMs(this.firstLeaseMs)), 0);
  }

  /** How long a claim may wait for its request so that the gap before the next poll is kept. */
  slackMs(nextInMs: number): number {
    return Math.min(Math.max(nextInMs - this.minGapMs, LEAST_CLAIM_WAIT_MS), MAX_CLAIM_WAIT_MS);
  }
}
