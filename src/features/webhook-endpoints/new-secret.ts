import { randomBytes } from 'node:crypto';

/** Within the 24 to 64 bytes of Standard Webhooks; its base64 needs no padding. */
const SECRET_BYTES = 24;

/** A signing secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}
