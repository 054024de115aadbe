import type { Queries } from '../../ports/queries.ts';

/** An inspection that began within this time may still be running, and its result is recent. */
const RECENT_MS = 5_000;

/** Makes the witness inspect a payment's output and its deposit now, even after it had given up. */
export async function inspectNow(queries: Queries, quoteId: string): Promise<void> {
  await queries.query(INSPECT_NOW, [quoteId, RECENT_MS]);
}

/** The token of a claim is the time of the claim. */
const IS_NOT_RECENT = `token < ((extract(epoch FROM clock_timestamp()) * 1000 - $2::float8) * 1000)::bigint`;

const INSPECT_NOW = `
  WITH asked AS (SELECT id FROM payment WHERE quote_id = $1), deposit AS (
    UPDATE deposit_watch SET due_at = now()
    WHERE payment_id = (SELECT id FROM asked) AND due_at > now() AND ${IS_NOT_RECENT}
  )
  UPDATE payment_proof SET due_at = now()
  WHERE payment_id = (SELECT id FROM asked) AND ${IS_NOT_RECENT}
    AND (due_at > now() OR (due_at IS NULL AND state <> 'proven'))`;
