import { setTimeout as sleep } from 'node:timers/promises';

import { StoreUnavailable } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';

const LOOK_AGAIN_MS = 10;
/** Recording takes milliseconds; the database ends a transaction that hangs for this long. */
const RECORDERS_END_MS = 10_000;

/**
 * Waits for the transactions that record at this moment: they may have left out an endpoint that was just created, and their
 * events are not visible yet. Throws StoreUnavailable.
 */
export async function untilRecordersEnd(queries: Queries): Promise<void> {
  const giveUpAt = performance.now() + RECORDERS_END_MS;
  let recorders = await recordersAmong(queries, null);
  while (recorders.length > 0) {
    if (performance.now() >= giveUpAt) throw new StoreUnavailable();
    await sleep(LOOK_AGAIN_MS);
    recorders = await recordersAmong(queries, recorders);
  }
}

async function recordersAmong(queries: Queries, among: readonly string[] | null): Promise<string[]> {
  return (await queries.query<{ id: string }>(RECORDERS, [among])).map(({ id }) => id);
}

/** The transactions that are writing events. */
const RECORDERS = `
  SELECT l.virtualtransaction AS id FROM pg_locks l
  JOIN pg_database b ON b.oid = l.database AND b.datname = current_database()
  WHERE l.locktype = 'relation' AND l.relation = 'event_entry'::regclass AND l.mode = 'RowExclusiveLock' AND l.granted
    AND ($1::text[] IS NULL OR l.virtualtransaction = ANY ($1))`;
