import type { Status } from './status.ts';

/** Anomalies that a report shows, in the order in which they are reported; they do not change the status. */
export const REPORTED_ANOMALIES = [
  'other_token_received',
  'underpaid',
  'overpaid',
  'partly_refunded',
  'short_output',
  'contradictory_output',
] as const;

export type ReportedAnomaly = (typeof REPORTED_ANOMALIES)[number];

/** The cause of a completion: a transfer to the recipient, an amount that arrived, or only the provider's word. */
export const COMPLETED_BY = ['transaction', 'amount', 'word'] as const;

export type CompletedBy = (typeof COMPLETED_BY)[number];

/** The facts in a report besides its final status. Amounts are in the smallest unit. */
export interface OutcomeFacts {
  /** The provider's word: delivered, or failed. */
  readonly word: 'success' | 'failure';
  /** The hashes of the transfers to the recipient. */
  readonly transactions: readonly string[];
  /** The amount that the recipient got; null: not stated. */
  readonly arrived: bigint | null;
  /** The least amount that counts as complete, the quote's `receive.minimumAmount`; null: not known. */
  readonly promised: bigint | null;
  /** The amount that went back to the payer; 0: nothing, null: an amount that is not stated. */
  readonly returned: bigint | null;
  /** The requested and the deposited amount; null: not stated. */
  readonly asked: bigint;
  readonly deposited: bigint | null;
  /** The report names an output, but not yet its transfer and amount: the payment has not ended. */
  readonly isUnfinished: boolean;
}

export interface Outcome {
  /** Null: only the provider's word is there, which proves nothing. */
  readonly status: Extract<Status, 'COMPLETED' | 'FAILED'> | null;
  readonly by: Exclude<CompletedBy, 'word'> | null;
  readonly anomalies: readonly ReportedAnomaly[];
}

/** A success without any further fact. */
export const NOTHING_SHOWN: OutcomeFacts = {
  word: 'success',
  transactions: [],
  arrived: null,
  promised: null,
  returned: 0n,
  asked: 0n,
  deposited: null,
  isUnfinished: false,
};

/** A refund of less than 1/DUST_PARTS of the requested amount is a remainder of rounding. */
const DUST_PARTS = 100n;

/** COMPLETED needs a transfer to the recipient or an amount that arrived there, never the provider's word alone. */
export function outcomeOf(shown: OutcomeFacts): Outcome {
  const by = shown.transactions.length > 0 ? 'transaction' : (shown.arrived ?? 0n) > 0n ? 'amount' : null;
  const isFailure = shown.word === 'failure';
  if (by === null) return { status: isFailure || isAllBack(shown) ? 'FAILED' : null, by, anomalies: [] };
  const odd: ReportedAnomaly[] = [
    ...(isPartBack(shown) ? (['partly_refunded'] as const) : []),
    ...(isShort(shown) ? (['short_output'] as const) : []),
  ];
  return { status: 'COMPLETED', by, anomalies: isFailure ? [...odd, 'contradictory_output'] : odd };
}

function isShort({ arrived, promised }: OutcomeFacts): boolean {
  return arrived !== null && promised !== null && arrived < promised;
}

/**
 * Whether the whole payment went back. Without an output: a refund of an excess or of dust does not count. Beside a named
 * output, only a refund of nearly everything counts: fees may be missing.
 */
function isAllBack({ returned, asked, deposited, isUnfinished }: OutcomeFacts): boolean {
  const paid = deposited ?? asked;
  if (isUnfinished) return returned !== null && returned * 10n > paid * 9n;
  const [due, excess] = paid < asked ? [paid, 0n] : [asked, paid - asked];
  return returned === null || returned > excess + due / DUST_PARTS;
}

/** A refund of an excess takes nothing from a complete output. */
function isPartBack(shown: OutcomeFacts): boolean {
  const { returned, asked, deposited } = shown;
  if (returned === null) return true;
  const isExcess = !isShort(shown) && deposited !== null && deposited > asked;
  return returned > asked / DUST_PARTS + (isExcess ? deposited - asked : 0n);
}

/** The report's member `anomalies`. */
export function anomaliesOf({ anomalies }: Outcome): { readonly anomalies?: readonly ReportedAnomaly[] } {
  return anomalies.length === 0 ? {} : { anomalies };
}

export function readAnomalies(value: unknown): readonly ReportedAnomaly[] {
  const named: readonly unknown[] = Array.isArray(value) ? value : [];
  return REPORTED_ANOMALIES.filter((anomaly) => named.includes(anomaly));
}
