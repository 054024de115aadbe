import { hex } from '@scure/base';

import { readBase58check } from './base58check.ts';

const BASE58 = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
/** 20 bytes, or 21 with the prefix of Tron's main and test networks. */
const HEX = /^(?:0x)?(?:41)?([\da-f]{40})$/i;
const PREFIXED = /^41([\da-f]{40})$/;

/**
 * The address as 0x and 20 bytes in lower-case hexadecimal, as JSON-RPC wants it; null: the text is no address of Tron, or
 * mistyped.
 */
export function tronAddress(text: string): string | null {
  const digits = BASE58.test(text)
    ? PREFIXED.exec(hex.encode(readBase58check(text) ?? new Uint8Array()))?.[1]
    : HEX.exec(text)?.[1];
  return digits === undefined ? null : `0x${digits.toLowerCase()}`;
}
