import type { ConsumeMessage, Options } from 'amqplib';

/** More would not fit into one frame, which is all that headers have. */
const MAX_KEPT_HEADERS = 20;
const MAX_KEPT_CHARACTERS = 200;
const MAX_REASON_CHARACTERS = 500;
/** What the broker and Paybell have counted of the original, and what would send the copy elsewhere. */
const NOT_KEPT = /^(x-delivery-count|x-acquired-count|x-(first-|last-)?death.*|x-paybell-.*|b?cc)$/i;
/** Of a property, and of a header's name. */
const MAX_SHORT_BYTES = 255;

const ATTEMPTS = 'x-paybell-attempts';
/** Of those before it was put back, and of those on a classic queue, which counts none. */
const OWN_DELIVERIES = 'x-paybell-deliveries';
const DELIVERIES = 'x-delivery-count';

export type OwnHeaders = Readonly<Record<string, unknown>>;

/** Tries that count against the message, those of this delivery apart. */
export function attemptsBefore(message: ConsumeMessage): number {
  return countIn(message, ATTEMPTS);
}

/** How often it was delivered before and not acknowledged; 0: it is new. */
export function deliveriesBefore(message: ConsumeMessage): number {
  const uncounted = isUncounted(message) ? 1 : 0;
  return countIn(message, DELIVERIES) + countIn(message, OWN_DELIVERIES) + uncounted;
}

/** Whether the broker knows that it was delivered before, and not how often: a classic queue does not count. */
export function isUncounted(message: ConsumeMessage): boolean {
  return message.fields.redelivered && countIn(message, DELIVERIES) === 0;
}

/** The headers of a copy that goes back to its queue. */
export function returnedHeaders(attempts: number, deliveries = 0): OwnHeaders {
  return {
    ...(attempts === 0 ? {} : { [ATTEMPTS]: int32(attempts) }),
    ...(deliveries === 0 ? {} : { [OWN_DELIVERIES]: int32(deliveries) }),
  };
}

/** The headers of a copy in the queue of rejected messages. */
export function rejectedHeaders(code: string, reason: string, attempts: number): OwnHeaders {
  return {
    'x-paybell-code': code,
    'x-paybell-reason': reason.slice(0, MAX_REASON_CHARACTERS),
    [ATTEMPTS]: int32(attempts),
  };
}

/** The properties of a copy: those of the original but for what would change where it goes, or whether it stays. */
export function copyOf({ properties }: ConsumeMessage, own: OwnHeaders): Options.Publish {
  const timestamp: unknown = properties.timestamp;
  const time = Number.isSafeInteger(timestamp) ? { timestamp: timestamp as number } : {};
  return {
    mandatory: true,
    persistent: true,
    ...keptTexts(properties),
    ...time,
    headers: { ...keptHeaders(properties.headers ?? {}), ...own },
  };
}

/** Bytes that are no UTF-8 have become longer when they were read, and amqplib throws at what it can't encode. */
function keptTexts(properties: ConsumeMessage['properties']): Options.Publish {
  const { contentType, contentEncoding, messageId, correlationId, replyTo, type, appId } = properties;
  const texts = { contentType, contentEncoding, messageId, correlationId, replyTo, type, appId };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => isShort(text)));
}

function isShort(text: unknown): boolean {
  return typeof text === 'string' && Buffer.byteLength(text) <= MAX_SHORT_BYTES;
}

function keptHeaders(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => isShort(name) && !NOT_KEPT.test(name) && isPlain(value),
  );
  return Object.fromEntries(kept.slice(0, MAX_KEPT_HEADERS));
}

/** No lists and tables, as nobody knows how large they are, and no whole numbers that amqplib would not encode. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_KEPT_CHARACTERS;
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  return typeof value === 'boolean' || Number.isFinite(value);
}

/** Anybody may have written the header. */
function countIn({ properties }: ConsumeMessage, header: string): number {
  const count: unknown = properties.headers?.[header];
  return Number.isSafeInteger(count) ? Math.max(count as number, 0) : 0;
}

/** One width for every value: left alone, amqplib sends 127 as a byte and 128 as a short. */
function int32(value: number): unknown {
  return { '!': 'int32', value };
}
