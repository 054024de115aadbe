import { MOST_IN_ORDER } from '../../domain/payment/order.ts';
import { MOST_COUNTED } from '../../ports/attention.ts';

/** The newest payments of an order, as an SQL expression. */
function ofOrder(orderId: string): string {
  return `(SELECT o.id, o.status, o.resolution FROM payment o WHERE o.order_id = ${orderId}
    ORDER BY o.order_id DESC, o.created_at DESC LIMIT ${MOST_IN_ORDER})`;
}

function isNoDuplicate(payment: string): string {
  return `(${payment}.resolution IS NULL OR ${payment}.resolution::json ->> 'reason' <> 'duplicate')`;
}

/**
 * The ids of the payments of each order that was paid more than once, until a person has resolved all but one of them as
 * duplicates. Begins with the newest payments that completed after another one, which have an index: see indexes.ts.
 */
const PAID_TWICE_IDS = `
  SELECT paid.id FROM (
    SELECT order_id, status FROM payment WHERE paid_again ORDER BY created_at DESC LIMIT ${MOST_COUNTED}
  ) again CROSS JOIN LATERAL (
    SELECT one.id, count(*) OVER () AS payments FROM ${ofOrder('again.order_id')} one
    WHERE one.status = again.status AND ${isNoDuplicate('one')}
  ) paid
  WHERE paid.payments > 1`;

/** Payments `p` of an order that was paid more than once. */
export const PAID_TWICE = `p.id = ANY (ARRAY(${PAID_TWICE_IDS}))`;

/** For each of the orders $1: whether one of its payments has one of the statuses $2. */
export const HAVE_PAYMENTS = `
  SELECT EXISTS (
    SELECT FROM ${ofOrder('asked.order_id')} other WHERE other.status = ANY ($2::text[]) AND ${isNoDuplicate('other')}
  ) AS has_payment
  FROM unnest($1::text[]) WITH ORDINALITY AS asked (order_id, n) ORDER BY asked.n`;
