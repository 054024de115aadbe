import { InvalidCursor } from '../../ports/payments.ts';

/** Which list a cursor is of: payments, deliveries, or a payment's events. */
type ListMark = 'p' | 'd' | 'e';

/** Opaque to the outside: lists are in the order in which their rows were stored. */
export function writeCursor(list: ListMark, id: string): string {
  return Buffer.from(`${list}${id}`).toString('base64url');
}

export function readCursor(list: ListMark, cursor: string): string {
  const match = /^([pde])(\d{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match?.[1] !== list || match[2] === undefined) throw new InvalidCursor();
  return match[2];
}
