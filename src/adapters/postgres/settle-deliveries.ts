import { EXCHANGE_DESTINATION_ID, type OwedDelivery, type Settlement } from '../../ports/deliveries.ts';
import type { Queries } from './database.ts';
import { LANE } from './record-events.ts';

/** Writes outcomes in the caller's transaction and makes the next of each lane due. */
export async function settleDeliveries(queries: Queries, settlements: readonly Settlement[]): Promise<void> {
  const held = await lock(queries, settlements);
  const mine = settlements.filter(({ delivery }) => held.has(claimKey(delivery)));
  if (mine.length === 0) return;
  await write(queries, mine);
  // A statement of its own: its snapshot must see what was inserted while the lock was waited for.
  await queries.query(PROMOTE, [mine.map(({ delivery }) => delivery.id)]);
  await passOver(queries, mine);
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

/** Once a later event was routed, an earlier one that nobody was bound for would only come out of order. */
async function passOver(queries: Queries, settlements: readonly Settlement[]): Promise<void> {
  const routed = settlements.filter(
    ({ delivery, outcome }) =>
      delivery.destinationId === EXCHANGE_DESTINATION_ID && outcome.kind === 'delivered',
  );
  if (routed.length > 0) await queries.query(PASS_OVER, [routed.map(({ delivery }) => delivery.id)]);
}

function stateOf({ outcome, retryInMs }: Settlement): string {
  if (outcome.kind === 'delivered') return 'delivered';
  return outcome.kind === 'failed' && retryInMs === null ? 'failed' : 'pending';
}

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

const PASS_OVER = `
  UPDATE delivery d SET state = 'failed', due_at = NULL
  FROM delivery routed
  WHERE routed.id = ANY ($1::bigint[]) AND d.payment_id = routed.payment_id
    AND d.destination_id = routed.destination_id AND d.sequence < routed.sequence
    AND d.state = 'pending' AND d.lane = ${LANE.released} AND d.last_failure = 'unroutable' AND NOT d.leased`;
