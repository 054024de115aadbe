import type { Queries } from '../../ports/queries.ts';

/**
 * Until the transaction ends, no other transaction labels these payments and no new epoch begins. Callers get the lock in the
 * order in which they asked, so that a poll is recorded even while many callers label. Take the lock first: a transaction that
 * waits has no id yet, and ids rank events.
 */
export async function takeLabelTurn(queries: Queries, quoteIds: readonly string[]): Promise<void> {
  await queries.query(JOIN_LOG);
  // All callers take locks in one order, so that no two ever wait for each other.
  await queries.query(TAKE, [quoteIds.toSorted()]);
}

/** Runs as a statement of its own: the next one sees the epoch that holds until the transaction ends. */
export const JOIN_LOG = `SELECT epoch FROM join_log()`;

const TAKE = `
  SELECT pg_advisory_xact_lock(hashtextextended('paybell label ' || quote_id, 0)) FROM unnest($1::text[]) AS quote_id`;
