import type { ConsumeMessage, Options } from 'amqplib';

/** All headers of a message must fit into one AMQP frame. */
const MAX_COPIED_HEADERS = 20;
const MAX_COPIED_CHARACTERS = 200;
const MAX_REASON_CHARACTERS = 500;
/** Headers that count the original's deliveries, and headers that would route the copy elsewhere. */
const DROPPED_HEADERS = /^(x-delivery-count|x-acquired-count|x-(first-|last-)?death.*|x-paybell-.*|b?cc)$/i;
/** The longest AMQP property and header name. */
const MAX_SHORT_BYTES = 255;

const ATTEMPTS = 'x-paybell-attempts';
/** Counts deliveries before the message was put back, and deliveries on a classic queue, which counts none itself. */
const OWN_DELIVERIES = 'x-paybell-deliveries';
const DELIVERIES = 'x-delivery-count';

export type OwnHeaders = Readonly<Record<string, unknown>>;

/** The failed attempts at the message before this delivery. */
export function attemptsBefore(message: ConsumeMessage): number {
  return countIn(message, ATTEMPTS);
}

/** The number of earlier deliveries that were not acknowledged; 0: the message is new. */
export function deliveriesBefore(message: ConsumeMessage): number {
  const uncounted = isUncounted(message) ? 1 : 0;
  return countIn(message, DELIVERIES) + countIn(message, OWN_DELIVERIES) + uncounted;
}

/** True for a redelivered message of a classic queue, which does not count deliveries. */
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

/** The properties of a copy: those of the original, except the ones that change its routing or expiry. */
export function copyOf({ properties }: ConsumeMessage, own: OwnHeaders): Options.Publish {
  const timestamp: unknown = properties.timestamp;
  const time = Number.isSafeInteger(timestamp) ? { timestamp: timestamp as number } : {};
  return {
    mandatory: true,
    persistent: true,
    ...copiedProperties(properties),
    ...time,
    headers: { ...copiedHeaders(properties.headers ?? {}), ...own },
  };
}

/**
 * Leaves out texts that are too long, for which amqplib throws: decoding makes a property with invalid UTF-8 longer than its
 * bytes.
 */
function copiedProperties(properties: ConsumeMessage['properties']): Options.Publish {
  const { contentType, contentEncoding, messageId, correlationId, replyTo, type, appId } = properties;
  const texts = { contentType, contentEncoding, messageId, correlationId, replyTo, type, appId };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => isShort(text)));
}

function isShort(text: unknown): boolean {
  return typeof text === 'string' && Buffer.byteLength(text) <= MAX_SHORT_BYTES;
}

function copiedHeaders(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => isShort(name) && !DROPPED_HEADERS.test(name) && isPlain(value),
  );
  return Object.fromEntries(kept.slice(0, MAX_COPIED_HEADERS));
}

/** Leaves out lists and tables, whose size is unbounded, and integers that amqplib cannot encode. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_COPIED_CHARACTERS;
  if (Number.isInteger(value)) return Number.isSafeInteger(value);
  return typeof value === 'boolean' || Number.isFinite(value);
}

/** Accepts any value: any client may have set the header. */
function countIn({ properties }: ConsumeMessage, header: string): number {
  const count: unknown = properties.headers?.[header];
  return Number.isSafeInteger(count) ? Math.max(count as number, 0) : 0;
}

/** A fixed width: by default amqplib encodes 127 as a byte and 128 as a short. */
function int32(value: number): unknown {
  return { '!': 'int32', value };
}
