import { isOrderId, metadataFault } from '../../domain/payment/order-fields.ts';
import { isQuoteId, isRecord } from '../../domain/payment/reading.ts';
import { MAX_LINE_BYTES } from '../api/lines.ts';
import { memberText } from '../../domain/text/member-text.ts';

/** The facts that the lines of a file give about one payment. */
export interface NamedPayment {
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The quote object's text in the file. */
  readonly quoteText: string | null;
  /** The number of the newest event among the lines; 0 if the lines are no events. */
  readonly sequence: number;
  /** The number of the first line about the payment. */
  readonly line: number;
}

export type PaymentLine =
  | { readonly kind: 'payment'; readonly payment: NamedPayment }
  /** An event that is not about a payment, such as `webhook.test`. */
  | { readonly kind: 'no_payment' }
  | { readonly kind: 'unreadable'; readonly reason: string };

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Reads `{quoteId, orderId?, metadata?, quote?}`, or an event as webhooks and RabbitMQ carry it. Null for an empty line. */
export function readPaymentLine(bytes: Uint8Array | null, line: number): PaymentLine | null {
  if (bytes === null) return unreadable(`it is longer than ${MAX_LINE_BYTES / 1024} KiB`);
  let text: string;
  try {
    text = UTF8.decode(bytes).trim();
  } catch {
    return unreadable('it is not UTF-8');
  }
  if (text === '') return null;
  try {
    return readObject(JSON.parse(text), text, line);
  } catch {
    return unreadable('it is not JSON');
  }
}

function readObject(value: unknown, text: string, line: number): PaymentLine {
  if (!isRecord(value)) return unreadable('it is no JSON object');
  if (!('specversion' in value)) return readFields(value, text, 0, line);
  const { type, subject, data } = value;
  if (type === 'webhook.test') return { kind: 'no_payment' };
  if (!isRecord(data)) return unreadable('it is an event without data');
  const { quoteId = subject, sequence } = data;
  const number = Number.isSafeInteger(sequence) ? (sequence as number) : 0;
  return readFields({ ...data, quoteId }, memberText(text, 'data') ?? '', number, line);
}

function readFields(
  { quoteId, orderId = null, metadata = null, quote = null }: Record<string, unknown>,
  text: string,
  sequence: number,
  line: number,
): PaymentLine {
  if (quoteId === undefined || quoteId === null) return unreadable('it has no quoteId');
  if (!isQuoteId(quoteId)) return unreadable('its quoteId is not the id of a quote');
  if (orderId !== null && !isOrderId(orderId)) return unreadable('its orderId is not valid');
  const fault = metadata === null ? null : metadataFault(metadata);
  if (fault !== null) return unreadable(`its metadata ${fault.message}`);
  if (quote !== null && !isRecord(quote)) return unreadable('its quote is no JSON object');
  const payment: NamedPayment = {
    quoteId,
    orderId,
    metadata: metadata as Record<string, string> | null,
    quoteText: quote === null ? null : memberText(text, 'quote'),
    sequence,
    line,
  };
  return { kind: 'payment', payment };
}

/**
 * Merges two sets of facts about one payment: each field comes from the newer one, or from the older one if the newer lacks
 * it.
 */
export function mergePayments(before: NamedPayment, after: NamedPayment): NamedPayment {
  const [newer, older] = after.sequence >= before.sequence ? [after, before] : [before, after];
  return {
    ...newer,
    orderId: newer.orderId ?? older.orderId,
    metadata: newer.metadata ?? older.metadata,
    quoteText: newer.quoteText ?? older.quoteText,
    line: Math.min(before.line, after.line),
  };
}

function unreadable(reason: string): PaymentLine {
  return { kind: 'unreadable', reason };
}
