import type { ClientBase } from 'pg';

import type { Backend } from './server-limits.ts';

/** How far the times of the server and the client may differ. */
const SLACK_MS = 1_000;

/** A session of our database user, as the server sees it. */
interface Session {
  readonly pid: number;
  readonly started_us: string;
  /** Whether the server has waited for this client, to read from it or to write to it, for at least a second. */
  readonly waits_for_client: boolean;
  /** How long the session's present statement has run; null while the server waits for this client. */
  readonly running_ms: number | null;
}

/** The server's sessions of our database user, read through another connection. */
export class ServerSessions {
  private constructor(private readonly all: readonly Session[]) {}

  static async read(client: ClientBase): Promise<ServerSessions> {
    return new ServerSessions((await client.query<Session>(SESSIONS)).rows);
  }

  /**
   * Whether the server works on a client's statement. Behind a pooler the backend is unknown: then any statement that
   * has run for `leastMs`, the shortest time that this one can have run, may be the client's.
   */
  isAtWork(backend: Backend | undefined, leastMs: number): boolean {
    if (backend === undefined)
      return this.all.some(({ running_ms: ms }) => ms !== null && ms + SLACK_MS >= leastMs);
    const own = this.all.find(({ pid, started_us: us }) => pid === backend.pid && us === backend.startedUs);
    return own !== undefined && !own.waits_for_client;
  }
}

/** Ends those backends that wait for their clients, which releases the locks of their transactions. */
export async function endSessions(client: ClientBase, backends: readonly Backend[]): Promise<void> {
  const pids = backends.map(({ pid }) => pid);
  await client.query(END_SESSIONS, [pids, backends.map(({ startedUs }) => startedUs)]);
}

const STARTED_US = `(date_part('epoch', a.backend_start) * 1000000)::bigint`;

const WAITS_FOR_CLIENT = `(a.wait_event_type IS NOT DISTINCT FROM 'Client'
  AND coalesce(a.state_change < clock_timestamp() - interval '1 second', true))`;

const SESSIONS = `
  SELECT a.pid, ${STARTED_US} AS started_us, ${WAITS_FOR_CLIENT} AS waits_for_client,
    CASE WHEN a.wait_event_type IS DISTINCT FROM 'Client'
      THEN date_part('epoch', clock_timestamp() - a.query_start) * 1000 END AS running_ms
  FROM pg_stat_activity a WHERE a.usename = session_user AND a.pid <> pg_backend_pid()`;

const END_SESSIONS = `
  SELECT pg_terminate_backend(a.pid)
  FROM pg_stat_activity a JOIN unnest($1::int[], $2::bigint[]) AS silent (pid, started_us)
    ON a.pid = silent.pid AND ${STARTED_US} = silent.started_us
  WHERE ${WAITS_FOR_CLIENT}`;
