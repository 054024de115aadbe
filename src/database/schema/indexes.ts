/** An index of a table that may have millions of rows. `definition` is the text after the index's name. */
export interface LargeIndex {
  readonly name: string;
  readonly definition: string;
}

/**
 * Indexes of tables that grow. A migration would lock the table against writes while it builds an index, so these are built
 * beside the running service: see build-indexes.ts. A query without its index is slow, not wrong.
 */
export const LARGE_INDEXES: readonly LargeIndex[] = [
  // Lists are ordered by (created_at, id). Few payments share an instant; these are sorted as they are read.
  { name: 'payment_listed', definition: 'ON payment (status, created_at)' },
  { name: 'payment_carried', definition: 'ON payment (provider, created_at)' },
  // Lists the payments of an order, which may have very many.
  { name: 'payment_ordered', definition: 'ON payment (order_id, created_at) WHERE order_id IS NOT NULL' },
  // A search finds orders by their beginning, in any case: see search_payments.sql. The collation "C" orders by bytes, so
  // that a prefix is one range.
  // Most ids have letters of ASCII alone, and no order_fold.
  {
    name: 'payment_order_search',
    definition: `ON payment (coalesce(order_fold, lower(order_id COLLATE "C"))) WHERE order_id IS NOT NULL`,
  },
  // fastupdate is off: a list of waiting entries would now and then delay a poll result by a tenth of a second.
  {
    name: 'payment_quote_search',
    definition: 'ON payment_quote USING gin (search_terms(body)) WITH (fastupdate = off)',
  },
  {
    name: 'payment_report_search',
    definition: 'ON payment_text USING gin (search_terms(coalesce(body, texts[1]))) WITH (fastupdate = off)',
  },
  { name: 'event_by_time', definition: 'ON event_entry (time)' },
  // Partial indexes for rare states, in which nearly all payments and deliveries have no entry. The conditions are those of
  // list-statement.ts, word for word.
  { name: 'payment_late', definition: 'ON payment (created_at) WHERE late' },
  { name: 'payment_paid_again', definition: 'ON payment (created_at) WHERE paid_again' },
  {
    name: 'payment_stalled',
    definition: `ON payment (created_at) WHERE stalls <> '{}' AND tracking <> 'closed' AND resolution IS NULL`,
  },
  {
    name: 'payment_contradicted',
    definition: `ON payment (created_at) WHERE contradictions <> '{}' AND resolution IS NULL`,
  },
  // Partial because nearly all payments have an exact sum, or none that is known.
  {
    name: 'payment_mismatched',
    definition: `ON payment (match, created_at) WHERE match IN ('underpaid', 'overpaid')`,
  },
  { name: 'payment_resolved', definition: 'ON payment (created_at) WHERE resolution IS NOT NULL' },
  // Shows whether a payment is resolved without reading its row: see untold_payments.sql.
  { name: 'payment_settled', definition: 'ON payment (id) WHERE resolution IS NOT NULL' },
  // Deliveries that are not acknowledged: see attention/untold.ts.
  {
    name: 'delivery_untold',
    definition: `ON delivery (destination_id, payment_id, created_at) WHERE state <> 'delivered'`,
  },
  // Deliveries that were never tried and that no process has taken. Where a circuit is open, they are the probes that go out
  // at once.
  {
    name: 'delivery_untried',
    definition: `ON delivery (destination_id, id)
      WHERE attempts = 0 AND due_at IS NOT NULL AND NOT leased`,
  },
  {
    name: 'delivery_refused',
    definition: `ON delivery (destination_id, payment_id) WHERE state = 'pending' AND attempts > 0`,
  },
];
