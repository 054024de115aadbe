import { createHash } from 'node:crypto';

const BASE58 = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const BASE58_DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** 20 bytes, or 21 with the prefix of Tron's main and test networks. */
const HEX = /^(?:0x)?(?:41)?([\da-f]{40})$/i;
/** The prefix, the address and a checksum. */
const BYTES = /^41([\da-f]{40})([\da-f]{8})$/;

/**
 * The address as 0x and 20 bytes in lower-case hexadecimal, as JSON-RPC wants it; null: the text is no address of Tron, or
 * mistyped.
 */
export function tronAddress(text: string): string | null {
  const digits = BASE58.test(text) ? digitsOf(text) : HEX.exec(text)?.[1];
  return digits === undefined ? null : `0x${digits.toLowerCase()}`;
}

function digitsOf(base58: string): string | undefined {
  const values = Array.from(base58, (digit) => BigInt(BASE58_DIGITS.indexOf(digit)));
  const number = values.reduce((sum, value) => sum * 58n + value, 0n);
  const [, digits, checksum] = BYTES.exec(number.toString(16)) ?? [];
  if (digits === undefined) return undefined;
  return sha256(sha256(`41${digits}`)).startsWith(checksum ?? '-') ? digits : undefined;
}

/** Hashes bytes given as hexadecimal digits; returns hexadecimal digits. */
function sha256(digits: string): string {
  return createHash('sha256').update(digits, 'hex').digest('hex');
}
