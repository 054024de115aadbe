import { Injectable } from '@nestjs/common';

import type { EventType } from '../../domain/event.ts';
import { Deliveries, type OwedDelivery, type Settlement, type Slots } from '../../ports/deliveries.ts';
import { Database } from './database.ts';
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
}

/** What is owed to whom, in PostgreSQL: only the head of each lane has a due time, so that a claim is one index scan. */
@Injectable()
export class PostgresDeliveries extends Deliveries {
  constructor(private readonly database: Database) {
    super();
  }

  async claim(slots: readonly Slots[], leaseMs: number): Promise<OwedDelivery[]> {
    const rows = await this.database.query<OwedRow>(CLAIM, [
      slots.map((slot) => slot.destinationId),
      slots.map((slot) => slot.free),
      leaseMs,
    ]);
    return rows.map(owedOf);
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    await this.database.withDeadlockRetry(() => settleDeliveries(this.database, settlements));
  }

  async nextDueInMs(destinationIds: readonly string[]): Promise<number | null> {
    if (destinationIds.length === 0) return null;
    const [row] = await this.database.query<{ in_ms: number }>(NEXT_DUE, [destinationIds]);
    return row === undefined ? null : Math.max(0, row.in_ms);
  }
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

/** One short index scan for each destination with free slots: no backlog of one is ever read for another. */
const CLAIM = `
  WITH claimed AS (
    UPDATE delivery d
    SET leased = true, token = d.token + 1, due_at = now() + $3 * interval '1 millisecond',
      last_attempt_at = now()
    WHERE d.id = ANY (ARRAY(
      SELECT due.id FROM unnest($1::uuid[], $2::int[]) AS slot (destination_id, free),
      LATERAL (
        SELECT id FROM delivery
        WHERE destination_id = slot.destination_id AND due_at <= now()
        ORDER BY due_at, id LIMIT slot.free FOR UPDATE SKIP LOCKED
      ) due))
    RETURNING d.*
  )
  SELECT c.id, c.token, c.destination_id, p.quote_id, p.order_id, e.id AS event_id, e.type, c.sequence, e.time,
    e.body, c.attempts, c.retries,
    coalesce(extract(epoch FROM now() - c.first_attempt_at) * 1000, 0)::float8 AS failing_ms
  FROM claimed c
  JOIN event e ON e.position = c.event_position
  JOIN payment p ON p.id = c.payment_id
  ORDER BY c.id`;

const NEXT_DUE = `
  SELECT (extract(epoch FROM next.due_at - now()) * 1000)::float8 AS in_ms
  FROM unnest($1::uuid[]) AS target (id),
  LATERAL (
    SELECT due_at FROM delivery WHERE destination_id = target.id AND due_at IS NOT NULL ORDER BY due_at LIMIT 1
  ) next
  ORDER BY next.due_at LIMIT 1`;
