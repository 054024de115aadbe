import type { ClientBase } from 'pg';

/** The server ends a statement, or a transaction left open, after this time. */
export const STATEMENT_TIMEOUT_MS = 20_000;

const ISOLATED = 'ISOLATION LEVEL READ COMMITTED';

/**
 * Begins a transaction on a connection that may be a pooler's: it refuses the settings at the start of a connection, and
 * would hand them to its other clients when they are set on one. The client does not cancel instead: PostgreSQL answers a
 * commit that is cancelled while it waits for a standby as done.
 */
const BOUNDED_BEGIN = `BEGIN ${ISOLATED}; SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`;

/** The connections that are the server's own, and have the limits for as long as they last. */
const bounded = new WeakSet<object>();

/** A client of the driver, which does not declare the process that the server named at the start. */
type Started = ClientBase & { readonly processID?: number | null };

/** Sets the limits once for a connection that is the server's own: a pooler names a process of its own making. */
export async function boundOnce(client: Started): Promise<void> {
  const { rows } = await client.query(SET_ONCE, [client.processID ?? 0, String(STATEMENT_TIMEOUT_MS)]);
  if (rows.length > 0) bounded.add(client);
}

/** Each statement on it is bounded, and a transaction by itself. */
export function isBounded(client: object): boolean {
  return bounded.has(client);
}

export function beginOn(client: object): string {
  return isBounded(client) ? `BEGIN ${ISOLATED}` : BOUNDED_BEGIN;
}

const SET_ONCE = `
  SELECT set_config('statement_timeout', $2, false), set_config('idle_in_transaction_session_timeout', $2, false),
    set_config('default_transaction_isolation', 'read committed', false)
  WHERE pg_backend_pid() = $1::int`;
