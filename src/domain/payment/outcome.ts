import type { Status } from './status.ts';

/** The oddities of a payment that a report shows, in the order in which they are told; the status stands. */
export const REPORTED_ANOMALIES = [
  'other_token_received',
  'underpaid',
  'overpaid',
  'partly_refunded',
  'short_output',
  'contradictory_output',
] as const;

export type ReportedAnomaly = (typeof REPORTED_ANOMALIES)[number];

/** A payment is completed by a transfer to the recipient, an amount that arrived, or the provider's word alone. */
export const COMPLETED_BY = ['transaction', 'amount', 'word'] as const;

export type CompletedBy = (typeof COMPLETED_BY)[number];

/** The facts beside a provider's word for the end of a payment. Amounts are in the smallest unit. */
export interface Shown {
  /** The provider's word: delivered, or failed. */
  readonly word: 'success' | 'failure';
  /** The transfers to the recipient: their hashes. */
  readonly transactions: readonly string[];
  /** The amount that the recipient got; null: not said. */
  readonly arrived: bigint | null;
  /** The least that counts as whole, the quote's `receive.minimumAmount`; null: not known. */
  readonly promised: bigint | null;
  /** The amount that went back to the payer; 0: nothing, null: an amount that is not said. */
  readonly returned: bigint | null;
  /** The amount that the payer was asked for, and the one that came; null: not said. */
  readonly asked: bigint;
  readonly deposited: bigint | null;
  /** An output is named, but not yet its transfer and amount: nothing has ended. */
  readonly isUnfinished: boolean;
}

export interface Outcome {
  /** Null: the word alone proves nothing. */
  readonly status: Extract<Status, 'COMPLETED' | 'FAILED'> | null;
  readonly by: Exclude<CompletedBy, 'word'> | null;
  readonly anomalies: readonly ReportedAnomaly[];
}

/** A success, and no word beside it. */
export const NOTHING_SHOWN: Shown = {
  word: 'success',
  transactions: [],
  arrived: null,
  promised: null,
  returned: 0n,
  asked: 0n,
  deposited: null,
  isUnfinished: false,
};

/** Up to this part of what was asked for, a refund is what rounding left over. */
const DUST_PARTS = 100n;

/**
 * COMPLETED is a transfer to the recipient or an amount that arrived there, never a word.
 */
export function outcomeOf(shown: Shown): Outcome {
  const by = shown.transactions.length > 0 ? 'transaction' : (shown.arrived ?? 0n) > 0n ? 'amount' : null;
  const isFailure = shown.word === 'failure';
  if (by === null) return { status: isFailure || isAllBack(shown) ? 'FAILED' : null, by, anomalies: [] };
  const odd: ReportedAnomaly[] = [
    ...(isPartBack(shown) ? (['partly_refunded'] as const) : []),
    ...(isShort(shown) ? (['short_output'] as const) : []),
  ];
  return { status: 'COMPLETED', by, anomalies: isFailure ? [...odd, 'contradictory_output'] : odd };
}

function isShort({ arrived, promised }: Shown): boolean {
  return arrived !== null && promised !== null && arrived < promised;
}

/**
 * Without an output. A refund of what was paid in excess, or of dust, is none of the payment; beside an output that is named, only one
 * of nearly everything is: fees may be missing.
 */
function isAllBack({ returned, asked, deposited, isUnfinished }: Shown): boolean {
  const paid = deposited ?? asked;
  if (isUnfinished) return returned !== null && returned * 10n > paid * 9n;
  const [due, excess] = paid < asked ? [paid, 0n] : [asked, paid - asked];
  return returned === null || returned > excess + due / DUST_PARTS;
}

/** A refund of what was paid in excess takes nothing from a whole output. */
function isPartBack(shown: Shown): boolean {
  const { returned, asked, deposited } = shown;
  if (returned === null) return true;
  const isExcess = !isShort(shown) && deposited !== null && deposited > asked;
  return returned > asked / DUST_PARTS + (isExcess ? deposited - asked : 0n);
}

/** The member of a report. */
export function anomaliesOf({ anomalies }: Outcome): { readonly anomalies?: readonly ReportedAnomaly[] } {
  return anomalies.length === 0 ? {} : { anomalies };
}

export function readAnomalies(value: unknown): readonly ReportedAnomaly[] {
  const named: readonly unknown[] = Array.isArray(value) ? value : [];
  return REPORTED_ANOMALIES.filter((anomaly) => named.includes(anomaly));
}
