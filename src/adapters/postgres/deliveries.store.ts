import { Injectable } from '@nestjs/common';

import type { EventType } from '../../domain/event.ts';
import {
  Deliveries,
  type NextDue,
  type OwedDelivery,
  type Settlement,
  type Slots,
  type TargetChange,
} from '../../ports/deliveries.ts';
import { Database } from './database.ts';
import { DeliveryMarks } from './delivery-marks.ts';
import { settleDeliveries } from './settle-deliveries.ts';

interface OwedRow {
  readonly id: string;
  readonly token: string;
  readonly destination_id: string;
  readonly quote_id: string;
  readonly order_id: string | null;
  readonly event_id: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly time: Date;
  readonly body: string;
  readonly attempts: number;
  readonly retries: number;
  readonly failing_ms: number;
  readonly now_ms: number;
}

/** Claimed at once, in all: a larger claim would keep the first of it waiting. */
const MAX_CLAIMED = 100;
const BROUGHT_AT_ONCE = 1_000;

/** What is owed to whom, in PostgreSQL: only the head of each lane has a due time, so that a claim is one index scan. */
@Injectable()
export class PostgresDeliveries extends Deliveries {
  private readonly marks = new DeliveryMarks();

  constructor(private readonly database: Database) {
    super();
  }

  async claim(slots: readonly Slots[], leaseMs: number): Promise<OwedDelivery[]> {
    const startedAt = performance.now();
    const ids = slots.map((slot) => slot.destinationId);
    const rows = await this.database.query<OwedRow>(CLAIM, [
      ids,
      slots.map((slot) => slot.free),
      slots.map((slot) => slot.isProbe),
      leaseMs,
      this.marks.of(ids),
    ]);
    if (rows[0] !== undefined) this.marks.noteClock(rows[0].now_ms);
    if (rows.length < MAX_CLAIMED)
      for (const slot of slots)
        if (isDrained(slot, rows)) this.marks.noteDrained(slot.destinationId, startedAt);
    return rows.map(owedOf);
  }

  settle(settlements: readonly Settlement[]): Promise<readonly TargetChange[]> {
    return this.database.withDeadlockRetry(() => settleDeliveries(this.database, settlements));
  }

  async dueWithin(targetIds: readonly string[], withinMs: number): Promise<readonly NextDue[]> {
    if (targetIds.length === 0) return [];
    const rows = await this.database.query<{ id: string; in_ms: number }>(DUE_WITHIN, [
      targetIds,
      withinMs,
      this.marks.of(targetIds),
    ]);
    return rows.map((row) => ({ targetId: row.id, inMs: Math.max(0, row.in_ms) }));
  }

  async newlyOwed(position: string | null): Promise<{ targetIds: readonly string[]; position: string }> {
    const [row] = await this.database.query<{ ids: string[]; last: string }>(NEWLY_OWED, [position]);
    return { targetIds: row?.ids ?? [], position: row?.last ?? position ?? '0' };
  }

  async takeProbes(targetIds: readonly string[]): Promise<readonly string[]> {
    const rows = await this.database.query<{ id: string }>(`SELECT take_probes($1::uuid[]) AS id`, [
      targetIds,
    ]);
    return rows.map((row) => row.id);
  }

  async bringForward(targetId: string): Promise<void> {
    await this.database.query(`SELECT bring_forward($1, $2)`, [targetId, BROUGHT_AT_ONCE]);
  }
}

function isDrained({ destinationId, free, isProbe }: Slots, rows: readonly OwedRow[]): boolean {
  return !isProbe && rows.filter((row) => row.destination_id === destinationId).length < free;
}

function owedOf(row: OwedRow): OwedDelivery {
  return {
    id: row.id,
    token: row.token,
    destinationId: row.destination_id,
    quoteId: row.quote_id,
    orderId: row.order_id,
    eventId: row.event_id,
    type: row.type,
    sequence: row.sequence,
    time: row.time,
    body: row.body,
    attempts: row.attempts,
    retries: row.retries,
    failingMs: row.failing_ms,
  };
}

/**
 * One short index scan for each destination with free slots: no backlog of one is ever read for another. A probe made
 * before its delivery is due is beside the schedule.
 */
const CLAIM = `
  WITH claimed AS (
    UPDATE delivery d
    SET leased = true, token = d.token + 1, due_at = now() + $4 * interval '1 millisecond',
      last_attempt_at = now(), retries = CASE WHEN d.due_at > now() THEN greatest(d.retries - 1, 0) ELSE d.retries END
    WHERE d.id = ANY (ARRAY(
      SELECT due.id
      FROM unnest($1::uuid[], $2::int[], $3::boolean[], $5::float8[]) AS slot (destination_id, free, is_probe, from_ms),
      LATERAL (
        SELECT id FROM delivery
        WHERE destination_id = slot.destination_id
          AND due_at >= CASE WHEN slot.is_probe THEN '-infinity' ELSE to_timestamp(slot.from_ms / 1000) END
          AND due_at <= CASE WHEN slot.is_probe THEN 'infinity' ELSE now() END AND (due_at <= now() OR NOT leased)
        ORDER BY due_at, id LIMIT slot.free FOR UPDATE SKIP LOCKED
      ) due
      LIMIT ${MAX_CLAIMED}))
    RETURNING d.*
  )
  SELECT c.id, c.token, c.destination_id, p.quote_id, p.order_id, e.id AS event_id, e.type, c.sequence, e.time,
    e.body, c.attempts, c.retries,
    coalesce(extract(epoch FROM now() - c.first_attempt_at) * 1000, 0)::float8 AS failing_ms,
    (extract(epoch FROM now()) * 1000)::float8 AS now_ms
  FROM claimed c
  JOIN event e ON e.position = c.event_position
  JOIN payment p ON p.id = c.payment_id
  ORDER BY c.id`;

const DUE_WITHIN = `
  SELECT target.id, (extract(epoch FROM next.due_at - now()) * 1000)::float8 AS in_ms
  FROM unnest($1::uuid[], $3::float8[]) AS target (id, from_ms),
  LATERAL (
    SELECT due_at FROM delivery
    WHERE destination_id = target.id AND due_at >= to_timestamp(target.from_ms / 1000)
      AND due_at <= now() + $2 * interval '1 millisecond'
    ORDER BY due_at LIMIT 1
  ) next`;

/** What commits later than its successors, and is stepped over, is found by asking what is due. */
const NEWLY_OWED = `
  SELECT array_agg(DISTINCT fresh.destination_id) FILTER (WHERE fresh.id > $1::bigint) AS ids,
    coalesce(max(fresh.id), $1::bigint, 0) AS last
  FROM (
    SELECT id, destination_id FROM delivery WHERE id > $1::bigint
    UNION ALL
    SELECT max(id), NULL FROM delivery WHERE $1::bigint IS NULL
  ) fresh`;
