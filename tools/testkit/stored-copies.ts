/** Copies of a payment and of its events, made by PostgreSQL itself: as many as a page is to show. */

type Query = (sql: string, parameters: readonly unknown[]) => Promise<unknown>;

/** Older payments that are the same but for their ids, orders and times; nobody polls them. */
export async function copyPayment(query: Query, quoteId: string, copies: number): Promise<void> {
  await query(COPY_PAYMENT, [quoteId, copies]);
}

/** As many events and deliveries, each acknowledged, as if the report of the last one had come so often. */
export async function repeatLastEvent(query: Query, quoteId: string, times: number): Promise<void> {
  await query(REPEAT_EVENT, [quoteId, times]);
}

const COPY_PAYMENT = `
  WITH original AS (
    SELECT p.*, q.body AS quote, coalesce(t.body, t.texts[1]) AS report
    FROM payment p JOIN payment_quote q ON q.payment_id = p.id JOIN payment_text t ON t.payment_id = p.id
    WHERE p.quote_id = $1
  ), copied AS (
    INSERT INTO payment (provider, quote_id, order_id, metadata, status, late, sequence, tracking, created_at, expires_at, updated_at,
      progress_at, ended_at, last_polled_at, part_digests, report_digest, stalls, contradictions)
    SELECT 'http', gen_random_uuid()::text, order_id || '-' || n, metadata, status, late, sequence, 'closed',
      created_at - n * interval '1 minute', expires_at - n * interval '1 minute', updated_at - n * interval '1 minute',
      progress_at, updated_at - n * interval '1 minute', last_polled_at, part_digests, report_digest, stalls, contradictions
    FROM original CROSS JOIN generate_series(1, $2::int) n
    RETURNING id, quote_id
  ), quoted AS (
    INSERT INTO payment_quote (payment_id, body)
    SELECT copied.id, replace(quote, $1, copied.quote_id) FROM copied CROSS JOIN original
  )
  INSERT INTO payment_text (payment_id, texts, reported_at)
  SELECT copied.id, ARRAY[replace(report, $1, copied.quote_id)], now() FROM copied CROSS JOIN original`;

const REPEAT_EVENT = `
  WITH last AS (
    SELECT e.payment_id, e.position, e.sequence, e.id, e.time, e.body
    FROM event e JOIN payment p ON p.id = e.payment_id WHERE p.quote_id = $1 ORDER BY e.sequence DESC LIMIT 1
  ), repeated AS (
    SELECT n, gen_random_uuid() AS id, last.payment_id, last.sequence + n AS sequence, last.body, last.id AS former,
      last.sequence AS former_sequence, last.time + n * interval '1 second' AS time
    FROM last CROSS JOIN generate_series(1, $2::int) n
  ), recorded AS (
    INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
    SELECT id, payment_id, sequence, 'payment.updated', time,
      replace(replace(body, former::text, id::text), '"sequence":' || former_sequence, '"sequence":' || sequence)
    FROM repeated RETURNING position, payment_id, sequence, time
  ), counted AS (
    UPDATE payment p SET sequence = p.sequence + $2::int FROM last WHERE p.id = last.payment_id
  )
  INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, token, attempts, retries,
    first_attempt_at, last_attempt_at, last_http_status, created_at, attempt_made_at, attempt_ms, attempt_address)
  SELECT d.id, r.payment_id, r.position, r.sequence, 'delivered', 'head', 2, 1, 1, r.time, r.time, 204, r.time, r.time, 12,
    '127.0.0.1:9'
  FROM recorded r CROSS JOIN destination d WHERE d.kind = 'webhook'`;
