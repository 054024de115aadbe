import { setTimeout as sleep } from 'node:timers/promises';

import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';

import { StoreUnavailable } from '../../ports/payments.ts';
import type { Queries } from '../../ports/queries.ts';
import {
  Replays,
  ReplayRunning,
  type EventReplay,
  type MissedEvents,
  type ReplayState,
} from '../../ports/replays.ts';
import { Database } from '../connection/database.ts';
import { unsentSince } from './pending-of-endpoints.ts';
import { untilRecordersEnd } from './until-recorders-end.ts';

interface ReplayRow {
  readonly id: string;
  readonly destination_id: string;
  readonly since: Date;
  readonly state: ReplayState;
  readonly event_count: number;
  readonly is_exact: boolean;
  readonly done: number;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

interface CountRow {
  readonly event_count: number;
  readonly read_to: string | null;
  readonly read_position: string;
}

/** The most events that one transaction reads, locks and writes: payments wait for its locks. */
const READ_AT_ONCE = 2_000;
const REPLAYED_AT_ONCE = 500;
const POLL_AGAIN_MS = 10;
const START_ENDS_MS = 30_000;
/** How many events are counted before a replay begins: counting months of them takes minutes. */
const COUNTED_AT_ONCE = 10_000;
/** The time limit for counting the events of a dry run. */
const COUNT_ENDS_MS = 15_000;

/** Replays in PostgreSQL; functions/work_off_replay.sql does one batch. */
@Injectable()
export class PostgresReplays extends Replays {
  constructor(private readonly database: Database) {
    super();
  }

  async count(endpointId: string, since: Date): Promise<MissedEvents> {
    const giveUpAt = performance.now() + COUNT_ENDS_MS;
    let from: Date | string | null = since;
    let after = '0';
    let count = 0;
    while (from !== null && performance.now() < giveUpAt) {
      const [row]: CountRow[] = await this.database.reads.query<CountRow>(COUNT, [endpointId, from, after]);
      count += row?.event_count ?? 0;
      from = row?.read_to ?? null;
      after = row?.read_position ?? after;
    }
    return { count, exact: from === null };
  }

  async start(endpointId: string, since: Date | null): Promise<EventReplay | null> {
    await untilRecordersEnd(this.database);
    const row = await this.startAlone(endpointId, since);
    if (row?.state === 'done') await this.database.query(PROBE_NOW, [endpointId]);
    return row === undefined ? null : replayOf(row);
  }

  async list(endpointId: string, limit: number): Promise<EventReplay[]> {
    return (await this.database.reads.query<ReplayRow>(LIST, [endpointId, limit])).map(replayOf);
  }

  find(endpointId: string, id: string): Promise<EventReplay | null> {
    return findReplay(this.database.looks, endpointId, id);
  }

  async cancel(endpointId: string, id: string): Promise<EventReplay | null> {
    await this.database.withDeadlockRetry(() => this.database.query(CANCEL, [endpointId, id]));
    return findReplay(this.database, endpointId, id);
  }

  runBatch(): Promise<number | null> {
    return this.database.withDeadlockRetry(async () => {
      const [row] = await this.database.query<{ replayed: number | null }>(WORK_OFF, [
        READ_AT_ONCE,
        REPLAYED_AT_ONCE,
      ]);
      return row?.replayed ?? null;
    });
  }

  async removeEnded(before: Date): Promise<number> {
    return (await this.database.query(FORGET, [before])).length;
  }

  /** Other callers wait without a connection, and then see the replay that the first caller started. */
  private async startAlone(endpointId: string, since: Date | null): Promise<ReplayRow | undefined> {
    const giveUpAt = performance.now() + START_ENDS_MS;
    while (performance.now() < giveUpAt) {
      if (since !== null) await this.refuseSecond(endpointId);
      const started = await this.database.transaction(async (queries) => {
        const [lock] = await queries.query<{ taken: boolean }>(LOCK_ENDPOINT, [endpointId]);
        if (lock?.taken !== true) return null;
        if (since !== null) await this.refuseSecond(endpointId, queries);
        const extended = since === null ? await queries.query<ReplayRow>(EXTEND, [endpointId]) : [];
        if (extended.length > 0) return extended;
        return queries.query<ReplayRow>(START, [endpointId, since, uuidv7()]);
      });
      if (started !== null) return started[0];
      await sleep(POLL_AGAIN_MS);
    }
    throw new StoreUnavailable();
  }

