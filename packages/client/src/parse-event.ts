import { isSequence, type PaybellEvent } from './events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Says that a text is no event of Paybell. */
export class UnreadableEvent extends Error {
  override readonly name = 'UnreadableEvent';
  readonly code = 'unreadable_event';
}

/** Fatal, so that different bytes cannot decode to the same text. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads an event from the text that webhooks, RabbitMQ, the event log and streams carry. Throws UnreadableEvent for any other text.
 * An event about a payment has its quote id, a sequence and a status; types and statuses of a newer Paybell are read too.
 */
export function parseEvent(content: string | Uint8Array): PaybellEvent {
  const event = parse(typeof content === 'string' ? content : textOf(content));
  if (!isObject(event) || !isObject(event['data'])) throw new UnreadableEvent('This is not an event.');
  for (const field of ['id', 'type', 'source', 'time'])
    if (!isText(event[field])) throw new UnreadableEvent(`This is not an event: it has no ${field}.`);
  if (event['specversion'] !== '1.0') throw new UnreadableEvent('This is not an event of CloudEvents 1.0.');
  if (isAboutPayment(event)) refuseWithoutPayment(event, event['data']);
  return event as unknown as PaybellEvent;
}

function isAboutPayment({ type, subject }: Fields): boolean {
  return subject !== undefined || String(type).startsWith('payment.');
}

function refuseWithoutPayment({ subject }: Fields, { quoteId, sequence, status }: Fields): void {
  const isRead = {
    subject: isText(subject),
    quoteId: isText(quoteId),
    status: isText(status),
    sequence: isSequence(sequence),
  };
  for (const [field, isThere] of Object.entries(isRead))
    if (!isThere)
      throw new UnreadableEvent(`This is not an event: its ${field} is missing or cannot be read.`);
}

/** The bytes as UTF-8. Throws UnreadableEvent. */
export function textOf(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new UnreadableEvent('This is not an event: it is not UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableEvent('This is not an event: it is not JSON.');
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
