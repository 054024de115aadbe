import type { ConsumeMessage, Options } from 'amqplib';

/** More would not fit into one frame, which is all that headers have. */
const MAX_KEPT_HEADERS = 20;
const MAX_KEPT_CHARACTERS = 200;
const MAX_REASON_CHARACTERS = 500;
/** What the broker and Paybell have counted of the original. */
const NOT_KEPT = /^(x-delivery-count|x-acquired-count|x-(first-|last-)?death.*|x-paybell-.*)$/i;

const ATTEMPTS = 'x-paybell-attempts';
const DELIVERIES = 'x-delivery-count';

export type OwnHeaders = Readonly<Record<string, unknown>>;

/** Tries that count against the message, those of this delivery apart. */
export function attemptsBefore(message: ConsumeMessage): number {
  return countIn(message, ATTEMPTS);
}

/** How often the broker has delivered it before, as quorum queues count. */
export function deliveriesBefore(message: ConsumeMessage): number {
  return countIn(message, DELIVERIES);
}

/** The headers of a copy that goes back to its queue. */
export function returnedHeaders(attempts: number): OwnHeaders {
  return attempts === 0 ? {} : { [ATTEMPTS]: int32(attempts) };
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
  const { contentType, contentEncoding, messageId, correlationId, replyTo, type, appId, timestamp } =
    properties;
  return {
    mandatory: true,
    persistent: true,
    contentType,
    contentEncoding,
    messageId,
    correlationId,
    replyTo,
    type,
    appId,
    timestamp,
    headers: { ...keptHeaders(properties.headers ?? {}), ...own },
  };
}

function keptHeaders(headers: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(headers).filter(([name, value]) => !NOT_KEPT.test(name) && isPlain(value));
  return Object.fromEntries(kept.slice(0, MAX_KEPT_HEADERS));
}

/** No lists and tables: a `CC` would route the copy elsewhere, and nobody knows how large they are. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_KEPT_CHARACTERS;
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
