import { randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** A new API key of 256 random bits; Paybell stores only its hash. */
export function newKey(): string {
  return `pb_${randomBytes(KEY_BYTES).toString('base64url')}`;
}
