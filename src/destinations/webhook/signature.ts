import { createPrivateKey, sign, type KeyObject } from 'node:crypto';

import { Webhook } from 'standardwebhooks';

const PRIVATE_KEY = 'whsk_';
const SEED_BYTES = 32;

/** The headers of Standard Webhooks: the event's id, the sending time and the signatures. */
export function signedHeaders(
  eventId: string,
  body: string,
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const signatures = secrets.map((secret) => signatureOf(secret, eventId, now, body));
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(unixSeconds(now)),
    'webhook-signature': signatures.join(' '),
  };
}

/** Signs in the scheme of the secret's prefix: `v1` for `whsec_`, `v1a` for `whsk_`. */
function signatureOf(secret: string, eventId: string, now: Date, body: string): string {
  if (!secret.startsWith(PRIVATE_KEY)) return new Webhook(secret).sign(eventId, now, body);
  const signed = Buffer.from(`${eventId}.${unixSeconds(now)}.${body}`, 'utf8');
  return `v1a,${sign(null, signed, privateKeyOf(secret)).toString('base64')}`;
}

/** The secret is the base64 of the 32 bytes of the private key and the 32 of the public one. */
function privateKeyOf(secret: string): KeyObject {
  const bytes = Buffer.from(secret.slice(PRIVATE_KEY.length), 'base64');
  const d = bytes.subarray(0, SEED_BYTES).toString('base64url');
  const x = bytes.subarray(SEED_BYTES).toString('base64url');
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } });
}

function unixSeconds(now: Date): number {
  return Math.floor(now.getTime() / 1_000);
}
