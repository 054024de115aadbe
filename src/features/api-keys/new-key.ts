import { randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** A new API key: 256 random bits, so that nothing but its hash need be kept. */
export function newKey(): string {
  return `pb_${randomBytes(KEY_BYTES).toString('base64url')}`;
}
