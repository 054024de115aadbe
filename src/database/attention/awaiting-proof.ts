import { isFinal, STATUSES } from '../../domain/payment/status.ts';
import { UNRESOLVED } from '../deliveries/bounded-reading.ts';

const ENDED = STATUSES.filter(isFinal)
  .map((status) => `'${status}'`)
  .join();

/** Whether payment `p` is withheld though the chain has not answered about its proof `f`. */
const IS_WITHHELD_UNVERIFIED = `(f.state = 'unverified' AND p.status NOT IN (${ENDED}) AND f.report_digest = p.report_digest)`;

/**
 * Pending proofs `f` of payments `p`, and withheld payments whose proof did not come in time. Payments that a person has resolved
 * wait for nothing.
 */
export const AWAITING_PROOF = `payment_proof f JOIN payment p ON p.id = f.payment_id
  WHERE f.due_at IS NOT NULL AND ${UNRESOLVED}
    AND (f.state = 'pending' OR ${IS_WITHHELD_UNVERIFIED})`;

/** The ids of the payments that wait for a proof on one of the chains $1. */
export const LIST_AWAITING_PROOF = `
  SELECT p.id::text FROM ${AWAITING_PROOF} AND f.verification::json ->> 'chainId' = ANY ($1::text[])`;
