import type { EventLog, LogHolder } from './event-log.ts';

/** A writing transaction of this age counts as left open: others end within milliseconds. */
const HELD_LONG_MS = 30_000;

/** New events are missing from the log and the streams because a transaction on the server is open. */
export interface LogTrouble {
  readonly heldMs: number;
  /** The transaction that holds the log back; null: this role may not see it. */
  readonly holder: LogHolder | null;
}

/** Null unless the log has been held back for long. */
export async function logTrouble(eventLog: EventLog): Promise<LogTrouble | null> {
  const heldMs = await eventLog.heldForMs();
  return heldMs > HELD_LONG_MS ? { heldMs, holder: await eventLog.holder() } : null;
}

/** `process 1234 (psql) has a transaction open since …, which keeps new events out of /api/events and the streams` */
export function sayHeld({ heldMs, holder }: LogTrouble): string {
  const who =
    holder === null
      ? `a transaction of the PostgreSQL server is open`
      : `${holder.name} has a transaction open since ${holder.since.toISOString()}`;
  return `${who}, which keeps events of the last ${Math.round(heldMs / 1_000)} s out of /api/events and the streams`;
}
