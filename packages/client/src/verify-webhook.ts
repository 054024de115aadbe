import { createPublicKey, type KeyObject, verify } from 'node:crypto';

import { Webhook, WebhookVerificationError } from 'standardwebhooks';

import type { PaybellEvent } from './events.ts';
import { parseEvent, textOf, UnreadableEvent } from './parse-event.ts';

/** Why a webhook was refused. */
export type RefusalCode = 'missing_header' | 'wrong_time' | 'wrong_signature' | 'unreadable_event';

/** Says that a request is no webhook of this Paybell: answer 401. `code` says why. */
export class InvalidWebhook extends Error {
  override readonly name = 'InvalidWebhook';
  constructor(
    readonly code: RefusalCode,
    message: string,
  ) {
    super(message);
  }
}

/** The headers of a request, in the form of Node, Express or the Fetch API. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

interface Signed {
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  readonly body: string;
}

const TOLERANCE_SECONDS = 300;
const SECRET = 'whsec_';
const PUBLIC_KEY = 'whpk_';
const SECRETS_WANTED = 'verifyWebhook needs a secret (whsec_…) or a public key (whpk_…), or a list of them.';

/**
 * Returns the event of a webhook that was signed with one of these secrets (`whsec_…`) or public keys (`whpk_…`) at most five
 * minutes ago. Throws InvalidWebhook for any other request, and TypeError for a parsed body or a malformed secret.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): PaybellEvent {
  const verifiers = verifiersOf(secrets);
  try {
    const signed = signedOf(rawBody, headers);
    if (!isRecent(signed.timestamp))
      throw new InvalidWebhook('wrong_time', 'The webhook was not sent within the last five minutes.');
    if (!verifiers.some((isSignedBy) => isSignedBy(signed)))
      throw new InvalidWebhook('wrong_signature', 'No signature of the webhook fits.');
    return eventOf(signed);
  } catch (error) {
    if (error instanceof UnreadableEvent) throw new InvalidWebhook(error.code, error.message);
    throw error;
  }
}

function signedOf(rawBody: string | Uint8Array, headers: WebhookHeaders): Signed {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new TypeError(
      'verifyWebhook needs the raw body, a string or bytes, before anything has parsed it.',
    );
  return {
    id: headerOf(headers, 'webhook-id'),
    timestamp: headerOf(headers, 'webhook-timestamp'),
    signatures: headerOf(headers, 'webhook-signature'),
    body: typeof rawBody === 'string' ? rawBody : textOf(rawBody),
  };
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : onlyOf(valueOf(headers, name));
  if (typeof value === 'string' && value !== '') return value;
  throw new InvalidWebhook('missing_header', `The request has no header ${name}.`);
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers['get'] === 'function';
}

function valueOf(headers: Readonly<Record<string, unknown>>, name: string): unknown {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

/** Some servers give a list for every header. Paybell sends each of its headers once: several values were never signed. */
function onlyOf(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? (value as unknown[])[0] : value;
}

function isRecent(timestamp: string): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Date.now() / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS;
}

/** The header's id is signed, and receivers deduplicate by the id in the body: the two must be equal. */
function eventOf({ id, body }: Signed): PaybellEvent {
  const event = parseEvent(body);
  if (event.id === id) return event;
  throw new UnreadableEvent('The header webhook-id is not the id of the event.');
}

function verifiersOf(secrets: string | readonly string[]): ((signed: Signed) => boolean)[] {
  const all: readonly unknown[] = [secrets].flat();
  if (all.length === 0) throw new TypeError(SECRETS_WANTED);
  return all.map((secret) => {
    if (typeof secret === 'string' && secret.startsWith(PUBLIC_KEY)) return byPublicKey(secret);
    if (typeof secret === 'string' && secret.startsWith(SECRET)) return bySecret(secret);
    throw new TypeError(SECRETS_WANTED);
  });
}

function bySecret(secret: string): (signed: Signed) => boolean {
  const webhook = webhookOf(secret);
  return ({ id, timestamp, signatures, body }) => {
    const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures };
    try {
      webhook.verify(body, headers, { jsonParse: false });
      return true;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false;
      throw error;
    }
  };
}

function webhookOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    throw new TypeError('The secret is not base64 after whsec_.');
  }
}

function byPublicKey(publicKey: string): (signed: Signed) => boolean {
  const key = keyOf(publicKey);
  return ({ id, timestamp, signatures, body }) => {
    const bytes = Buffer.from(`${id}.${timestamp}.${body}`, 'utf8');
    return signatures.split(' ').some((entry) => {
      const [version, signature = ''] = entry.split(',');
      return version === 'v1a' && verify(null, bytes, key, Buffer.from(signature, 'base64'));
    });
  };
}

function keyOf(publicKey: string): KeyObject {
  const x = Buffer.from(publicKey.slice(PUBLIC_KEY.length), 'base64').toString('base64url');
  try {
    return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  } catch {
    throw new TypeError('The public key is not 32 bytes in base64 after whpk_.');
  }
}
