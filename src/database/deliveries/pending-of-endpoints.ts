/** The pending deliveries of one endpoint are counted up to this number. */
export const MOST_PENDING = 10_000;
/** For a list, this many index entries are read at most, but for each endpoint at least the number below. */
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

/** The UnsentEvents of `destination`, counted up to `most`, as the JSON value `it`. */
export function unsentOf(destination: string, most: string | number): string {
  return `
    SELECT json_build_object('count', count(*), 'isMore', count(*) >= ${most}, 'since', (
      SELECT e.time FROM delivery first JOIN event_entry e ON e.position = first.event_position
      WHERE first.id = min(u.id))) AS it FROM (
      SELECT destination_id, state, id FROM delivery
      WHERE (destination_id, state, id) > (${destination}, 'discarded', 0)
      ORDER BY destination_id, state, id LIMIT ${most}
    ) u WHERE u.destination_id = ${destination} AND u.state = 'discarded'`;
}
