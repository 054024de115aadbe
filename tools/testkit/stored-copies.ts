/** Copies of a payment for a page, made by PostgreSQL itself. */

type Query = (sql: string, parameters: readonly unknown[]) => Promise<unknown>;

/** Adds older payments that differ only in their ids, orders and times, and that are not polled. */
export async function copyPayment(query: Query, quoteId: string, copies: number): Promise<void> {
  await query(COPY_PAYMENT, [quoteId, copies]);
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
