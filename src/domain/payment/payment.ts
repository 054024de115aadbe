import { addressDigest, type PartDigests } from './report.ts';
import type { Match } from './amounts.ts';
import type { Status } from './status.ts';

/** `active`: on its way. `watching`: ended, but still polled. `closed`: no longer polled. */
export type Tracking = 'active' | 'watching' | 'closed';

export const TRACKINGS = ['active', 'watching', 'closed'] as const;

export const STALL_REASONS = ['no_progress', 'provider_silent', 'unverified'] as const;

export type StallReason = (typeof STALL_REASONS)[number];

/** The reasons with which a person may settle a payment by hand. */
export const SETTLEMENT_REASONS = [
  'refunded',
  'fulfilled_elsewhere',
  'written_off',
  'duplicate',
  'test',
  'other',
] as const;

/** `released`: a person has completed a payment whose completion was withheld. */
export const RESOLUTION_REASONS = [...SETTLEMENT_REASONS, 'released'] as const;

export type ResolutionReason = (typeof RESOLUTION_REASONS)[number];

/** A person's settlement of the payment. A new status removes it. */
export interface Resolution {
  readonly reason: ResolutionReason;
  readonly note: string | null;
  /** The name of the API key. */
  readonly by: string;
  /** ISO 8601, UTC with milliseconds. */
  readonly at: string;
}

/**
 * Whether a person has settled a payment otherwise. A released payment completes like any other: its receivers must learn of the
 * completion. is_settled.sql is the same rule.
 */
export function isSettled(resolution: { readonly reason?: unknown } | null): boolean {
  return resolution !== null && resolution.reason !== 'released';
}

/** The part of a stored payment that the state machine needs. */
export interface Payment {
  readonly quoteId: string;
  /** The name of the provider that made the quote. */
  readonly provider: string;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly status: Status;
  /** True once a deposit or a result came after the payment had ended as EXPIRED or FAILED. */
  readonly late: boolean;
  /** The number of the payment's newest event: 1, 2, 3, …; see `numberIn` for a database that went back. */
  readonly sequence: number;
  /** The epoch in which the number was given: 0 while the database never went back. */
  readonly epoch: number;
  /**
   * From the moment that the database went back until the next event: the number of the last event that was kept, which the
   * next event follows, whatever was lost in between.
   */
  readonly previousSequence: number | null;
  readonly tracking: Tracking;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** The quote's estimate of the time from deposit to delivery; null when the quote has none. */
  readonly expectedMs: number | null;
  /** When the payment last moved or its report last changed. */
  readonly progressAt: Date;
  /** When the payment became EXPIRED, FAILED or COMPLETED; later polls are scheduled from this time. */
  readonly endedAt: Date | null;
  /** Digests of those parts of the last accepted report whose change makes an event. */
  readonly partDigests: PartDigests;
  /** Digest of the stored report; '' without a report. */
  readonly reportDigest: string;
  /** The present stalls that an event has reported. */
  readonly stalls: readonly StallReason[];
  /** The distinct contradictions that an event has reported. */
  readonly contradictions: readonly string[];
  /** Null: no person has resolved the payment in its present status. */
  readonly resolution: Resolution | null;
  /** The W3C trace context with which it began; null: tracing was off. */
  readonly traceparent: string | null;
  /** How the deposit compares with the requested sum, by the stored report; null before the deposit. */
  readonly match: Match | null;
  /** The quote verbatim, to read its sums; null: it is not known. */
  readonly quoteText: string | null;
}

/** Fields that have no column: see `numberIn`, and the table of quotes. */
const NOT_STORED = ['previousSequence', 'quoteText'] as const;

export type StoredField = Exclude<keyof Payment, (typeof NOT_STORED)[number]>;

export interface NewPayment {
  readonly quoteId: string;
  readonly provider: string;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly expiresAt: Date | null;
  readonly expectedMs: number | null;
  /** The deposit address of the quote; null or left out: there is no quote. */
  readonly depositAddress?: string | null;
  /** Left out: there is none. */
  readonly traceparent?: string | null;
  /** The quote object; left out: it is not known. */
  readonly quoteText?: string | null;
}

/** A payment before its first event. */
export function newPayment({ depositAddress = null, ...from }: NewPayment, now: Date): Payment {
  return {
    ...from,
    status: 'AWAITING_DEPOSIT',
    late: false,
    sequence: 0,
    epoch: 0,
    previousSequence: null,
    tracking: 'active',
    createdAt: now,
    progressAt: now,
    endedAt: null,
    partDigests: {
      deposit: '',
      gas: '',
      execution: '',
      error: '',
      depositTimes: '',
      executionTimes: '',
      address: addressDigest(depositAddress),
      noiseToldAt: 0,
    },
    reportDigest: '',
    stalls: [],
    contradictions: [],
    resolution: null,
    traceparent: from.traceparent ?? null,
    match: null,
    quoteText: from.quoteText ?? null,
  };
}

/**
 * A payment has fewer events than this in a minute, the shortest time of an epoch; so an epoch's number grows by at most one
 * a minute.
 */
const NUMBERS_OF_EPOCH = 100;

/**
 * The payment with its events numbered for `epoch`, if the database has kept it from an earlier epoch: its next number is
 * larger than any lost one.
 */
export function numberIn(epoch: number, payment: Payment): Payment {
  if (payment.epoch >= epoch) return payment;
  const { sequence } = payment;
  return { ...payment, epoch, sequence: epoch * NUMBERS_OF_EPOCH, previousSequence: sequence };
}

const NOTHING: NewPayment = {
  quoteId: '',
  provider: '',
  orderId: null,
  metadata: null,
  expiresAt: null,
  expectedMs: null,
};

/** The names of all stored fields, in the order in which newPayment sets them. */
export const PAYMENT_FIELDS = Object.keys(newPayment(NOTHING, new Date(0))).filter(
  (field) => !(NOT_STORED as readonly string[]).includes(field),
) as readonly StoredField[];
