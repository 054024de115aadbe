import type { Database } from '../connection/database.ts';

/** The most deliveries that one transaction reads, and removes. */
const READ_AT_ONCE = 2_000;
const ENDS_MS = 5_000;

/** Deliveries in these states count as untold: see domain/event/told.ts. */
const UNTOLD_STATES = ['pending', 'failed', 'discarded'];

/**
 * Removes the deliveries of event types that the webhook endpoint `id` no longer wants, and returns the number of events. Ends
 * after five seconds: housekeeping removes the rest.
 */
export async function forgetUnwanted(database: Database, id: string): Promise<number> {
  const giveUpAt = performance.now() + ENDS_MS;
  let removed = 0;
  for (const state of UNTOLD_STATES) {
    let after: string | null = '0';
    while (after !== null && performance.now() < giveUpAt) {
      const [row] = await database.withDeadlockRetry(() =>
        database.query<ForgetRow>(FORGET, [id, state, after, READ_AT_ONCE]),
      );
      removed += row?.removed ?? 0;
      after = row?.read_to ?? null;
    }
  }
  return removed;
}

interface ForgetRow {
  readonly removed: number;
  readonly read_to: string | null;
}

const FORGET = `SELECT removed, read_to FROM forget_unwanted($1, $2, $3, $4)`;
