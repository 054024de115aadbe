/** The shop's own tables, and what it makes of an event: the same whether it came by webhook or by RabbitMQ. */
import { verdictOf } from 'paybell-client';

/** The statements of docs/using/receive-webhooks.md, with names of this shop. */
const KEEP_PAYMENT = `INSERT INTO shop_payment AS p (quote_id, order_id, status, sequence) VALUES ($1, $2, $3, $4)
  ON CONFLICT (quote_id) DO UPDATE SET order_id = coalesce($2, p.order_id), status = $3, sequence = $4
  WHERE (p.status = 'COMPLETED', p.sequence) < ($3 = 'COMPLETED', $4)`;
const FULFIL_ORDER = `UPDATE shop_order SET fulfilled_at = now(), fulfilled_by = $2
  WHERE id = $1 AND fulfilled_at IS NULL AND cancelled_at IS NULL
    AND NOT EXISTS (SELECT FROM shop_payment WHERE quote_id = $2 AND reason = 'changed_after_completed')`;

/** The orders are made by the shop, as here, and never by an event. */
export async function createOrderTables(pool, orders = []) {
  await pool.query(`CREATE TABLE IF NOT EXISTS shop_order (
    id text PRIMARY KEY, fulfilled_at timestamptz, fulfilled_by text, cancelled_at timestamptz)`);
  // An order may be quoted again and again: each quote has a status, a sequence and a verdict of its own.
  await pool.query(`CREATE TABLE IF NOT EXISTS shop_payment (
    quote_id text PRIMARY KEY, order_id text, status text NOT NULL, sequence integer NOT NULL,
    verdict text, reason text, judged bigint NOT NULL DEFAULT 0)`);
  // Without any unique key: nothing but the inbox and the order's row keeps an order from being shipped twice.
  await pool.query(`CREATE TABLE IF NOT EXISTS shop_shipment (
    number bigint GENERATED ALWAYS AS IDENTITY, order_id text NOT NULL, event_id text NOT NULL)`);
  await pool.query('INSERT INTO shop_order (id) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING', [orders]);
}

/** Writes through `tx` alone, so that all of it stands together with the event, or nothing. */
export async function onEvent(event, tx) {
  const { orderId, quoteId, status, sequence } = event.data;
  let { verdict, reason } = verdictOf(event);
  await tx.query(KEEP_PAYMENT, [quoteId, orderId, status, sequence]);
  if (verdict === 'fulfil') {
    const { rowCount } = await tx.query(FULFIL_ORDER, [orderId, quoteId]);
    if (rowCount === 1)
      await tx.query('INSERT INTO shop_shipment (order_id, event_id) VALUES ($1, $2)', [orderId, event.id]);
    // Unknown, cancelled, or fulfilled already: a person decides.
    else [verdict, reason] = ['ask', 'order_not_open'];
  }
  if (['updated', 'verified', 'unknown_type'].includes(reason)) return;
  // An older event replaces no verdict of a newer; COMPLETED counts as the newest, and an expiry replaces no `ask`.
  const judged = reason === 'expired' ? 1 : sequence + (status === 'COMPLETED' ? 1e10 : 0);
  const note = `UPDATE shop_payment SET verdict = $2, reason = $3, judged = $4
    WHERE quote_id = $1 AND judged <= $4`;
  await tx.query(note, [quoteId, verdict, reason, judged]);
}
