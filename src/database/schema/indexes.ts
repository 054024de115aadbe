/** An index of a table that may have millions of rows, and its definition after its name. */
export interface LargeIndex {
  readonly name: string;
  readonly definition: string;
}

/**
 * Indexes of tables that grow. A migration would lock the table against writes for as long as it builds one:
 * these are built beside the running service, see build-indexes.ts. A query that lacks one is slow, and not wrong.
 */
export const LARGE_INDEXES: readonly LargeIndex[] = [
  // Lists are ordered by (created_at, id). Few payments share an instant: these are sorted when they are read.
  { name: 'payment_listed', definition: 'ON payment (status, created_at)' },
  { name: 'payment_carried', definition: 'ON payment (provider, created_at)' },
  // Of one order, which may have very many payments.
  { name: 'payment_ordered', definition: 'ON payment (order_id, created_at) WHERE order_id IS NOT NULL' },
  // A search finds orders by their beginning, in any case: see search_payments.sql. "C" orders by bytes, so that a range is one.
  {
    name: 'payment_order_search',
    definition: `ON payment (lower(order_id COLLATE "C")) WHERE order_id IS NOT NULL`,
  },
  // Written at once: a list of waiting entries would be worked off by a poll result, now and then for a tenth of a second.
  {
    name: 'payment_quote_search',
    definition: 'ON payment_quote USING gin (search_terms(body)) WITH (fastupdate = off)',
  },
  {
    name: 'payment_report_search',
    definition: 'ON payment_text USING gin (search_terms(coalesce(body, texts[1]))) WITH (fastupdate = off)',
  },
  { name: 'event_by_time', definition: 'ON event_entry (time)' },
  // Of rare states: nearly all payments and deliveries have no entry. Conditions are those of list-statement.ts, word by word.
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
  // Nearly all sums are exact, or none is known.
  {
    name: 'payment_mismatched',
    definition: `ON payment (match, created_at) WHERE match IN ('underpaid', 'overpaid')`,
  },
  { name: 'payment_resolved', definition: 'ON payment (created_at) WHERE resolution IS NOT NULL' },
  // Whether a payment is resolved, without reading it: see untold_payments.sql.
  { name: 'payment_settled', definition: 'ON payment (id) WHERE resolution IS NOT NULL' },
  // Of what is not acknowledged: see figures/untold.ts.
  {
    name: 'delivery_untold',
    definition: `ON delivery (destination_id, payment_id, created_at) WHERE state <> 'delivered'`,
  },
  // Deliveries that were never tried and that no process has taken: where a circuit is open, the probes that go out at once.
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
