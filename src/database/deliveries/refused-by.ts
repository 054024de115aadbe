const MOST_NAMED = 5;

/** The payments of RefusedPayments at `destination`, counted up to `most`, as the JSON value `it`. */
export function refusedBy(destination: string, most: string | number): string {
  return `
    SELECT json_build_object('payments', count(*), 'since', min(f.first_attempt_at), 'examples', (
      SELECT coalesce(json_agg(json_build_object('quoteId', p.quote_id, 'orderId', p.order_id)), '[]')
      FROM unnest((array_agg(f.payment_id ORDER BY f.first_attempt_at))[:${MOST_NAMED}]) AS n (payment_id)
      JOIN payment p ON p.id = n.payment_id)) AS it
    FROM (
      SELECT d.payment_id, min(d.first_attempt_at) AS first_attempt_at FROM (
        SELECT payment_id, first_attempt_at FROM delivery
        WHERE destination_id = ${destination} AND state = 'pending' AND attempts > 0
        ORDER BY payment_id LIMIT ${most}
      ) d GROUP BY d.payment_id
    ) f`;
}
