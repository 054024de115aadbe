/** The shop's own tables, and what it makes of an event: the same whether it came by webhook or by RabbitMQ. */

export async function createOrderTables(pool) {
  await pool.query(`CREATE TABLE IF NOT EXISTS shop_order (
    id text PRIMARY KEY, payments integer NOT NULL DEFAULT 0, fulfilled_at timestamptz)`);
  // An order may be quoted again and again: each quote has a status and a sequence of its own.
  await pool.query(`CREATE TABLE IF NOT EXISTS shop_payment (
    quote_id text PRIMARY KEY, order_id text NOT NULL, status text NOT NULL, sequence integer NOT NULL)`);
  // Without any unique key: nothing but the inbox keeps a payment from being counted twice.
  await pool.query(`CREATE TABLE IF NOT EXISTS shop_shipment (
    number bigint GENERATED ALWAYS AS IDENTITY, order_id text NOT NULL, event_id text NOT NULL)`);
}

/** Writes through `tx` alone, so that all of it stands together with the event, or nothing. */
export async function onEvent(event, tx) {
  const { orderId, quoteId, status, sequence } = event.data;
  const order = orderId ?? quoteId;
  await tx.query('INSERT INTO shop_order (id) VALUES ($1) ON CONFLICT (id) DO NOTHING', [order]);
  // `sequence` orders the events of one quote, and says nothing about those of another. COMPLETED wins, and stays.
  await tx.query(
    `INSERT INTO shop_payment AS p (quote_id, order_id, status, sequence) VALUES ($1, $2, $3, $4)
     ON CONFLICT (quote_id) DO UPDATE SET status = $3, sequence = $4
     WHERE p.status <> 'COMPLETED' AND (p.sequence < $4 OR $3 = 'COMPLETED')`,
    [quoteId, order, status, sequence],
  );
  if (event.type !== 'payment.completed') return;
  const { rows } = await tx.query(
    `UPDATE shop_order SET payments = payments + 1, fulfilled_at = coalesce(fulfilled_at, now()) WHERE id = $1
     RETURNING payments`,
    [order],
  );
  // A customer may pay two quotes of one order: the second is money to give back, and no second shipment.
  if (rows[0].payments > 1) return;
  await tx.query('INSERT INTO shop_shipment (order_id, event_id) VALUES ($1, $2)', [order, event.id]);
}
