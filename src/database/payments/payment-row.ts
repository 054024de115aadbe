import type { Payment, StallReason, Tracking } from '../../domain/payment/payment.ts';
import type { PartDigests } from '../../domain/payment/report.ts';
import type { Status } from '../../domain/payment/status.ts';

/** A row of `payment` as the driver reads it. */
export interface PaymentRow {
  readonly id: string;
  readonly quote_id: string;
  readonly order_id: string | null;
  readonly metadata: string | null;
  readonly status: Status;
  readonly late: boolean;
  readonly sequence: number;
  readonly tracking: Tracking;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly expected_ms: number | null;
  readonly progress_at: Date;
  readonly ended_at: Date | null;
  readonly part_digests: string;
  readonly report_digest: string;
  readonly stalls: StallReason[];
  readonly contradictions: string[];
}

/** The columns of PaymentRow, for a table or alias `p`. */
export const PAYMENT_COLUMNS = `p.id, p.quote_id, p.order_id, p.metadata, p.status, p.late, p.sequence, p.tracking,
  p.created_at, p.expires_at, p.expected_ms, p.progress_at, p.ended_at, p.part_digests, p.report_digest, p.stalls,
  p.contradictions`;

export function paymentOf(row: PaymentRow): Payment {
  return {
    quoteId: row.quote_id,
    orderId: row.order_id,
    metadata: metadataOf(row.metadata),
    status: row.status,
    late: row.late,
    sequence: row.sequence,
    tracking: row.tracking,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    expectedMs: row.expected_ms,
    progressAt: row.progress_at,
    endedAt: row.ended_at,
    partDigests: readPartDigests(row.part_digests),
    reportDigest: row.report_digest,
    stalls: row.stalls,
    contradictions: row.contradictions,
  };
}

export function metadataOf(text: string | null): Record<string, string> | null {
  return text === null ? null : (JSON.parse(text) as Record<string, string>);
}

/** PartDigests are base64, so that a bar never occurs in one. */
export function writePartDigests(digests: PartDigests): string {
  return [digests.deposit, digests.gas, digests.execution, digests.error].join('|');
}

function readPartDigests(text: string): PartDigests {
  const [deposit = '', gas = '', execution = '', error = ''] = text.split('|');
  return { deposit, gas, execution, error };
}
