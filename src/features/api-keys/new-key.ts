import { randomBytes } from 'node:crypto';

const KEY_BYTES = 32;

/** `.` and `..` are excluded: clients remove them from a URL's path. */
export const KEY_NAME = /^(?!\.{1,2}$)[\w.-]{1,64}$/;
/** Describes a key's name, for messages. */
export const A_KEY_NAME = '1 to 64 letters, digits, dots, dashes or underscores, and not only one dot or two';

/** A new API key of 256 random bits; Paybell stores only its hash. */
export function newKey(): string {
  return `pb_${randomBytes(KEY_BYTES).toString('base64url')}`;
}

export function isKeyName(name: unknown): name is string {
  return typeof name === 'string' && KEY_NAME.test(name);
}
