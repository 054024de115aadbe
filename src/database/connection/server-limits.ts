import type { ClientBase } from 'pg';

import { WritesGuarded } from './connection-errors.ts';
import { type Limits, settingQuery } from './session-settings.ts';

/** The server ends a statement, or a transaction left open, after this time. */
export const STATEMENT_TIMEOUT_MS = 20_000;

const LIMIT = `${STATEMENT_TIMEOUT_MS / 1_000}s`;

/**
 * The setting DATABASE_READ_WRITE: `respect` leaves `default_transaction_read_only` as the server, database or role has
 * it.
 */
export type Writes = 'respect' | 'force';
export const LIMITS = withWrites({ statement_timeout: LIMIT, idle_in_transaction_session_timeout: LIMIT });

/** Without a limit for a statement: changing a large table takes longer than any other statement. */
export const MIGRATION_LIMITS = withWrites({
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '20s',
});

function withWrites(limits: Limits): Readonly<Record<Writes, Limits>> {
  return { respect: limits, force: { ...limits, default_transaction_read_only: 'off' } };
}

const ISOLATED = 'ISOLATION LEVEL READ COMMITTED';

/**
 * Begins a transaction on a connection that may lead through a pooler. A pooler refuses these settings at the start of
 * a connection, and would hand settings of a session on to its other clients. A time-out of the client with a cancel
 * request is no replacement: PostgreSQL reports a commit that is cancelled while it waits for a standby as done.
 */
const BOUNDED_BEGIN = `BEGIN ${ISOLATED}; ${settingQuery(LIMITS.respect, 'transaction')}`;
const FORCED_BEGIN = `BEGIN ${ISOLATED} READ WRITE; ${settingQuery(LIMITS.force, 'transaction')}`;

/** The direct connections, which keep the settings until they close. */
const bounded = new WeakSet<object>();
/** The connections whose sessions write although `default_transaction_read_only` is on. */
const forced = new WeakSet<object>();

/** The server process behind a direct connection. */
export interface Backend {
  readonly pid: number;
  /** Microseconds since 1970. The start time tells a process from a later one with the same number. */
  readonly startedUs: string;
}

const backends = new WeakMap<object, Backend>();

/** The part of the driver's client that its types leave out: the process id that the server sent at the start. */
type Started = ClientBase & { readonly processID?: number | null };

/**
 * Makes the settings once on a direct connection, recognised by the process id: a pooler names a process that the server does
 * not have. Throws WritesGuarded if the session could not write.
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

/** Whether the server bounds each statement on this connection without settings in the transaction. */
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
