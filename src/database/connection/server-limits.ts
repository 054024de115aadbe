import type { ClientBase } from 'pg';

import { WritesGuarded } from './connection-errors.ts';
import { type Limits, settingQuery } from './session-settings.ts';

/** The server ends a statement, or a transaction left open, after this time. */
export const STATEMENT_TIMEOUT_MS = 20_000;

const LIMIT = `${STATEMENT_TIMEOUT_MS / 1_000}s`;

/** DATABASE_READ_WRITE: `respect` leaves `default_transaction_read_only` as the server, database or role has it. */
export type Writes = 'respect' | 'force';
export const LIMITS = withWrites({ statement_timeout: LIMIT, idle_in_transaction_session_timeout: LIMIT });

/** A table that grew for years takes longer than any other statement may. */
export const MIGRATION_LIMITS = withWrites({
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '20s',
});

function withWrites(limits: Limits): Readonly<Record<Writes, Limits>> {
  return { respect: limits, force: { ...limits, default_transaction_read_only: 'off' } };
}

const ISOLATED = 'ISOLATION LEVEL READ COMMITTED';

/**
 * Begins a transaction on a connection that may be a pooler's: it refuses the settings at the start of a connection, and
 * would hand them to its other clients when they are set on one. The client does not cancel instead: PostgreSQL answers a
 * commit that is cancelled while it waits for a standby as done.
 */
const BOUNDED_BEGIN = `BEGIN ${ISOLATED}; ${settingQuery(LIMITS.respect, 'transaction')}`;
const FORCED_BEGIN = `BEGIN ${ISOLATED} READ WRITE; ${settingQuery(LIMITS.force, 'transaction')}`;

/** The connections that are the server's own, and have the settings for as long as they last. */
const bounded = new WeakSet<object>();
/** The connections on which `default_transaction_read_only` counts for nothing. */
const forced = new WeakSet<object>();

/** The server's process behind a connection that is its own. */
export interface Backend {
  readonly pid: number;
  /** Microseconds since 1970. With them, a process that the system gave the same number is another one. */
  readonly startedUs: string;
}

const backends = new WeakMap<object, Backend>();

/** A client of the driver, which does not declare the process that the server named at the start. */
type Started = ClientBase & { readonly processID?: number | null };

/**
 * Makes the settings once for a connection that is the server's own: a pooler names a process of its own making. Throws
 * WritesGuarded where the session would write nothing.
 */
export async function setOnce(client: Started, limits: Limits): Promise<void> {
  const processId = client.processID ?? 0;
  const { rows } = await client.query<Session>(SET_ONCE(limits), [processId]);
  const isForced = limits.default_transaction_read_only === 'off';
  if (isForced) forced.add(client);
  else if (rows[0]?.is_guarded === true) throw new WritesGuarded();
  const { is_own: isOwn = false, started_us: startedUs = null } = rows[0] ?? {};
  if (isOwn && startedUs !== null) backends.set(client, { pid: processId, startedUs });
  if (isOwn && limits.statement_timeout === LIMIT) bounded.add(client);
}

/** Undefined behind a pooler. */
export function backendOf(client: object): Backend | undefined {
  return backends.get(client);
}

/** Each statement on it is bounded, and a transaction by itself. */
export function isBounded(client: object): boolean {
  return bounded.has(client);
}

export function beginOn(client: object): string {
  if (isBounded(client)) return `BEGIN ${ISOLATED}`;
  return forced.has(client) ? FORCED_BEGIN : BOUNDED_BEGIN;
}

const IS_OWN = 'pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.=) $1::int';

interface Session {
  readonly is_own: boolean;
  readonly is_guarded: boolean;
  readonly started_us: string | null;
}

const SET_ONCE = (limits: Limits): string => `
  WITH made AS MATERIALIZED (${settingQuery(limits, 'session', IS_OWN)})
  SELECT ${IS_OWN} AS is_own, (SELECT pg_catalog.count(value) FROM made) AS settings,
    pg_catalog.current_setting('default_transaction_read_only')::pg_catalog.bool AS is_guarded, (
      SELECT (pg_catalog.date_part('epoch', a.backend_start) OPERATOR(pg_catalog.*) 1000000)::bigint
      FROM pg_catalog.pg_stat_activity a WHERE a.pid OPERATOR(pg_catalog.=) $1::int) AS started_us`;
