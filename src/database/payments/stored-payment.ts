import { isWithheld, saysCompleted, shownReport } from '../../domain/payment/shown-report.ts';
import { PENDING, type Verification } from '../../domain/proof/verification.ts';
import type { StoredPayment } from '../../ports/payments.ts';
import { metadataOf, resolutionOf, type PaymentRow } from './payment-row.ts';

type SharedColumn =
  | 'id'
  | 'quote_id'
  | 'provider'
  | 'order_id'
  | 'metadata'
  | 'status'
  | 'late'
  | 'sequence'
  | 'tracking'
  | 'stalls'
  | 'created_at'
  | 'expires_at'
  | 'resolution'
  | 'match';

/** A payment with its quote and report, as SELECT_STORED reads it. */
export interface StoredRow extends Pick<PaymentRow, SharedColumn>, ProofColumns {
  readonly updated_at: Date;
  readonly last_polled_at: Date | null;
  readonly next_poll_at: Date | null;
  readonly quote_text: string | null;
  readonly report_text: string | null;
  readonly reported_at: Date | null;
}

/** Columns of payment_proof, null for a payment without a proof. `verification` is null until the first inspection. */
export interface ProofColumns {
  readonly proof_state: Verification['state'] | null;
  readonly verification: string | null;
}

/** The fields that add_payments is given, as far as StoredPayment has them. */
export interface NewRow extends Omit<Pick<PaymentRow, SharedColumn | 'report_digest'>, 'id'> {
  readonly polled_at: Date | null;
  readonly quote: string | null;
  readonly report: string | null;
}

/** A payment that was stored at `now`, as SELECT_STORED reads it. */
export function storedNew(row: NewRow, nextPollAt: Date | null, now: Date): StoredPayment {
  return storedOf({
    ...row,
    updated_at: now,
    last_polled_at: row.polled_at ?? (row.tracking === 'closed' ? now : null),
    next_poll_at: nextPollAt,
    quote_text: row.quote,
    report_text: row.report,
    reported_at: row.report === null ? null : now,
    proof_state: row.report !== null && isWithheld(row.report, row.status) ? 'pending' : null,
    verification: null,
  });
}

export function storedOf(row: Omit<StoredRow, 'id'>): StoredPayment {
  const reportText = row.report_text;
  // A later report may have taken back the completion that the chain was asked about.
  const isToProve = reportText !== null && row.proof_state !== null && saysCompleted(reportText);
  const verification = isToProve ? verificationOf(row) : null;
  return {
    quoteId: row.quote_id,
    provider: row.provider,
    orderId: row.order_id,
    metadata: metadataOf(row.metadata),
    status: row.status,
    late: row.late,
    sequence: row.sequence,
    tracking: row.tracking,
    stalls: row.stalls,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    updatedAt: row.updated_at,
    lastPolledAt: row.last_polled_at,
    nextPollAt: row.next_poll_at,
    quoteText: row.quote_text,
    // Hides a completion that waits for its proof.
    reportText:
      verification === null || reportText === null ? reportText : shownReport(reportText, row.status),
    reportedAt: row.reported_at,
    match: row.match,
    resolution: resolutionOf(row.resolution),
    verification,
  };
}

export function verificationOf({ proof_state: state, verification }: ProofColumns): Verification | null {
  if (state === null) return null;
  return { ...PENDING, ...(verification === null ? {} : (JSON.parse(verification) as Verification)), state };
}

/** While the provider answers, the stored report was confirmed at the last poll; after silence, at the last answered poll. */
export const SELECT_STORED = `
  SELECT p.id, p.quote_id, p.provider, p.order_id, p.metadata, p.status, p.late, p.sequence, p.tracking, p.stalls,
    p.created_at, p.expires_at, p.updated_at, p.resolution, p.match, coalesce(s.polled_at, p.last_polled_at) AS last_polled_at,
    CASE WHEN p.tracking <> 'closed' THEN s.due_at END AS next_poll_at,
    q.body AS quote_text, r.body AS report_text, f.state AS proof_state, f.verification,
    greatest(r.reported_at, CASE WHEN r.body IS NULL THEN NULL
      WHEN s.payment_id IS NULL THEN p.last_polled_at
      WHEN s.silent_since IS NULL THEN s.polled_at
      ELSE s.answered_at END) AS reported_at
  FROM payment p
  LEFT JOIN payment_schedule s ON s.payment_id = p.id
  LEFT JOIN payment_quote q ON q.payment_id = p.id
  LEFT JOIN payment_report r ON r.payment_id = p.id
  LEFT JOIN payment_proof f ON f.payment_id = p.id`;
