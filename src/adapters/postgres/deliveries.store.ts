import { Injectable } from '@nestjs/common';

import type { EventType } from '../../domain/event.ts';
import { Deliveries, type OwedDelivery, type Settlement, type Slots } from '../../ports/deliveries.ts';
import { Database, type Queries } from './database.ts';
import { LANE } from './record-events.ts';

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
    await this.database.transaction(async (queries) => {
      const held = await lock(queries, settlements);
      const mine = settlements.filter(({ delivery }) => held.has(claimKey(delivery)));
      if (mine.length === 0) return;
      await write(queries, mine);
      // A statement of its own: its snapshot must see what was inserted while the lock was waited for.
      await queries.query(PROMOTE, [mine.map(({ delivery }) => delivery.id)]);
    });
  }

  async nextDueInMs(destinationIds: readonly string[]): Promise<number | null> {
    if (destinationIds.length === 0) return null;
    const [row] = await this.database.query<{ in_ms: number }>(NEXT_DUE, [destinationIds]);
    return row === undefined ? null : Math.max(0, row.in_ms);
  }
}

/** Only those whose claim still stands; in the order of their ids, as a recorder locks them too. */
async function lock(queries: Queries, settlements: readonly Settlement[]): Promise<Set<string>> {
  const rows = await queries.query<{ claim_key: string }>(LOCK, [
    settlements.map(({ delivery }) => delivery.id),
    settlements.map(({ delivery }) => delivery.token),
  ]);
  return new Set(rows.map((row) => row.claim_key));
}

/** Two claims of one delivery may share a batch: the delivery alone does not tell them apart. */
function claimKey({ id, token }: OwedDelivery): string {
  return `${id}#${token}`;
}

async function write(queries: Queries, settlements: readonly Settlement[]): Promise<void> {
  await queries.query(WRITE, [
    settlements.map(({ delivery }) => delivery.id),
    settlements.map(stateOf),
    settlements.map(({ outcome, retryInMs }) => (outcome.kind === 'held' ? outcome.retryInMs : retryInMs)),
    settlements.map(({ outcome }) => (outcome.kind === 'held' ? 0 : 1)),
    settlements.map(({ holdsLane }) => holdsLane),
    settlements.map(({ outcome }) => (outcome.kind === 'failed' ? outcome.failure : null)),
    settlements.map(({ outcome }) => (outcome.kind === 'held' ? null : outcome.httpStatus)),
  ]);
}

function stateOf({ outcome, retryInMs }: Settlement): string {
  if (outcome.kind === 'delivered') return 'delivered';
  return outcome.kind === 'failed' && retryInMs === null ? 'failed' : 'pending';
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
        ORDER BY due_at LIMIT slot.free FOR UPDATE SKIP LOCKED
      ) due))
    RETURNING d.*
  )
  SELECT c.id, c.token, c.destination_id, p.quote_id, p.order_id, e.id AS event_id, e.type, c.sequence, e.time,
    e.body, c.attempts, c.retries,
    coalesce(extract(epoch FROM now() - c.first_attempt_at) * 1000, 0)::float8 AS failing_ms
  FROM claimed c
  JOIN event e ON e.position = c.event_position
  JOIN payment p ON p.id = c.payment_id`;

const LOCK = `
  SELECT d.id || '#' || d.token AS claim_key FROM delivery d
  JOIN unnest($1::bigint[], $2::bigint[]) AS i (id, token) ON d.id = i.id AND d.token = i.token
  WHERE d.state = 'pending'
  ORDER BY d.id FOR UPDATE OF d`;

const WRITE = `
  UPDATE delivery d
  SET state = i.state, leased = false, token = d.token + 1, attempts = d.attempts + i.attempt,
    retries = d.retries + i.attempt,
    first_attempt_at = coalesce(d.first_attempt_at, CASE WHEN i.attempt = 1 THEN d.last_attempt_at END),
    due_at = CASE WHEN i.state = 'pending' THEN now() + i.in_ms * interval '1 millisecond' END,
    lane = CASE WHEN i.holds_lane THEN d.lane ELSE ${LANE.released} END,
    last_failure = CASE WHEN i.attempt = 0 THEN d.last_failure ELSE i.failure END,
    last_http_status = CASE WHEN i.attempt = 0 THEN d.last_http_status ELSE i.http_status END
  FROM unnest($1::bigint[], $2::text[], $3::int8[], $4::int[], $5::boolean[], $6::text[], $7::smallint[])
    AS i (id, state, in_ms, attempt, holds_lane, failure, http_status)
  WHERE d.id = i.id`;

const PROMOTE = `
  UPDATE delivery SET lane = ${LANE.head}, due_at = now()
  WHERE id = ANY (ARRAY(
    SELECT DISTINCT ON (w.payment_id, w.destination_id) w.id
    FROM delivery d
    JOIN delivery w ON w.payment_id = d.payment_id AND w.destination_id = d.destination_id
      AND w.state = 'pending' AND w.lane = ${LANE.waiting}
    WHERE d.id = ANY ($1::bigint[])
      AND NOT EXISTS (
        SELECT 1 FROM delivery h
        WHERE h.payment_id = d.payment_id AND h.destination_id = d.destination_id
          AND h.state = 'pending' AND h.lane = ${LANE.head})
    ORDER BY w.payment_id, w.destination_id, w.sequence))`;

const NEXT_DUE = `
  SELECT (extract(epoch FROM next.due_at - now()) * 1000)::float8 AS in_ms
  FROM unnest($1::uuid[]) AS target (id),
  LATERAL (
    SELECT due_at FROM delivery WHERE destination_id = target.id AND due_at IS NOT NULL ORDER BY due_at LIMIT 1
  ) next
  ORDER BY next.due_at LIMIT 1`;
