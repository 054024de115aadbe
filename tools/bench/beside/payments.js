/**
 * Open payments of every class, made from their ids alone: most await their deposit, some are in flight, a few have expired.
 */
import { quoteObject } from '../../../build/tools/testkit/provider-objects.js';
import { reportText, STEPS } from '../reports.js';

/** The number of payments in flight among 256. */
const IN_FLIGHT = 26;
const EXPIRED_IDS = 5;
const EXECUTING = STEPS.indexOf('EXECUTING');
/** Beyond the last step: an expired payment moves no more. */
const EXPIRED = STEPS.length;
/** With this short estimate, Paybell does not delay the next poll of a payment that was just paid. */
const ESTIMATE = '5s';

/** The provider's state of a payment before its first move. */
export function firstStepOf(/** @type {string} */ quoteId) {
  const place = Number.parseInt(quoteId.slice(-2), 16);
  if (place < IN_FLIGHT) return EXECUTING;
  return place < IN_FLIGHT + EXPIRED_IDS ? EXPIRED : 0;
}

/** How many changes will still come. */
export function changesOf(/** @type {string} */ quoteId) {
  return Math.max(STEPS.length - 1 - firstStepOf(quoteId), 0);
}

/** @type {(quoteId: string, step: number, changedAtNs: string) => string} */
export function mixedReportText(quoteId, step, changedAtNs) {
  if (step !== EXPIRED) return reportText(quoteId, step, changedAtNs);
  return reportText(quoteId, 0, changedAtNs).replace('"AWAITING_DEPOSIT"', '"EXPIRED"');
}

/** A quote that was made elsewhere, in a merchant's request to `POST /api/payments`. */
export function adoptionOf(/** @type {string} */ quoteId) {
  const quote = quoteObject(quoteId);
  const { depositAddress } = JSON.parse(reportText(quoteId));
  const send = { .../** @type {object} */ (quote['send']), depositAddress };
  const metadata = { shop: 'bench' };
  return {
    quoteId,
    orderId: `A-${quoteId.slice(0, 8)}`,
    metadata,
    quote: { ...quote, send, estimatedTime: ESTIMATE },
  };
}
