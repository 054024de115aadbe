import type { EventDraft } from '../domain/event.ts';
import type { Payment } from '../domain/payment.ts';
import type { Report } from '../domain/report.ts';
import type { NextLook } from '../domain/urgency.ts';

/** A due payment that this process may look at; `token` fences a result that comes back too late. */
export interface Claim {
  readonly paymentId: string;
  readonly token: string;
  readonly payment: Payment;
  /** Since when every look had no usable answer; null when the last one had. */
  readonly silentSince: Date | null;
  /** Looks in a row without a usable answer. */
  readonly failures: number;
  /** What the claim has scheduled by; null when it was not the payment's usual interval. */
  readonly scheduledInMs: number | null;
}

/** What a look at a claimed payment came to. */
export interface Look {
  readonly claim: Claim;
  readonly payment: Payment;
  readonly events: readonly EventDraft[];
  readonly report: Report | null;
  readonly next: NextLook;
  /** True when the provider answered nothing usable. */
  readonly isSilent: boolean;
}

/** Which payment is due when, and the one place where what was seen becomes state, events and deliveries. */
export abstract class Schedule {
  /**
   * Claims due payments, the longest due first. The claim itself schedules the next look, an interval later and at
   * least `leaseMs` away, so that a look that finds nothing writes nothing.
   */
  abstract claimDue(limit: number, leaseMs: number): Promise<Claim[]>;

  /**
   * Claims one payment now, whether due or not, unless it was looked at within `gapMs`.
   * `recent`: it was; `unknown`: there is no such payment.
   */
  abstract claimNow(quoteId: string, gapMs: number, leaseMs: number): Promise<Claim | 'recent' | 'unknown'>;

  /**
   * Commits looks in one transaction: state, report, events and what is owed to each destination. A look whose claim
   * was taken over is dropped. Looks that change nothing need not be recorded.
   */
  abstract record(looks: readonly Look[]): Promise<void>;

  /** Milliseconds until the next payment is due: 0 when one is; null when there is none. */
  abstract nextDueInMs(): Promise<number | null>;

  /** Takes up to `wanted` requests from the budget that all replicas share; tells how many. Negative gives back. */
  abstract takeBudget(wanted: number, maxRpm: number): Promise<number>;
}
