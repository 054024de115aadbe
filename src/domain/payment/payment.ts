import type { PartDigests } from './report.ts';
import type { Status } from './status.ts';

/** `active`: on its way. `watching`: expired or failed, still polled. `closed`: no longer polled. */
export type Tracking = 'active' | 'watching' | 'closed';

export const TRACKINGS = ['active', 'watching', 'closed'] as const;

export const STALL_REASONS = ['no_progress', 'provider_silent'] as const;

export type StallReason = (typeof STALL_REASONS)[number];

/** The part of a stored payment that the state machine needs. */
export interface Payment {
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly status: Status;
  /** True once something came after the payment had ended as EXPIRED or FAILED. */
  readonly late: boolean;
  /** The number of the payment's newest event: 1, 2, 3, … without gaps. */
  readonly sequence: number;
  readonly tracking: Tracking;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** The quote's estimate of the time from deposit to delivery; null when the quote has none. */
  readonly expectedMs: number | null;
  /** When the payment last moved or its report last changed. */
  readonly progressAt: Date;
  /** When it became EXPIRED or FAILED; the late watch counts from here. */
  readonly endedAt: Date | null;
  /** Digests of those parts of the last accepted report whose change makes an event. */
  readonly partDigests: PartDigests;
  /** Digest of the stored report; '' until there is one. */
  readonly reportDigest: string;
  /** The ongoing stalls for which an event exists. */
  readonly stalls: readonly StallReason[];
  /** The distinct contradictions for which an event exists. */
  readonly contradictions: readonly string[];
}

export interface NewPayment {
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly expiresAt: Date | null;
  readonly expectedMs: number | null;
}

/** A payment as it stands before its first event. */
export function newPayment(from: NewPayment, now: Date): Payment {
  return {
    ...from,
    status: 'AWAITING_DEPOSIT',
    late: false,
    sequence: 0,
    tracking: 'active',
    createdAt: now,
    progressAt: now,
    endedAt: null,
    partDigests: { deposit: '', gas: '', execution: '', error: '' },
    reportDigest: '',
    stalls: [],
    contradictions: [],
  };
}

const NOTHING: NewPayment = { quoteId: '', orderId: null, metadata: null, expiresAt: null, expectedMs: null };

/** The names of all fields, in the order of their making. */
export const PAYMENT_FIELDS = Object.keys(newPayment(NOTHING, new Date(0))) as readonly (keyof Payment)[];
