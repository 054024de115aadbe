import type { SeenInputs, SeenTransfer } from '../../domain/proof/output.ts';
import type { Verification, VerificationState } from '../../domain/proof/verification.ts';
import type { ProofClaim } from '../../ports/proofs.ts';

/** A claimed row of payment_proof with the payment's stored fields. */
export interface ProofRow {
  readonly payment_id: string;
  readonly token: string;
  readonly quote_id: string;
  readonly provider: string;
  readonly created_at: Date;
  readonly was_under_way: boolean;
  readonly quote_text: string | null;
  readonly report_text: string | null;
  readonly report_digest: string;
  readonly state: VerificationState;
  readonly verification: string | null;
  readonly proven_by: string | null;
  readonly seen_inputs: string | null;
  readonly lost_to: string | null;
  readonly inspections: number;
  readonly begun_ago_ms: number;
}

export function claimOf(row: ProofRow): ProofClaim {
  return {
    paymentId: row.payment_id,
    token: row.token,
    quoteId: row.quote_id,
    provider: row.provider,
    texts: {
      quoteText: row.quote_text,
      reportText: row.report_text,
      createdAt: row.created_at,
      wasUnderWay: row.was_under_way,
    },
    reportDigest: row.report_digest,
    state: row.state,
    verification: row.verification === null ? null : (JSON.parse(row.verification) as Verification),
    provenBy: readTransfer(row.proven_by),
    seenInputs: row.seen_inputs === null ? [] : (JSON.parse(row.seen_inputs) as SeenInputs[]),
    lostTo: row.lost_to,
    inspections: row.inspections,
    begunAgoMs: row.begun_ago_ms,
  };
}

/** Stores the amount as digits: JSON has no bigint. Leaves out the income, which is needed only for the reservation. */
export function writeTransfer(transfer: SeenTransfer | null): string | null {
  if (transfer === null) return null;
  const { income: _income, amount, ...rest } = transfer;
  return JSON.stringify({ ...rest, amount: amount.toString() });
}

export function readTransfer(text: string | null): SeenTransfer | null {
  if (text === null) return null;
  const stored = JSON.parse(text) as Omit<SeenTransfer, 'amount'> & { readonly amount: string };
  return { ...stored, amount: BigInt(stored.amount) };
}
