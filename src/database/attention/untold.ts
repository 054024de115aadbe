import { NOBODY, UNTOLD_AFTER_MS } from '../../domain/event/told.ts';
import { MOST_COUNTED } from '../../ports/attention.ts';
import { UNSETTLED } from '../deliveries/bounded-reading.ts';
import { sumsOfFound } from './payment-sums.ts';

/** The most payments that are found for one destination. */
const MOST_FOUND = MOST_COUNTED + 1;
const LAST_ID = '9223372036854775807';

/** The condition of the index `delivery_untold`, word for word: see indexes.ts. */
const NOT_ACKNOWLEDGED = `d.state <> 'delivered'`;
const BEFORE = `now() - interval '${UNTOLD_AFTER_MS} milliseconds'`;

/** While publishing to RabbitMQ is turned off, its exchange is no destination. */
const PRESENT = `SELECT id FROM destination WHERE enabled OR url IS NOT NULL`;
/**
 * An event of a destination that was removed, or that never existed, is told once any other destination has
 * acknowledged it.
 */
const IS_TOLD_ELSEWHERE = `EXISTS (
  SELECT FROM delivery o WHERE o.event_position = d.event_position AND o.state = 'delivered' OFFSET 0)`;

/**
 * Whether the event of delivery `d` is untold at its destination, also for a settled payment: see
 * domain/event/told.ts.
 */
export const IS_UNTOLD = `(${NOT_ACKNOWLEDGED} AND d.created_at < ${BEFORE}
  AND (d.destination_id = ANY (ARRAY(${PRESENT})) OR NOT ${IS_TOLD_ELSEWHERE}))`;

/**
 * Whether payment `p` has an untold event. The subquery goes event by event: for a plain condition, the planner would
 * read all untold deliveries.
 */
export const IS_PAYMENT_UNTOLD = `(${UNSETTLED} AND coalesce((
    SELECT bool_or${IS_UNTOLD} FROM delivery d
    WHERE d.event_position = ANY (ARRAY(SELECT e.position FROM event_entry e WHERE e.payment_id = p.id))), false))`;

/**
 * Steps through the index from one destination to the next. No row while the index is being built: each step would read
 * the whole table.
 */
const KNOWN = `
  known AS (
    SELECT (SELECT d.destination_id FROM delivery d WHERE ${NOT_ACKNOWLEDGED} ORDER BY d.destination_id LIMIT 1) AS id
    FROM pg_index WHERE indexrelid = to_regclass('delivery_untold') AND indisvalid
    UNION ALL
    SELECT (
      SELECT d.destination_id FROM delivery d WHERE ${NOT_ACKNOWLEDGED} AND d.destination_id > k.id
      ORDER BY d.destination_id LIMIT 1)
    FROM known k WHERE k.id IS NOT NULL
  )`;

/** One row for each destination with untold payments, and one for all of them, whose destination is null. */
export const COUNT_UNTOLD = `
  WITH RECURSIVE ${KNOWN}, found AS MATERIALIZED (
    SELECT k.id, u.payment_id, u.since FROM known k, untold_payments(k.id, ${BEFORE}, ${MOST_FOUND}, false) u
    WHERE k.id IS NOT NULL
  ), counted AS (
    SELECT id, count(*)::int AS count, min(since) AS since FROM found GROUP BY id
    UNION ALL
    SELECT NULL, count(DISTINCT payment_id)::int, min(since) FROM found
  )
  SELECT c.id, c.count, c.since, x.kind, x.url, x.description
  FROM counted c LEFT JOIN destination x ON x.id = c.id ORDER BY c.count DESC, c.id`;

/** The payments that some destination was not told of, each once, with the time of the first such event. */
export const UNTOLD_PAYMENTS = `${KNOWN}, untold AS MATERIALIZED (
    SELECT u.payment_id AS id, min(u.since) AS since FROM known k, untold_payments(k.id, ${BEFORE}, ${MOST_FOUND}, false) u
    WHERE k.id IS NOT NULL GROUP BY 1
  )`;

/** Sums the amounts that payers sent in payments with untold events. */
export const SUM_UNTOLD = `
  WITH RECURSIVE ${UNTOLD_PAYMENTS}, found AS MATERIALIZED (SELECT id FROM untold LIMIT ${MOST_FOUND}
  ), ${sumsOfFound()}`;

/** The newest payments with untold events, at most `most` of each destination; no row while the index is being built. */
export function newestUntold(most: number): string {
  return `
    WITH RECURSIVE ${KNOWN}
    SELECT DISTINCT u.payment_id::text AS id
    FROM known k LEFT JOIN LATERAL untold_payments(k.id, ${BEFORE}, ${most}, true) u ON k.id IS NOT NULL`;
}

/** The payments with an event that had no receiver; no row while the index is being built. */
export const LIST_WITHOUT_RECEIVER = `
  SELECT u.payment_id::text AS id FROM pg_index, untold_payments('${NOBODY}', ${BEFORE}, ${MOST_FOUND}, false) u
  WHERE indexrelid = to_regclass('delivery_untold') AND indisvalid`;

/**
 * For payments by their quote ids: the events that each destination was not told. `since` is the time of an event. Its
 * delivery is a moment younger: a recovery from the delivery's time on would leave the event out.
 */
export const UNTOLD_OF = `
  SELECT p.quote_id AS "quoteId", d.destination_id AS id, x.kind, x.url, x.description, count(*)::int AS events,
    min(d.sequence) AS sequence, min(e.time) AS since
  FROM payment p
  JOIN event_entry e ON e.payment_id = p.id
  JOIN delivery d ON d.event_position = e.position
  LEFT JOIN destination x ON x.id = d.destination_id
  WHERE p.quote_id = ANY ($1::text[]) AND ${UNSETTLED} AND ${IS_UNTOLD}
  GROUP BY p.quote_id, d.destination_id, x.kind, x.url, x.description, x.created_at
  ORDER BY p.quote_id, x.created_at, d.destination_id`;

/** The events of the last minute that had no receiver; reads the newest first. */
export const WITHOUT_RECEIVER = `
  SELECT count(*)::int AS count FROM (
    SELECT created_at, destination_id, state FROM delivery
    WHERE (destination_id, state, id) < ('${NOBODY}', 'discarded', ${LAST_ID})
    ORDER BY destination_id DESC, state DESC, id DESC LIMIT 1000
  ) d WHERE d.destination_id = '${NOBODY}' AND d.state = 'discarded' AND d.created_at > now() - interval '1 minute'`;
