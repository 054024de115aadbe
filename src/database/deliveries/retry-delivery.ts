import { DeliveryDiscarded, type DeliveryState } from '../../ports/delivery-log.ts';
import { WebhookEndpointDisabled } from '../../ports/webhook-endpoints.ts';
import type { Queries } from '../../ports/queries.ts';

interface LaneRow {
  readonly id: string;
  readonly state: DeliveryState;
  readonly lane_state: 'waiting' | 'head' | 'released';
  readonly is_under_way: boolean;
}

interface Asked {
  readonly payment_id: string;
  readonly destination_id: string;
}

/**
 * Call it within one transaction. Returns the kind of the delivery's destination; null when there is no such delivery.
 * Throws DeliveryDiscarded, WebhookEndpointDisabled.
 */
export async function retryDelivery(queries: Queries, id: string): Promise<string | null> {
  const [asked] = await queries.query<Asked>(ASKED, [id]);
  if (asked === undefined) return null;
  const lane = await lockLane(queries, asked, id);
  const delivery = lane.find((row) => row.id === id);
  if (delivery === undefined) return null;
  const kind = await kindOfEnabled(queries, asked.destination_id);
  if (await makeDue(queries, delivery, lane)) await queries.query(PROBE_NOW, [asked.destination_id]);
  return kind;
}

/**
 * Locks the payment first, as record_events does, then the deliveries by id: while a new event is inserted, an ended
 * delivery may become pending.
 */
async function lockLane(queries: Queries, asked: Asked, id: string): Promise<LaneRow[]> {
  await queries.query(`SELECT 1 FROM payment WHERE id = $1 FOR UPDATE`, [asked.payment_id]);
  return queries.query<LaneRow>(LOCK_LANE, [id, asked.payment_id, asked.destination_id]);
}

async function kindOfEnabled(queries: Queries, destinationId: string): Promise<string> {
  const [destination] = await queries.query<{ kind: string; enabled: boolean }>(
    `SELECT kind, enabled FROM destination WHERE id = $1`,
    [destinationId],
  );
  if (destination === undefined) throw new DeliveryDiscarded();
  if (!destination.enabled) throw new WebhookEndpointDisabled();
  return destination.kind;
}

/** False when an attempt is under way already. */
async function makeDue(queries: Queries, delivery: LaneRow, lane: readonly LaneRow[]): Promise<boolean> {
  if (delivery.state !== 'pending') {
    await queries.query(REVIVE, [delivery.id]);
    return true;
  }
  const first = delivery.lane_state === 'waiting' ? lane.find((row) => row.lane_state === 'head') : delivery;
  if (first === undefined || first.is_under_way) return false;
  await queries.query(HASTEN, [first.id]);
  return true;
}

const ASKED = `
  SELECT payment_id, destination_id FROM delivery d WHERE id = $1`;

const LOCK_LANE = `
  SELECT id, state, lane_state, (leased AND due_at > now()) IS TRUE AS is_under_way FROM delivery
  WHERE id = $1 OR (payment_id = $2 AND destination_id = $3 AND state = 'pending')
  ORDER BY id FOR UPDATE`;

/**
 * Sets a due time just before everything else that is due to the endpoint. A much earlier time would lie below the
 * watermark of claims.
 */
const BEFORE_ALL = `
  least(now(), (
    SELECT min(due_at) FROM delivery o WHERE o.destination_id = d.destination_id AND o.due_at IS NOT NULL
  )) - interval '1 millisecond'`;

/**
 * The attempt also serves as the probe of an open circuit. Two such requests together save only one of the scheduled retries.
 */
const HASTEN = `
  UPDATE delivery d
  SET due_at = ${BEFORE_ALL}, retries = CASE WHEN due_at > now() THEN greatest(retries - 1, 0) ELSE retries END,
    is_unscheduled = true
  WHERE id = $1`;

/** Releases the delivery from its lane: later events, which may be under way or delivered, do not wait for it. */
const REVIVE = `
  UPDATE delivery d
  SET state = 'pending', lane_state = 'released', due_at = ${BEFORE_ALL}, leased = false, token = token + 1, retries = 0,
    lane_due_at = NULL, is_unscheduled = true
  WHERE id = $1`;

const PROBE_NOW = `
  UPDATE endpoint_circuit SET probe_at = now(), probed_at = NULL WHERE destination_id = $1 AND state = 'open'`;
