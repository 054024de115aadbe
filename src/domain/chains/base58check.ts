import { createHash } from 'node:crypto';

import { createBase58check } from '@scure/base';

const BASE58CHECK = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
/** A version and 20 bytes never need more digits; longer texts are not decoded. */
const FORM = /^[1-9A-HJ-NP-Za-km-z]{25,35}$/;

/** The version and the bytes of an address with a checksum in base58; null: the text is none, or mistyped. */
export function readBase58check(text: string): Uint8Array | null {
  if (!FORM.test(text)) return null;
  try {
    return BASE58CHECK.decode(text);
  } catch {
    return null;
  }
}

export function base58checkOf(version: number, bytes: Uint8Array): string {
  return BASE58CHECK.encode(Uint8Array.of(version, ...bytes));
}
