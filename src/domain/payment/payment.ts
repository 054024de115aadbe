import type { Marks } from './report.ts';
import type { Status } from './status.ts';

/** `active`: on its way. `watching`: expired or failed, still looked at. `closed`: looked at no more. */
export type Tracking = 'active' | 'watching' | 'closed';

export const TRACKINGS = ['active', 'watching', 'closed'] as const;

export const STALL_REASONS = ['no_progress', 'provider_silent'] as const;

export type StallReason = (typeof STALL_REASONS)[number];

/** A stored payment, as much of it as the state machine needs. */
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
  /** How long the quote says that delivery takes once the deposit is there; null when it does not say. */
  readonly expectedMs: number | null;
  /** When the payment last moved or its report last changed. */
  readonly progressAt: Date;
  /** When it became EXPIRED or FAILED; the late watch counts from here. */
  readonly endedAt: Date | null;
  /** What the last accepted report said of the parts that matter. */
  readonly marks: Marks;
  /** Digest of the stored report; '' until there is one. */
  readonly reportDigest: string;
  /** The stalls that were told and are still going on. */
  readonly stalls: readonly StallReason[];
  /** The distinct contradictions that were told. */
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
    marks: { deposit: '', gas: '', execution: '', error: '' },
    reportDigest: '',
    stalls: [],
    contradictions: [],
  };
}
