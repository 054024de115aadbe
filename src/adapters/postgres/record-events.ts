import { v7 as uuidv7 } from 'uuid';

import { stampEvent, type EventDraft } from '../../domain/event.ts';
import type { Payment } from '../../domain/payment.ts';
import type { Queries } from './database.ts';

/** The events of one payment, to be recorded in the transaction that changes the payment. */
export interface PaymentEvents {
  readonly paymentId: string;
  readonly payment: Payment;
  readonly drafts: readonly EventDraft[];
  /** The report stored before this transaction, verbatim, for events that are not about a new one. */
  readonly storedReport: string | null;
}

/** Lanes, as stored: waiting behind the head, the head itself, or let go of for having failed too long. */
export const LANE = { waiting: 0, head: 1, released: 2 } as const;

/**
 * Writes events and what is owed of them to each destination. The caller holds the payments' row locks in the same
 * transaction: that is what keeps two recorders of one payment apart.
 */
export async function recordEvents(
  queries: Queries,
  recorded: readonly PaymentEvents[],
  source: string,
  now: Date,
): Promise<void> {
  const rows = recorded.flatMap(({ paymentId, payment, drafts, storedReport }) =>
    drafts.map((draft) => ({
      paymentId,
      ...stampEvent(draft, payment, storedReport, { id: uuidv7(), source, time: now }),
    })),
  );
  if (rows.length === 0) return;
  const positions = await queries.query<{ position: string }>(INSERT_EVENTS, [
    rows.map((row) => row.id),
    rows.map((row) => row.paymentId),
    rows.map((row) => row.sequence),
    rows.map((row) => row.type),
    now,
    rows.map((row) => row.body),
  ]);
  await owe(
    queries,
    recorded.map((each) => each.paymentId),
    positions.map((each) => each.position),
  );
}

/**
 * The lock on the lanes' pending deliveries closes the race with a head that completes at this moment: either its
 * completion sees the new delivery and promotes it, or this sees that the head is gone and makes the new one the head.
 */
async function owe(queries: Queries, paymentIds: string[], positions: string[]): Promise<void> {
  const pending = await queries.query<{ waits: boolean }>(LOCK_LANES, [paymentIds]);
  await queries.query(INSERT_DELIVERIES, [positions]);
  if (pending.some((head) => head.waits)) await queries.query(HURRY_HEADS, [paymentIds, positions]);
}

const INSERT_EVENTS = `
  INSERT INTO event (id, payment_id, sequence, type, time, body)
  SELECT i.id, i.payment_id, i.sequence, i.type, $5, i.body
  FROM unnest($1::uuid[], $2::bigint[], $3::int[], $4::text[], $6::text[])
    AS i (id, payment_id, sequence, type, body)
  ORDER BY i.payment_id, i.sequence
  RETURNING position`;

/** A head that waits for its retry; before RabbitMQ, also what nobody was bound for when it was tried. */
const MAY_HURRY = `
  (NOT leased AND retries > 0
    AND (lane = ${LANE.head} OR (lane = ${LANE.released} AND last_failure = 'unroutable')))`;

const LOCK_LANES = `
  SELECT ${MAY_HURRY} AS waits FROM delivery
  WHERE payment_id = ANY ($1::bigint[]) AND state = 'pending'
  ORDER BY id FOR UPDATE`;

const INSERT_DELIVERIES = `
  INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane, due_at)
  SELECT n.destination_id, n.payment_id, n.position, n.sequence,
    CASE WHEN n.is_head THEN ${LANE.head} ELSE ${LANE.waiting} END,
    CASE WHEN n.is_head THEN now() END
  FROM (
    SELECT x.id AS destination_id, e.payment_id, e.position, e.sequence,
      row_number() OVER (PARTITION BY x.id, e.payment_id ORDER BY e.sequence) = 1
      AND NOT EXISTS (
        SELECT 1 FROM delivery d
        WHERE d.payment_id = e.payment_id AND d.destination_id = x.id
          AND d.state = 'pending' AND d.lane <> ${LANE.released}
      ) AS is_head
    FROM event e
    JOIN destination x ON x.enabled AND (x.event_types = '{}' OR e.type = ANY (x.event_types))
    WHERE e.position = ANY ($1::bigint[])
  ) n
  ORDER BY n.position`;

/** What waits for a retry in the lane of a new event is tried at once, beside its schedule: it uses up none of it. */
const HURRY_HEADS = `
  UPDATE delivery d SET due_at = now(), retries = d.retries - 1
  WHERE d.payment_id = ANY ($1::bigint[]) AND d.state = 'pending' AND d.due_at > now() AND ${MAY_HURRY}
    AND EXISTS (
      SELECT 1 FROM delivery n
      WHERE n.payment_id = d.payment_id AND n.destination_id = d.destination_id
        AND n.event_position = ANY ($2::bigint[])
    )`;
