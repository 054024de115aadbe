import type { EventDraft } from '../domain/event/event.ts';
import type { StoredBeside } from '../domain/transitions/apply-report.ts';
import type { Payment } from '../domain/payment/payment.ts';
import type { Report } from '../domain/payment/report.ts';
import type { Status } from '../domain/payment/status.ts';
import type { NextPoll, UrgencyClass } from '../domain/polling/urgency.ts';
import type { LeaseOffer } from './deliveries.ts';
import type { Deliverable } from './new-deliveries.ts';

/** A claim to poll a payment; by the fencing token `token`, a result that comes too late is dropped. */
export interface DueClaim {
  readonly paymentId: string;
  readonly token: string;
  readonly quoteId: string;
  /** A report with this digest changes nothing and is not judged; null: every report must be judged. */
  readonly knownDigest: string | null;
  /** The digest of the stored report; empty when there is none. */
  readonly storedDigest: string;
  /** Since when no poll had a usable answer; null when the last one had. */
  readonly silentSince: Date | null;
  /** The number of polls in a row without a usable answer. */
  readonly failures: number;
  /**
   * The unscaled interval, without its spare, by which the claim scheduled the next poll; null when it was not the payment's
   * usual one.
   */
  readonly scheduledInMs: number | null;
  /** The time from the claim to the next poll. */
  readonly nextInMs: number;
  readonly urgency: UrgencyClass;
  /** When a client last asked about the payment, as far as that was recorded. */
  readonly hintedAt: Date | null;
  /** The time since the provider's last usable answer; null: there was none. */
  readonly answeredAgoMs: number | null;
}

/** A claim with the current payment, for a poll that must be judged. */
export interface Claim extends DueClaim, StoredBeside {
  readonly payment: Payment;
}

/** The result of polling a claimed payment. */
export interface Poll {
  readonly claim: Claim;
  readonly payment: Payment;
  readonly events: readonly EventDraft[];
  readonly report: Report | null;
  readonly next: NextPoll;
  /** The time used for these decisions: the answer may wait for its commit. */
  readonly judgedAt: Date;
  /** True when the provider gave no usable answer. */
  readonly isSilent: boolean;
  /** True when the payment backs off after a failure; false when the provider as a whole fails. */
  readonly isCharged: boolean;
  /** How long ago the provider was asked, which is when the next interval begins. 0: it begins at the recording. */
  readonly askedAgoMs: number;
}

/** The outcome of recording polls. */
export interface RecordOutcome {
  /** The number of polls that were dropped because another claim had taken their payment over. */
  readonly stale: number;
  /**
   * Polls for which nothing was written: their payments have changed since they were read, and the polls must be judged again.
   */
  readonly outdated: readonly Poll[];
}

/** The payments that were overdue after an outage, and within which time each is polled. */
export interface Spread {
  readonly payments: number;
  readonly withinMs: number;
}

export const NO_SPREAD: Spread = { payments: 0, withinMs: 0 };

/** The figures of the schedule for operators; completed payments are not open. */
export interface ScheduleFigures {
  readonly open: readonly {
    readonly status: Status;
    readonly urgency: UrgencyClass;
    readonly payments: number;
  }[];
  /** How long the payment that waits longest has been due; 0 when none is. */
  readonly lagMs: number;
}

/** How much longer than its lease a claim holds its payment, so that it can wait for its request. */
export interface ClaimSpare {
  /** For money in flight. */
  readonly urgentMs: number;
  readonly othersMs: number;
}

export const NO_SPARE: ClaimSpare = { urgentMs: 0, othersMs: 0 };

/** The times at which payments are due. This is the only port that turns poll results into state, events and deliveries. */
export abstract class Schedule {
  /**
   * Claims due payments, the most urgent first, but such that none starves. The claim itself schedules the next poll: after a
   * scaled interval, but at least `leaseMs` plus `spare` later. So a poll that finds no change writes nothing.
   */
  abstract claimDue(limit: number, leaseMs: number, spare?: ClaimSpare): Promise<DueClaim[]>;

  /** Extends the leases of slow polls to `leaseMs` from now, unless another claim has taken their payment over. */
  abstract extendLeases(claims: readonly DueClaim[], leaseMs: number): Promise<void>;

  /** Reads the payments of the claims; omits those that were removed. */
  abstract read(claims: readonly DueClaim[]): Promise<Claim[]>;

  /**
   * Reads the payments of outdated polls between two changes of their labels: a poll that is recorded right afterwards comes
   * before the next label. Otherwise polls of a payment that is labelled all the time would hardly ever be recorded.
   */
  abstract readAgain(claims: readonly DueClaim[]): Promise<Claim[]>;

  /** Whether claimNow would probably succeed; it claims nothing. */
  abstract readyForPoll(quoteId: string, gapMs: number): Promise<'ready' | 'recent' | 'unknown'>;

  /**
   * Claims one payment now, due or not, unless it was polled within `gapMs`. `recent`: it was polled within `gapMs`;
   * `unknown`: the payment does not exist.
   */
  abstract claimNow(quoteId: string, gapMs: number, leaseMs: number): Promise<Claim | 'recent' | 'unknown'>;

  /**
   * Commits polls in one transaction: state, report, events and deliveries, some of them leased as `offers` say. Drops polls
   * whose claim was taken over. Polls that change nothing need not be recorded.
   */
  abstract record(
    polls: readonly Poll[],
    offers: readonly LeaseOffer[],
  ): Promise<RecordOutcome & Deliverable>;

  /**
   * Stores for later polls the meaning of polls that changed neither their payment nor its next due time: until when the same
   * report decides nothing, and their urgency. Moves no due time, and leaves out polls whose claim was taken over.
   */
  abstract extendUnchanged(polls: readonly Poll[]): Promise<void>;

  /**
   * Claims due payments that have not completed, had no usable answer (or no poll) for `silentMs`, and have no event about
   * this yet. The claims are not polled. The provider has failed or been throttled for `troubledMs`; a payment that was due
   * earlier counts as due since then.
   */
  abstract claimUnanswered(limit: number, silentMs: number, troubledMs: number): Promise<Claim[]>;

  /** Milliseconds until the next payment is due, negative when it is overdue; null when there is none. */
  abstract nextDueInMs(): Promise<number | null>;

  /**
   * Records that clients asked about these payments now: while the budget is short they are polled sooner, though not within
   * `leaseMs` of their last poll.
   */
  abstract hint(quoteIds: readonly string[], leaseMs: number): Promise<void>;

  /**
   * Makes these payments due now because their provider has announced a change. A poll that may be under way ends first, at
   * most `pollMs` after its claim, and another one follows; a payment is not claimed twice within a second. A closed payment
   * that expired or failed is polled once more. Completed and unknown payments are ignored.
   */
  abstract makeDue(quoteIds: readonly string[], pollMs: number): Promise<void>;

  /** Spreads the polls of overdue payments after a time without polls, each over its interval. */
  abstract spreadOverdue(): Promise<Spread>;

  abstract figures(): Promise<ScheduleFigures>;
}
