import type { Queries } from '../../ports/queries.ts';

/**
 * Until the transaction ends nobody else labels these payments, and whoever asks next comes next: however many label, a look
 * has its turn. To be taken first: it waits without an id of a transaction, so that what is read afterwards may be followed
 * by an event.
 */
export async function takeLabelTurn(queries: Queries, quoteIds: readonly string[]): Promise<void> {
  // In one order, so that no two ever wait for each other.
  await queries.query(TAKE, [quoteIds.toSorted()]);
}

const TAKE = `
  SELECT pg_advisory_xact_lock(hashtextextended('paybell label ' || quote_id, 0)) FROM unnest($1::text[]) AS quote_id`;
