import { MOST_IN_ORDER } from '../../domain/payment/order.ts';

/** The newest payments of an order, as an SQL expression. */
function ofOrder(orderId: string): string {
  return `(SELECT o.id, o.status, o.resolution FROM payment o WHERE o.order_id = ${orderId}
    ORDER BY o.order_id DESC, o.created_at DESC LIMIT ${MOST_IN_ORDER})`;
}

function isNoDuplicate(payment: string): string {
  return `(${payment}.resolution IS NULL OR ${payment}.resolution::json ->> 'reason' <> 'duplicate')`;
}

/**
 * Payments `p` of an order that another payment had completed before, until a person has resolved all but one as duplicates.
 * Begins with the condition of the partial index, word for word: see indexes.ts.
 */
export const PAID_TWICE = `p.paid_again AND ${isNoDuplicate('p')} AND EXISTS (
    SELECT FROM ${ofOrder('p.order_id')} other
    WHERE other.id <> p.id AND other.status = p.status AND ${isNoDuplicate('other')})`;

/** For each of the orders $1: whether one of its payments has one of the statuses $2. */
export const HAVE_PAYMENTS = `
  SELECT EXISTS (
    SELECT FROM ${ofOrder('asked.order_id')} other WHERE other.status = ANY ($2::text[]) AND ${isNoDuplicate('other')}
  ) AS has_payment
  FROM unnest($1::text[]) WITH ORDINALITY AS asked (order_id, n) ORDER BY asked.n`;
