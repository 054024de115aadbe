import { createHash } from 'node:crypto';

import { createBase58check } from '@scure/base';

const BASE58 = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
/** 20 bytes, or 21 with the prefix of Tron's main and test networks. */
const HEX = /^(?:0x)?(?:41)?([\da-f]{40})$/i;
const PREFIX = 0x41;

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());

/** 20 bytes as 0x and small hexadecimal digits, which JSON-RPC takes; null: it is no address of Tron, or mistyped. */
export function tronAddress(text: string): string | null {
  const digits = BASE58.test(text) ? digitsOf(text) : HEX.exec(text)?.[1];
  return digits === undefined ? null : `0x${digits.toLowerCase()}`;
}

function digitsOf(base58: string): string | undefined {
  try {
    const [prefix, ...bytes] = base58check.decode(base58);
    return prefix === PREFIX && bytes.length === 20 ? Buffer.from(bytes).toString('hex') : undefined;
  } catch {
    return undefined;
  }
}
