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

/**
 * When destination `x` acknowledged the newest event that it has acknowledged. This is newer than the time in its row, which is
 * written every few seconds, except for deliveries out of order. Of an attempt that is not stored, when it was claimed.
 */
export const LAST_DELIVERED = `
  SELECT coalesce(d.attempt_made_at, a.made_at, d.last_attempt_at)
      + coalesce(d.attempt_ms, a.duration_ms, 0) * interval '1 millisecond' AS at
  FROM (
    SELECT destination_id, state, id, attempts, attempt_made_at, attempt_ms, last_attempt_at FROM delivery
    WHERE (destination_id, state, id) < (x.id, 'delivered', 9223372036854775807)
    ORDER BY destination_id DESC, state DESC, id DESC LIMIT 1
  ) d
  LEFT JOIN earlier_attempt a ON a.delivery_id = d.id AND a.number = d.attempts
  WHERE d.destination_id = x.id AND d.state = 'delivered'`;
