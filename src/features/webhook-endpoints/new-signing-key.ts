import { generateKeyPairSync } from 'node:crypto';

import type { Signature, SigningKey } from '../../ports/webhook-endpoints.ts';
import { newSecret } from './new-secret.ts';

/** Generates a signing key of this kind, in the form of Standard Webhooks. */
export function newSigningKey(signature: Signature): SigningKey {
  return signature === 'v1a' ? newKeyPair() : { secret: newSecret(), publicKey: null };
}

function newKeyPair(): SigningKey {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const [seed, publicKey] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')];
  return {
    secret: `whsk_${Buffer.concat([seed, publicKey]).toString('base64')}`,
    publicKey: `whpk_${publicKey.toString('base64')}`,
  };
}
