import { bech32 } from '@scure/base';

const PREFIX = 'bitcoincash';
const DIGITS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** With or without the prefix; letter case has no meaning, but one address has only one case. */
const FORM = /^(?:(?:bitcoincash:)?[02-9ac-hj-np-z]{42,61}|(?:BITCOINCASH:)?[02-9AC-HJ-NP-Z]{42,61})$/;
const CHECKSUM_DIGITS = 8;
const GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];
/** Types 2 and 3 say that the wallet takes tokens as well; the scripts are those of 0 and 1. */
const KINDS = ['p2pkh', 'p2sh', 'p2pkh', 'p2sh'] as const;
/** The number of bytes in a hash, by the last three bits of the first byte. */
const HASH_BYTES: ReadonlyMap<number, number> = new Map([
  [0, 20],
  [3, 32],
]);

interface CashAddress {
  readonly kind: 'p2pkh' | 'p2sh';
  /** 20 bytes, or 32 of a script. */
  readonly hash: Uint8Array;
}

/** Reads an address in Bitcoin Cash's own form; null: the text is no address, or mistyped. */
export function readCashAddress(text: string): CashAddress | null {
  if (!FORM.test(text)) return null;
  const digits = text.toLowerCase().replace(`${PREFIX}:`, '');
  const values = Array.from(digits, (digit) => DIGITS.indexOf(digit));
  if (checksumOf(values) !== 0n) return null;
  const [version = 0, ...hash] = bech32.fromWordsUnsafe(values.slice(0, -CHECKSUM_DIGITS)) ?? [];
  const kind = KINDS[version >> 3];
  const size = HASH_BYTES.get(version & 7);
  const isWell = size === hash.length && (size === 20 || kind === 'p2sh');
  return isWell && kind !== undefined ? { kind, hash: Uint8Array.from(hash) } : null;
}

/** Writes the address with its prefix in lower case, as wallets show it. */
export function cashAddress({ kind, hash }: CashAddress): string {
  const version = (kind === 'p2sh' ? 8 : 0) + (hash.length === 32 ? 3 : 0);
  const values = bech32.toWords(Uint8Array.of(version, ...hash));
  const checksum = checksumOf([...values, ...Array.from({ length: CHECKSUM_DIGITS }, () => 0)]);
  const check = Array.from({ length: CHECKSUM_DIGITS }, (_, at) =>
    Number((checksum >> BigInt(35 - 5 * at)) & 31n),
  );
  return `${PREFIX}:${[...values, ...check].map((value) => DIGITS[value]).join('')}`;
}

/** The BCH code of the prefix and these digits; zero if they end with their checksum. */
function checksumOf(values: readonly number[]): bigint {
  const prefix = Array.from(PREFIX, (letter) => letter.charCodeAt(0) & 31);
  let sum = 1n;
  for (const value of [...prefix, 0, ...values]) {
    const top = sum >> 35n;
    sum = ((sum & 0x7_ff_ff_ff_ffn) << 5n) ^ BigInt(value);
    for (const [bit, generator] of GENERATORS.entries()) if ((top >> BigInt(bit)) & 1n) sum ^= generator;
  }
  return sum ^ 1n;
}
