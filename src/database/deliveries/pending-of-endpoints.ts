/** The pending deliveries of one endpoint are counted up to this number. */
export const MOST_PENDING = 10_000;
/** The index entries that are read for a list at most; for each endpoint at least the number below. */
const MOST_IN_A_LIST = 100_000;
const LEAST_IN_A_LIST = 100;

/** The number up to which a list of all endpoints counts each one's pending deliveries. */
export const MOST_PENDING_IN_A_LIST = `(
  SELECT greatest(${LEAST_IN_A_LIST}, least(${MOST_PENDING}, ${MOST_IN_A_LIST} / greatest(count(*), 1)))
  FROM destination WHERE kind = 'webhook')`;

/**
 * How many deliveries are pending at `destination`, counted up to `most`, and which is the oldest. The condition
 * compares whole rows, so that PostgreSQL reads the index `delivery_listed` in its own order, whatever the statistics
 * are.
 */
export function pendingOf(destination: string, most: string | number): string {
  return `
    SELECT count(*)::int AS pending, min(p.id) AS oldest_id FROM (
      SELECT destination_id, state, id FROM delivery
      WHERE (destination_id, state, id) > (${destination}, 'pending', 0)
      ORDER BY destination_id, state, id LIMIT ${most}
    ) p WHERE p.destination_id = ${destination} AND p.state = 'pending'`;
}

/** The most unsent events that are read for the earliest time. */
const MOST_TIMED = 1_000;

/**
 * The time of the earliest event that `destination` was not sent: an event may be recorded a moment before an earlier
 * one. OFFSET 0 keeps PostgreSQL from reading all events.
 */
export function unsentSince(destination: string, most: string | number = MOST_TIMED): string {
  return `
    SELECT min(e.time) AS since FROM (
      SELECT destination_id, state, event_position FROM delivery
      WHERE (destination_id, state, id) > (${destination}, 'discarded', 0)
      ORDER BY destination_id, state, id LIMIT least(${most}, ${MOST_TIMED})
    ) first CROSS JOIN LATERAL (SELECT time FROM event_entry WHERE position = first.event_position OFFSET 0) e
    WHERE first.destination_id = ${destination} AND first.state = 'discarded'`;
}

/** The UnsentEvents of `destination`, counted up to `most`, as the JSON value `it`. */
export function unsentOf(destination: string, most: string | number): string {
  return `
    SELECT json_build_object('count', count(*), 'isMore', count(*) >= ${most},
      'since', (${unsentSince(destination, most)})) AS it FROM (
      SELECT destination_id, state, id FROM delivery
      WHERE (destination_id, state, id) > (${destination}, 'discarded', 0)
      ORDER BY destination_id, state, id LIMIT ${most}
    ) u WHERE u.destination_id = ${destination} AND u.state = 'discarded'`;
}