  private async refuseSecond(endpointId: string, queries: Queries = this.database): Promise<void> {
    const [running] = await queries.query<{ id: string }>(RUNNING, [endpointId]);
    if (running !== undefined) throw new ReplayRunning(running.id);
  }
}

async function findReplay(queries: Queries, endpointId: string, id: string): Promise<EventReplay | null> {
  const [row] = await queries.query<ReplayRow>(FIND, [endpointId, id]);
  return row === undefined ? null : replayOf(row);
}

function replayOf(row: ReplayRow): EventReplay {
  return {
    id: row.id,
    endpointId: row.destination_id,
    since: row.since,
    state: row.state,
    count: row.event_count,
    exact: row.is_exact,
    done: row.done,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

const COLUMNS = `id, destination_id, since, state, event_count, is_exact, done, created_at, finished_at`;
/** The time is text: a Date has no microseconds. */
const COUNT = `
  SELECT event_count, read_to::text, read_position FROM missed_events($1, $2::timestamptz, $3, ${COUNTED_AT_ONCE})`;
/** Across all replicas, only one call at a time starts a replay for an endpoint. */
const LOCK_ENDPOINT = `SELECT pg_try_advisory_xact_lock(hashtextextended('paybell replay ' || $1::text, 0)) AS taken`;
const RUNNING = `SELECT id FROM event_replay WHERE destination_id = $1 AND state = 'running' ORDER BY id LIMIT 1`;
/** Leaves out events that are recorded after this statement began: they are delivered to the endpoint anyway. */
const START = `
  INSERT INTO event_replay
    (id, destination_id, since, state, event_count, is_exact, cursor_position, until_position, finished_at)
  SELECT $3, $1, asked.since, CASE WHEN first_position IS NULL THEN 'done' ELSE 'running' END, event_count, read_to IS NULL,
    coalesce(first_position - 1, 0), coalesce(last_position, 0), CASE WHEN first_position IS NULL THEN now() END
  FROM coalesce($2::timestamptz, (${unsentSince('$1::uuid')}), now()) AS asked (since),
    missed_events($1, asked.since, 0, ${COUNTED_AT_ONCE})
  RETURNING ${COLUMNS}`;
/**
 * Makes a running replay send the unsent events too; the number of all events is known at its end. Waits for a batch that
 * holds the row.
 */
const EXTEND = `
  UPDATE event_replay r SET since = least(r.since, asked.since), event_count = greatest(r.event_count, m.event_count),
    is_exact = r.is_exact AND m.event_count = 0 AND m.read_to IS NULL, cursor_position = least(r.cursor_position, m.first_position - 1),
    until_position = greatest(r.until_position, m.last_position)
  FROM (SELECT coalesce((${unsentSince('$1::uuid')}), now()) AS since) asked, missed_events($1, asked.since, 0, ${COUNTED_AT_ONCE}) m
  WHERE r.destination_id = $1 AND r.state = 'running'
  RETURNING r.*`;
/** Makes the probe due now when there is nothing to replay; otherwise the first batch does so. */
const PROBE_NOW = `UPDATE endpoint_circuit SET probe_at = now(), probed_at = NULL WHERE destination_id = $1 AND state = 'open'`;
const LIST = `
  SELECT ${COLUMNS} FROM event_replay WHERE destination_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2`;
const FIND = `SELECT ${COLUMNS} FROM event_replay WHERE destination_id = $1 AND id = $2`;
/**
 * Waits for a batch that holds the row: the batch's function would overwrite the state with the one that it has read.
 */
const CANCEL = `
  UPDATE event_replay SET state = 'stopped', finished_at = clock_timestamp()
  WHERE destination_id = $1 AND id = $2 AND state = 'running'`;
const WORK_OFF = `SELECT work_off_replay($1, $2) AS replayed`;
const FORGET = `DELETE FROM event_replay WHERE finished_at < $1 RETURNING 1`;
