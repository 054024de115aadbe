import { printable } from './printable.ts';

const MAX_ORDER_ID = 200;
const MAX_DESCRIPTION = 80;
const HALF_A_CHARACTER = /[\ud800-\udbff]$/;
/** Text that needs no quotation marks in a sentence. */
const PLAIN = /^[\w.:/#@+-]+$/;

/** Makes a user's text safe for the log: one printable line of at most `most` characters. */
function lineOf(text: string, most: number): string {
  const line = printable(text.slice(0, 2 * most), ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(HALF_A_CHARACTER, '')}…`;
}

/** An order id for a field of a log line. */
export function loggedOrderId(orderId: string): string {
  return lineOf(orderId, MAX_ORDER_ID);
}

/** An endpoint's description for a field of a log line. */
export function loggedDescription(description: string): string {
  return lineOf(description, MAX_DESCRIPTION);
}

/** ` (order A-17)`, to append to a log line about an event; '' without an order id. */
export function ofOrder(orderId: string | null): string {
  if (orderId === null) return '';
  const shown = loggedOrderId(orderId);
  return ` (order ${PLAIN.test(shown) ? shown : JSON.stringify(shown)})`;
}

/** `0a8c… ("shop EU")`: an endpoint in a log line. */
export function endpointName(id: string, description: string | null): string {
  const shown = description === null ? '' : loggedDescription(description);
  return shown === '' ? id : `${id} (${JSON.stringify(shown)})`;
}
