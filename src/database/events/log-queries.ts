import { spellingsOf } from '../../domain/payment/reading.ts';
import type { LogFilter } from '../../ports/event-log.ts';
import { withinBytes } from '../connection/page-bytes.ts';

/**
 * The most events that one page reads, including those that the filter drops: a rare type must not make it read the
 * whole log.
 */
const MAX_POLLED = 10_000;
/** For an order with more payments, the log is read page by page instead of payment by payment. */
export const MAX_ORDER_PAYMENTS = 1_000;

export interface LogQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/**
 * Reads events after rank $1 and position $2: at most $3 events and a page's bytes, of the types $4. The last row has
 * no id, and the position up to which the page has read.
 */
export function logQuery(
  after: readonly [rank: string, position: string],
  limit: number,
  filter: LogFilter,
  isByPayment: boolean,
): LogQuery {
  const { types, quoteId, orderId } = filter;
  const parameters: unknown[] = [...after, limit, types];
  const conditions: string[] = [];
  if (quoteId !== undefined)
    conditions.push(`p.quote_id = ANY ($${parameters.push(spellingsOf(quoteId))}::text[])`);
  if (orderId !== undefined) conditions.push(`p.order_id = $${parameters.push(orderId)}`);
  const chosen = conditions.join(' AND ');
  if (isByPayment) return { sql: pageOf(foundByPayment(chosen), LAST), parameters };
  return { sql: pageOf(foundByWalk(chosen), LAST_POLLED), parameters };
}

/** All parts see one snapshot and its horizon, which is the oldest transaction still running. */
function pageOf(found: string, last: string): string {
  return `
    WITH horizon AS MATERIALIZED (SELECT log_horizon() AS rank),
    found AS MATERIALIZED (${withinBytes(found, 'octet_length(body)', 'log_rank, position')}),
    last AS MATERIALIZED (${last})
    SELECT id, type, payment_id, body, log_rank, position FROM found
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, last.log_rank, last.position FROM last`;
}

const AFTER = `(log_rank, position) > ($1::bigint, $2::bigint) AND log_rank < (SELECT rank FROM horizon)`;
const IN_ORDER = `ORDER BY log_rank, position`;
const OF_TYPES = `($4::text[] = '{}' OR e.type = ANY ($4::text[]))`;

function foundByWalk(chosen: string): string {
  const isTheirs =
    chosen === '' ? 'true' : `EXISTS (SELECT 1 FROM payment p WHERE p.id = e.payment_id AND ${chosen})`;
  return withBodies(`
    SELECT position FROM (SELECT * FROM event_entry WHERE ${AFTER} ${IN_ORDER} LIMIT ${MAX_POLLED}) e
    WHERE ${OF_TYPES} AND ${isTheirs} ${IN_ORDER} LIMIT $3`);
}

/** Reads events before the sort: otherwise the planner would walk through the log in the hope of meeting them soon. */
function foundByPayment(chosen: string): string {
  return withBodies(`
    WITH theirs AS MATERIALIZED (
      SELECT * FROM event_entry WHERE payment_id = ANY (ARRAY(SELECT p.id FROM payment p WHERE ${chosen})))
    SELECT position FROM theirs e WHERE ${AFTER} AND ${OF_TYPES} ${IN_ORDER} LIMIT $3`);
}

/** Looks up bodies only for the events of the page: the limit makes PostgreSQL do so after the sort. */
function withBodies(positions: string): string {
  return `
    SELECT id, type, payment_id, body, log_rank, position
    FROM event WHERE position = ANY (ARRAY(${positions})) ${IN_ORDER} LIMIT $3`;
}

/** A full page ends with its last event, and nothing beyond it is read. */
const UNLESS_FULL = `(SELECT count(*) < $3 AND bool_or(is_cut) IS NOT TRUE FROM found)`;

const LAST = `
  SELECT log_rank, position, false AS is_cut FROM event
  WHERE ${AFTER} AND ${UNLESS_FULL} ORDER BY log_rank DESC, position DESC LIMIT 1`;

const LAST_POLLED = `
  SELECT * FROM (
    (SELECT log_rank, position, true AS is_cut FROM event
     WHERE ${AFTER} AND ${UNLESS_FULL} ${IN_ORDER} OFFSET ${MAX_POLLED - 1} LIMIT 1)
    UNION ALL (${LAST})
  ) either ORDER BY is_cut DESC LIMIT 1`;

/**
 * The position of an event. For an event above the horizon it is the horizon: readers must not skip events that may still come
 * before the event.
 */
export const FIND_EVENT = `
  SELECT least(log_rank, log_horizon()) AS rank,
    CASE WHEN log_rank < log_horizon() THEN position ELSE 0 END AS position
  FROM event WHERE id = $1::uuid`;

/**
 * The position at which readers go on after a lost event of this time: that of the epoch that began soon after it. The id of
 * `payment.completed` has no time: after such an event readers read the whole log, if any events were ever lost.
 */
export const RESUME = `
  SELECT CASE WHEN $1::timestamptz IS NULL THEN 0 ELSE min(resume_rank) END AS rank FROM database_history
  WHERE resume_at IS NOT NULL
    AND ($1 IS NULL OR resume_at <= $1 AND began_at >= $1 - interval '1 minute') HAVING count(*) > 0`;

/**
 * The position of an event, not the horizon: a crash of PostgreSQL undoes transactions that did not wait for the disk
 * and gives their ids again, so that the horizon goes back.
 */
export const LAST_EVENT = `
  SELECT log_rank, position FROM event WHERE log_rank < log_horizon() ORDER BY log_rank DESC, position DESC LIMIT 1`;

/** The position of the event before the last $1 events. */
export const BEFORE_LAST = `
  SELECT log_rank, position FROM event WHERE log_rank < log_horizon()
  ORDER BY log_rank DESC, position DESC OFFSET $1 LIMIT 1`;

export const HORIZON = `SELECT log_horizon() AS rank`;

/** Takes one step into the index: reads the first event that the log holds back, which is nearly the oldest. */
export const HELD_FOR = `
  SELECT greatest(extract(epoch FROM now() - e.time) * 1000, 0)::float8 AS ms
  FROM event e WHERE e.log_rank >= log_horizon() ORDER BY e.log_rank, e.position LIMIT 1`;

/** The oldest transaction on the server that has written, in any database: the log waits for it. */
export const HOLDER = `
  SELECT pid, application, prepared, since FROM (
    SELECT pid, application_name AS application, NULL AS prepared, xact_start AS since, age(backend_xid) AS age
    FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
    UNION ALL
    SELECT NULL, NULL, gid, prepared, age(transaction) FROM pg_prepared_xacts
  ) open WHERE since IS NOT NULL ORDER BY age DESC LIMIT 1`;

export const COUNT_PAYMENTS = `
  SELECT count(*)::int AS payments FROM (SELECT 1 FROM payment WHERE order_id = $1 LIMIT ${MAX_ORDER_PAYMENTS + 1}) p`;
