/** The pending deliveries of one endpoint are counted up to this number. */
export const MOST_PENDING = 10_000;
/** For a list this many index entries are read at most, and for each endpoint at least as many as below. */
const MOST_IN_A_LIST = 100_000;
const LEAST_IN_A_LIST = 100;

/** Up to which number a list of all endpoints counts the pending deliveries of each. */
export const MOST_PENDING_IN_A_LIST = `(
  SELECT greatest(${LEAST_IN_A_LIST}, least(${MOST_PENDING}, ${MOST_IN_A_LIST} / greatest(count(*), 1)))
  FROM destination WHERE kind = 'webhook')`;

/**
 * How many deliveries are pending at `destination`, up to `most`, and which is the oldest. Rows are compared as wholes, so
 * that the index `delivery_listed` is read in its own order, whatever the statistics are.
 */
export function pendingOf(destination: string, most: string | number): string {
  return `
    SELECT count(*)::int AS pending, min(p.id) AS oldest_id FROM (
      SELECT destination_id, state, id FROM delivery
      WHERE (destination_id, state, id) > (${destination}, 'pending', 0)
      ORDER BY destination_id, state, id LIMIT ${most}
    ) p WHERE p.destination_id = ${destination} AND p.state = 'pending'`;
}
