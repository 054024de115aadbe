import type { EventDraft } from '../domain/event/event.ts';
import type { Payment } from '../domain/payment/payment.ts';
import type { Report } from '../domain/payment/report.ts';
import type { Status } from '../domain/payment/status.ts';
import type { NextPoll, UrgencyClass } from '../domain/polling/urgency.ts';

/** A payment that this process may look at; `token` fences a result that comes back too late. */
export interface DueClaim {
  readonly paymentId: string;
  readonly token: string;
  readonly quoteId: string;
  /** A report with this mark tells nothing that would have to be recorded; null: whatever is told is to be judged. */
  readonly knownDigest: string | null;
  /** Since when every look had no usable answer; null when the last one had. */
  readonly silentSince: Date | null;
  /** Looks in a row without a usable answer. */
  readonly failures: number;
  /** What the claim has scheduled by; null when it was not the payment's usual interval. */
  readonly scheduledInMs: number | null;
  /** When the claim lets the payment be looked at again. */
  readonly nextInMs: number;
  readonly urgency: UrgencyClass;
  /** When somebody last asked for the payment, as far as it was noted. */
  readonly hintedAt: Date | null;
  /** How long ago the provider last said something usable about it; null: never. */
  readonly answeredAgoMs: number | null;
}

/** A claim with the payment as it stands, for a look that is to be judged. */
export interface Claim extends DueClaim {
  readonly payment: Payment;
}

/** What a look at a claimed payment came to. */
export interface Poll {
  readonly claim: Claim;
  readonly payment: Payment;
  readonly events: readonly EventDraft[];
  readonly report: Report | null;
  readonly next: NextPoll;
  /** True when the provider answered nothing usable. */
  readonly isSilent: boolean;
  /** False for a silence that is no fault of the payment's: it does not make the payment back off. */
  readonly isCharged: boolean;
}

/** What became of looks that were to be recorded. */
export interface Recorded {
  /** Looks that were dropped, since their claim was taken over. */
  readonly stale: number;
  /** Nothing was written of these: their payment has changed since it was read, and they are to be judged anew. */
  readonly outdated: readonly Poll[];
}

/** What operators see of the schedule. */
export interface ScheduleFigures {
  readonly open: readonly {
    readonly status: Status;
    readonly urgency: UrgencyClass;
    readonly payments: number;
  }[];
  /** How long the payment that waits longest has been due; 0 when none is. */
  readonly lagMs: number;
}

/** Which payment is due when, and the one place where what was seen becomes state, events and deliveries. */
export abstract class Schedule {
  /**
   * Claims due payments, the most pressing first, though none waits for ever. The claim itself schedules the next look,
   * a stretched interval later and at least `leaseMs` away, so that a look that finds nothing writes nothing.
   */
  abstract claimDue(limit: number, leaseMs: number): Promise<DueClaim[]>;

  /** Holds claims for `leaseMs` from now on, where they were not taken over: their answers take long. */
  abstract extendLeases(claims: readonly DueClaim[], leaseMs: number): Promise<void>;

  /** Reads the payments that claims are about; without those that are gone. */
  abstract read(claims: readonly DueClaim[]): Promise<Claim[]>;

  /** Whether the payment could be claimed now, as far as can be told without a claim. */
  abstract readyForPoll(quoteId: string, gapMs: number): Promise<'ready' | 'recent' | 'unknown'>;

  /**
   * Claims one payment now, whether due or not, unless it was looked at within `gapMs`.
   * `recent`: it was; `unknown`: there is no such payment.
   */
  abstract claimNow(quoteId: string, gapMs: number, leaseMs: number): Promise<Claim | 'recent' | 'unknown'>;

  /**
   * Commits looks in one transaction: state, report, events and what is owed to each destination. A look whose claim
   * was taken over is dropped. Looks that change nothing need not be recorded.
   */
  abstract record(polls: readonly Poll[]): Promise<Recorded>;

  /**
   * Reads the payments of outdated looks, has them judged anew, and commits that, all in one transaction in which nobody
   * else labels them. `judge` may be asked again after a deadlock.
   */
  abstract recordAgain(
    claims: readonly DueClaim[],
    judge: (claims: readonly Claim[]) => readonly Poll[],
  ): Promise<Recorded>;

  /**
   * Claims payments, without a look, that are due and of which the provider has told nothing usable for `silentMs`, or
   * which could not be asked about for as long, where the world has not been told that yet. Nobody could be asked for
   * `troubledMs` by now: what was due before was due while nobody was there to ask.
   */
  abstract claimUnanswered(limit: number, silentMs: number, troubledMs: number): Promise<Claim[]>;

  /** Milliseconds until the next payment is due, negative when it has been due since; null when there is none. */
  abstract nextDueInMs(): Promise<number | null>;

  /**
   * Notes that somebody asked for these payments now: they are looked at sooner while the budget is short, though not
   * within `leaseMs` of their last look.
   */
  abstract hint(quoteIds: readonly string[], leaseMs: number): Promise<void>;

  /**
   * Their provider told that something changed: these payments are due now. A look that may be under way is let end, by
   * `pollMs` after its claim at the latest, and is followed by another; no payment is claimed again within a second.
   * An expired or failed one that is closed is looked at once more; completed and unknown ones are left alone.
   */
  abstract makeDue(quoteIds: readonly string[], pollMs: number): Promise<void>;

  abstract figures(): Promise<ScheduleFigures>;
}
