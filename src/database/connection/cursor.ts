import { InvalidCursor } from '../../ports/payments.ts';

/** The list to which a cursor belongs: deliveries, a payment's events, or unanswered quotes. */
type ListMark = 'd' | 'e' | 'u';

/** A position in the list of payments; the next page begins after it. */
export interface PaymentPosition {
  /** Microseconds since 1970. */
  readonly createdUs: string;
  readonly id: string;
}

/** An opaque cursor for lists in the order in which their rows were stored. */
export function writeCursor(list: ListMark, id: string): string {
  return Buffer.from(`${list}${id}`).toString('base64url');
}

export function readCursor(list: ListMark, cursor: string): string {
  const match = /^([deu])(\d{1,18})$/.exec(textOf(cursor));
  if (match?.[1] !== list || match[2] === undefined) throw new InvalidCursor();
  return match[2];
}

export function writePaymentCursor({ createdUs, id }: PaymentPosition): string {
  return Buffer.from(`p${createdUs}.${id}`).toString('base64url');
}

export function readPaymentCursor(cursor: string): PaymentPosition {
  const match = /^p(-?\d{1,18})\.(\d{1,18})$/.exec(textOf(cursor));
  if (match?.[1] === undefined || match[2] === undefined) throw new InvalidCursor();
  return { createdUs: match[1], id: match[2] };
}

/** A position in the audit log; the next page begins after this entry. */
export interface AuditPosition {
  /** Microseconds since 1970. */
  readonly timeUs: string;
  readonly id: string;
}

export function writeAuditCursor({ timeUs, id }: AuditPosition): string {
  return Buffer.from(`a${timeUs}.${id}`).toString('base64url');
}

export function readAuditCursor(cursor: string): AuditPosition {
  const match = /^a(\d{1,18})\.(\d{1,18})$/.exec(textOf(cursor));
  if (match?.[1] === undefined || match[2] === undefined) throw new InvalidCursor();
  return { timeUs: match[1], id: match[2] };
}

function textOf(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString();
}
