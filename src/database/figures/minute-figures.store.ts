import { Injectable } from '@nestjs/common';
import { v5 as uuidv5 } from 'uuid';

import type { Counts } from '../../domain/figures/counts.ts';
import { rangesOf, type FigureLength, type TimeRange } from '../../domain/figures/time-ranges.ts';
import {
  MinuteFigures,
  type DestinationSum,
  type FigureBatch,
  type FigurePoint,
  type FigureTarget,
} from '../../ports/minute-figures.ts';
import type { ReplicaState } from '../../ports/replicas.ts';
import type { Removed } from '../../ports/retention.ts';
import { Database } from '../connection/database.ts';

/** The target of the row for all targets together. */
const ALL = '00000000-0000-0000-0000-000000000000';
/** The namespace of the UUIDs for providers, which have only a name. */
const PROVIDER_IDS = '2b0a3a4e-6a0c-4a57-9a3f-2f6d1c6f9b41';
/** A read that takes longer is given up; the dashboard asks for the range again. */
const READ_WITHIN_MS = 10_000;
const WRITE_WITHIN_MS = 5_000;

interface PointRow {
  readonly at_ms: number;
  readonly counts: Counts;
}

/** One row for a minute and one for an hour of each target. Every replica adds to them. */
@Injectable()
export class PostgresMinuteFigures extends MinuteFigures {
  constructor(private readonly database: Database) {
    super();
  }

  async write(replica: ReplicaState, batch: FigureBatch | null): Promise<void> {
    const { id, roles, release, startedAt, providers, settings, troubles, rpcs } = replica;
    const values = [id, roles, release, startedAt, JSON.stringify(providers), batch?.number ?? null];
    const rows = batch === null ? [] : rowsOf(batch);
    const said = [settings, troubles, rpcs].map((each) => JSON.stringify(each));
    const parameters = [...values, batch?.at ?? null, JSON.stringify(rows), ...said];
    await this.database.withDeadlockRetry(() => this.database.query(WRITE, parameters, WRITE_WITHIN_MS));
  }

  async series(
    target: FigureTarget | null,
    range: TimeRange,
    stepMs: number,
    length: FigureLength,
  ): Promise<FigurePoint[]> {
    const { from, to } = range;
    const parameters = [idOf(target), length, new Date(from), new Date(to), stepMs];
    const rows = await this.database.reads.query<PointRow>(SERIES, parameters, READ_WITHIN_MS);
    return rows.map(({ at_ms: atMs, counts }) => ({ at: new Date(atMs), counts }));
  }

  async sum(target: FigureTarget | null, range: TimeRange): Promise<Counts> {
    const parameters = [...rangeParameters(range), idOf(target)];
    const [row] = await this.database.reads.query<{ counts: Counts }>(SUM, parameters, READ_WITHIN_MS);
    return row?.counts ?? {};
  }

  async sumsOfDestinations(range: TimeRange, destinationId: string | null): Promise<DestinationSum[]> {
    const parameters = [...rangeParameters(range), destinationId];
    return this.database.reads.query<DestinationSum>(DESTINATIONS, parameters, READ_WITHIN_MS);
  }

  async removeBefore(before: Date, limit: number): Promise<Removed> {
    const { length: count } = await this.database.query(REMOVE, [before, limit]);
    return { count, isMore: count === limit };
  }
}

function rowsOf({ all, destinations, providers }: FigureBatch): { target: string; counts: Counts }[] {
  const others = [...destinations, ...providers].map(({ counts, ...target }) => ({
    target: idOf(target),
    counts,
  }));
  return [{ target: ALL, counts: all }, ...others];
}

function idOf(target: FigureTarget | null): string {
  if (target === null) return ALL;
  return 'provider' in target ? uuidv5(target.provider, PROVIDER_IDS) : target.destinationId;
}

function rangeParameters(range: TimeRange): unknown[] {
  const ranges = rangesOf(range);
  return [
    ranges.map(({ length }) => length),
    ranges.map(({ from }) => new Date(from)),
    ranges.map(({ to }) => new Date(to)),
  ];
}

/**
 * The row of the replica is the fence: a batch that is written again, after a lost connection, adds nothing. All
 * replicas lock rows in one order.
 */
const WRITE = `
  WITH seen AS (
    INSERT INTO replica_state AS r (id, roles, release, started_at, providers, batch, settings, troubles, rpcs)
    VALUES ($1, $2, $3, $4, $5, coalesce($6::int, 0), $9, $10, $11)
    ON CONFLICT (id) DO UPDATE
    SET providers = excluded.providers, troubles = excluded.troubles, rpcs = excluded.rpcs,
      batch = greatest(r.batch, excluded.batch)
    WHERE $6::int IS NULL OR r.batch < excluded.batch
    RETURNING 1
  )
  INSERT INTO figure AS f (target, length, at, counts)
  SELECT b.target, l.length, date_trunc(l.length::text, $7::timestamptz, 'UTC'), b.counts
  FROM json_to_recordset($8::json) AS b (target uuid, counts jsonb), unnest(enum_range(NULL::figure_length)) AS l (length)
  WHERE EXISTS (SELECT FROM seen)
  ORDER BY b.target, l.length
  ON CONFLICT (target, length, at) DO UPDATE SET counts = add_counts(f.counts, excluded.counts)`;

const SERIES = `
  SELECT step.at_ms, jsonb_object_agg(step.key, step.count) AS counts FROM (
    SELECT floor(extract(epoch FROM f.at) * 1000 / $5)::float8 * $5 AS at_ms, c.key, sum(c.value::bigint) AS count
    FROM figure f CROSS JOIN LATERAL jsonb_each_text(f.counts) c
    WHERE f.target = $1 AND f.length = $2 AND f.at >= $3 AND f.at < $4
    GROUP BY 1, 2
  ) step
  GROUP BY 1 ORDER BY 1`;

/** The sum over the time ranges in the first three parameters. */
function sumOf(target: string): string {
  return `
    SELECT jsonb_object_agg(added.key, added.count) AS counts FROM (
      SELECT c.key, sum(c.value::bigint) AS count
      FROM unnest($1::figure_length[], $2::timestamptz[], $3::timestamptz[]) AS r (length, since, until)
      JOIN figure f ON f.target = ${target} AND f.length = r.length AND f.at >= r.since AND f.at < r.until
      CROSS JOIN LATERAL jsonb_each_text(f.counts) c
      GROUP BY c.key
    ) added`;
}

const SUM = `SELECT coalesce(s.counts, '{}') AS counts FROM (${sumOf('$4::uuid')}) s`;

const DESTINATIONS = `
  SELECT x.id AS "destinationId", x.kind, s.counts
  FROM destination x CROSS JOIN LATERAL (${sumOf('x.id')}) s
  WHERE s.counts IS NOT NULL AND ($4::uuid IS NULL OR x.id = $4)`;

const REMOVE = `
  DELETE FROM figure WHERE ctid = ANY (ARRAY(SELECT ctid FROM figure WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE))
  RETURNING 1`;
