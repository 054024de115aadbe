/** What a merchant asks of the payments of years: every list with each filter, and every kind of search. */

const DAY_MS = 86_400_000;
const PAYMENTS = '/api/payments?limit=100';
const EVENTS = '/api/events?limit=100';
const DELIVERIES = '/api/webhook-deliveries?limit=100';
/** It has all deliveries that were acknowledged. */
export const ENDPOINT = '00000000-0000-4000-8000-000000000001';
/** No value begins with it, nor ends. */
const NONE = 'ffffffffff0123456789';

/**
 * A payment that is asked for; its cursors are those of lists that go on after it.
 * @typedef {{ quote_id: string, order_id: string, deposit_address: string, output_hash: string, recipient: string, event_id: string,
 *   created_at: Date, payment_cursor: string, delivery_cursor: string, delivery_id: string }} Known
 */

/**
 * Each with its name.
 * @param {string} everyones a value that all payments have
 * @param {readonly Known[]} known
 * @returns {[string, (one: Known) => string][]}
 */
export function requests(everyones, known) {
  const page = known.map((one) => `quoteId=${one.quote_id}`).slice(0, 100);
  const search = `${PAYMENTS}&search=`;
  return [
    ['payments: newest', () => PAYMENTS],
    ['payments: page after a cursor', (one) => `${PAYMENTS}&cursor=${one.payment_cursor}`],
    ...['AWAITING_DEPOSIT', 'EXECUTING', 'COMPLETED', 'FAILED', 'EXPIRED'].map(
      (status) =>
        /** @type {[string, () => string]} */ ([`payments: ${status}`, () => `${PAYMENTS}&status=${status}`]),
    ),
    ['payments: of three statuses', () => `${PAYMENTS}&status=FAILED&status=EXPIRED&status=AWAITING_DEPOSIT`],
    ['payments: FAILED after a cursor', (one) => `${PAYMENTS}&status=FAILED&cursor=${one.payment_cursor}`],
    ['payments: createdBefore', (one) => `${PAYMENTS}&createdBefore=${one.created_at.toISOString()}`],
    ['payments: createdAfter', (one) => `${PAYMENTS}&createdAfter=${one.created_at.toISOString()}`],
    ['payments: of a day, FAILED', (one) => `${PAYMENTS}&status=FAILED&${dayBefore(one)}`],
    [
      'payments: of a day, AWAITING_DEPOSIT',
      (one) => `${PAYMENTS}&status=AWAITING_DEPOSIT&${dayBefore(one)}`,
    ],
    ['payments: of an order', (one) => `${PAYMENTS}&orderId=${one.order_id}`],
    ['payments: of an order of very many', () => `${PAYMENTS}&orderId=A-many`],
    ['payments: of these, on a day', (one) => `${PAYMENTS}&orderId=A-many&${dayBefore(one)}`],
    ['payments: of these, AWAITING_DEPOSIT', () => `${PAYMENTS}&orderId=A-many&status=AWAITING_DEPOSIT`],
    ['payments: late', () => `${PAYMENTS}&late=true`],
    ['payments: late after a cursor', (one) => `${PAYMENTS}&late=true&cursor=${one.payment_cursor}`],
    ['payments: late, FAILED on a day', (one) => `${PAYMENTS}&late=true&status=FAILED&${dayBefore(one)}`],
    ['payments: not late', () => `${PAYMENTS}&late=false`],
    ['payments: stalled', () => `${PAYMENTS}&stalled=true`],
    ['payments: with an anomaly', () => `${PAYMENTS}&anomaly=true`],
    ['payments: with an anomaly, resolved', () => `${PAYMENTS}&anomaly=true&resolved=true`],
    ['payments: resolved', () => `${PAYMENTS}&resolved=true`],
    ['payments: not resolved', (one) => `${PAYMENTS}&resolved=false&cursor=${one.payment_cursor}`],
    ['payments: undelivered', () => `${PAYMENTS}&undelivered=true`],
    ['payments: undelivered, COMPLETED', () => `${PAYMENTS}&undelivered=true&status=COMPLETED`],
    ['payments: nothing undelivered', () => `${PAYMENTS}&undelivered=false`],
    ['payments: of a chain', () => `${PAYMENTS}&chain=8453`],
    ['payments: of a chain after a cursor', (one) => `${PAYMENTS}&chain=Base&cursor=${one.payment_cursor}`],
    ['payments: of a chain that none has', () => `${PAYMENTS}&chain=1`],
    ['payments: of a symbol', () => `${PAYMENTS}&token=USDC`],
    ['payments: of a symbol that none has', () => `${PAYMENTS}&token=WETH`],
    ["payments: of all payments' token", () => `${PAYMENTS}&token=${everyones}`],
    ['payments: of a token that none has', () => `${PAYMENTS}&token=0x${NONE}${NONE}`],
    ['payments: of a chain, late', () => `${PAYMENTS}&chain=8453&late=true`],
    ['search: quote id', (one) => `${search}${one.quote_id}`],
    ['search: 8 digits of one', (one) => `${search}${one.quote_id.slice(0, 8)}`],
    ['search: no quote id', (one) => `${search}${one.quote_id.slice(0, 24)}${NONE.slice(0, 12)}`],
    ['search: order id', (one) => `${search}${one.order_id}`],
    ['search: no order id', (one) => `${search}${one.order_id}-none`],
    ['search: order id of very many', () => `${search}A-many`],
    ['search: deposit address', (one) => `${search}${one.deposit_address}`],
    ['search: 6 digits of one', (one) => `${search}${one.deposit_address.slice(0, 8)}`],
    ['search: no address', (one) => `${search}${one.deposit_address.slice(0, 22)}${NONE}`],
    ['search: transaction', (one) => `${search}${one.output_hash}`],
    ['search: 10 digits of one', (one) => `${search}${one.output_hash.slice(0, 12)}`],
    ['search: no transaction', (one) => `${search}0x${NONE}${one.output_hash.slice(22)}`],
    ['search: no digits of one', () => `${search}0x${NONE.slice(0, 8)}`],
    ['search: no base58 address', (one) => `${search}So1${one.output_hash.slice(2, 43)}`],
    ['search: one of 1,000 recipients', (one) => `${search}${one.recipient}`],
    [
      'search: of these, FAILED on a day',
      (one) => `${search}${one.recipient}&status=FAILED&${dayBefore(one)}`,
    ],
    ['search: what all have', () => `${search}${everyones}`],
    ['search: its first 8 characters', () => `${search}${everyones.slice(0, 8)}`],
    ['search: of all, FAILED on a day', (one) => `${search}${everyones}&status=FAILED&${dayBefore(one)}`],
    ['search: of all, after a cursor', (one) => `${search}${everyones}&cursor=${one.payment_cursor}`],
    ['search: what all have, and no such value', () => `${search}${everyones.slice(0, 14)}${NONE}`],
    ['progress of a page of payments', () => `/api/payment-progress?${page.join('&')}`],
    ['one payment', (one) => `/api/payments/${one.quote_id}`],
    ['its events', (one) => `/api/payments/${one.quote_id}/events`],
    ['events: from the start', () => EVENTS],
    ['events: after one', (one) => `${EVENTS}&after=${one.event_id}`],
    ['events: of a type', () => `${EVENTS}&type=payment.completed`],
    ['events: of a rare type', () => `${EVENTS}&type=payment.anomaly`],
    ['events: of a quote', (one) => `${EVENTS}&quoteId=${one.quote_id}`],
    ['events: of an order', (one) => `${EVENTS}&orderId=${one.order_id}`],
    ['events: of an order of very many', () => `${EVENTS}&orderId=A-many`],
    ['deliveries: newest', () => DELIVERIES],
    ['deliveries: page after a cursor', (one) => `${DELIVERIES}&cursor=${one.delivery_cursor}`],
    ['deliveries: failed', () => `${DELIVERIES}&state=failed`],
    ['deliveries: pending', () => `${DELIVERIES}&state=pending`],
    [
      'deliveries: failed after a cursor',
      (one) => `${DELIVERIES}&state=failed&cursor=${one.delivery_cursor}`,
    ],
    ['deliveries: of an endpoint', () => `${DELIVERIES}&endpointId=${ENDPOINT}`],
    ['deliveries: of an endpoint, failed', () => `${DELIVERIES}&endpointId=${ENDPOINT}&state=failed`],
    ['deliveries: of a quote', (one) => `${DELIVERIES}&quoteId=${one.quote_id}`],
    ['deliveries: of an order', (one) => `${DELIVERIES}&orderId=${one.order_id}`],
    ['deliveries: of an order of very many', () => `${DELIVERIES}&orderId=A-many`],
    ['deliveries: of these, failed', () => `${DELIVERIES}&orderId=A-many&state=failed`],
    ['one delivery', (one) => `/api/webhook-deliveries/${one.delivery_id}`],
    ['attention', () => '/api/attention'],
    ['provider', () => '/api/provider'],
    ['figures of a day', () => `/api/figures?from=${daysAgo(1)}&step=600`],
    ['figures of 14 days', () => `/api/figures?from=${daysAgo(14)}&step=3600`],
    ['audit log: newest', () => '/api/audit?limit=100'],
    ['system', () => '/api/system'],
  ];
}

function daysAgo(/** @type {number} */ days) {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

/** The window of time that ends with a payment. */
function dayBefore(/** @type {Known} */ { created_at: end }) {
  const start = new Date(end.getTime() - DAY_MS);
  return `createdBefore=${end.toISOString()}&createdAfter=${start.toISOString()}`;
}
