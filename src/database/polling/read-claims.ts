import type { Queries } from '../../ports/queries.ts';
import type { Claim, DueClaim } from '../../ports/schedule.ts';
import { FINAL } from '../payments/final.ts';
import { paymentOf, type PaymentRow, SELECTED_COLUMNS } from '../payments/payment-row.ts';
import { type ProofColumns, verificationOf } from '../payments/stored-payment.ts';

type ClaimedRow = PaymentRow & ProofColumns & { readonly completed_report: string | null };

/** Reads the payments of the claims as they are stored now; drops claims whose payment was removed. */
export async function readClaims(queries: Queries, claims: readonly DueClaim[]): Promise<Claim[]> {
  if (claims.length === 0) return [];
  const read = await queries.query<ClaimedRow>(READ_PAYMENTS, [claims.map((claim) => claim.paymentId)]);
  const rows = new Map(read.map((row) => [row.id, row]));
  return claims.flatMap((claim) => {
    const row = rows.get(claim.paymentId);
    return row === undefined
      ? []
      : [
          {
            ...claim,
            payment: paymentOf(row),
            completedReport: row.completed_report,
            verification: verificationOf(row),
          },
        ];
  });
}

/** Once a payment has completed, no rule needs the long text of its proof. */
const READ_PAYMENTS = `
  SELECT ${SELECTED_COLUMNS}, CASE WHEN p.status IN (${FINAL})
    THEN (SELECT r.body FROM payment_report r WHERE r.payment_id = p.id) END AS completed_report,
    f.state AS proof_state, CASE WHEN p.status NOT IN (${FINAL}) THEN f.verification END AS verification
  FROM payment p LEFT JOIN payment_proof f ON f.payment_id = p.id WHERE p.id = ANY ($1::bigint[])`;
