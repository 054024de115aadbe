import { generateKeyPairSync, randomBytes } from 'node:crypto';

import type { Signature, SigningKey } from '../../ports/webhook-endpoints.ts';

/** Within the 24 to 64 bytes of Standard Webhooks; its base64 needs no padding. */
const SECRET_BYTES = 24;

/** Generates a signing key of this kind, in the form of Standard Webhooks. */
export function newSigningKey(signature: Signature): SigningKey {
  return signature === 'v1a' ? newKeyPair() : { secret: newSecret(), publicKey: null };
}

/** A signing secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

function newKeyPair(): SigningKey {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, publicKey] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  return {
    secret: `whsk_${Buffer.concat([seed, publicKey]).toString('base64')}`,
    publicKey: `whpk_${publicKey.toString('base64')}`,
  };
}
