import { isPaid, isWatched, STATUSES } from '../../domain/payment/status.ts';

const EXPIRED = STATUSES.filter((status) => isWatched(status) && !isPaid(status));
/** The condition for a payment whose quote expired although its provider reports a deposit. */
export const IS_DEPOSIT_KEPT = `match IS NOT NULL AND status IN ('${EXPIRED.join("', '")}') AND resolution IS NULL`;

/**
 * The indexes of lists, searches and rare states, made after the functions that some of them call: the text after each name. A
 * query without its index is slow, not wrong.
 */
export const INDEXES: Readonly<Record<string, string>> = {
  // Lists are ordered by (created_at, id). Few payments share an instant; these are sorted as they are read.
  payment_listed: 'ON payment (status, created_at)',
  payment_carried: 'ON payment (provider, created_at)',
  // Lists the payments of an order, which may have very many.
  payment_ordered: 'ON payment (order_id, created_at) WHERE order_id IS NOT NULL',
  // A search finds orders by their beginning, in any case: see search_payments.sql. The collation "C" orders by bytes, so
  // that a prefix is one range.
  // Most ids have letters of ASCII alone, and no order_fold.
  payment_order_search: `ON payment (coalesce(order_fold, lower(order_id COLLATE "C"))) WHERE order_id IS NOT NULL`,
  // fastupdate is off: a list of waiting entries would now and then delay a poll result by a tenth of a second.
  payment_quote_search: 'ON payment_quote USING gin (search_terms(body)) WITH (fastupdate = off)',
  payment_report_search:
    'ON payment_text USING gin (search_terms(coalesce(body, texts[1]))) WITH (fastupdate = off)',
  event_by_time: 'ON event_entry (time)',
  // Partial indexes for rare states, in which nearly all payments and deliveries have no entry. The conditions are those of
  // list-statement.ts, word for word.
  payment_late: 'ON payment (created_at) WHERE late',
  payment_paid_again: 'ON payment (created_at) WHERE paid_again',
  payment_stalled: `ON payment (created_at) WHERE stalls <> '{}' AND tracking <> 'closed' AND resolution IS NULL`,
  payment_contradicted: `ON payment (created_at) WHERE contradictions <> '{}' AND resolution IS NULL`,
  payment_deposit_kept: `ON payment (created_at) WHERE ${IS_DEPOSIT_KEPT}`,
  // Partial because nearly all payments have an exact sum, or none that is known.
  payment_mismatched: `ON payment (match, created_at) WHERE match IN ('underpaid', 'overpaid')`,
  payment_resolved: 'ON payment (created_at) WHERE resolution IS NOT NULL',
  // Shows whether a person has settled a payment otherwise, without reading its row: see untold_payments.sql.
  payment_settled: 'ON payment (id) WHERE is_settled(resolution)',
  // Deliveries that are not acknowledged: see attention/untold.ts.
  delivery_untold: `ON delivery (destination_id, payment_id, created_at) WHERE state <> 'delivered'`,
  // Deliveries that were never tried and that no process has claimed. At an open circuit they are the probes that are sent at
  // once.
  delivery_untried: `ON delivery (destination_id, id)
      WHERE attempts = 0 AND due_at IS NOT NULL AND NOT leased`,
  delivery_refused: `ON delivery (destination_id, payment_id) WHERE state = 'pending' AND attempts > 0`,
};
