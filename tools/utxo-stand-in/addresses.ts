import { createHash } from 'node:crypto';

import { bech32, bech32m, createBase58check } from '@scure/base';

export const BITCOIN = 8_253_038;
export const LITECOIN = 2_100_000_002;
export const DOGECOIN = 2_100_000_003;
export const BITCOIN_CASH = 2_100_000_145;

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
/** The versions of addresses of keys and of scripts, the usual one first. */
const VERSIONS: Readonly<
  Record<number, { readonly key: readonly number[]; readonly script: readonly number[] }>
> = {
  [BITCOIN]: { key: [0x00], script: [0x05] },
  [LITECOIN]: { key: [0x30], script: [0x32, 0x05] },
  [DOGECOIN]: { key: [0x1e], script: [0x16] },
  [BITCOIN_CASH]: { key: [0x00], script: [0x05] },
};
const SEGWIT: Readonly<Record<number, string>> = { [BITCOIN]: 'bc', [LITECOIN]: 'ltc' };
const CASH_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const CASH_CHECKSUM = 8;

export function witnessScript(program: string, version = 0): string {
  const opcode = version === 0 ? '00' : (0x50 + version).toString(16);
  return `${opcode}${(program.length / 2).toString(16).padStart(2, '0')}${program}`;
}

export function keyScript(hash: string): string {
  return `76a914${hash}88ac`;
}

export function hashScript(hash: string): string {
  return `a914${hash}87`;
}

/**
 * The script of an address of the main network, written independently by the standards; null: the text is no address of the
 * chain.
 */
export function scriptOf(chainId: number, address: string): string | null {
  return segwitScript(chainId, address) ?? cashScript(chainId, address) ?? base58Script(chainId, address);
}

/** The usual address of a script on the main network; null: the script has none. `nth`: another spelling, if there is one. */
export function addressOf(chainId: number, script: string, nth = 0): string | null {
  const hash = /^(?:76a914([\da-f]{40})88ac|a914([\da-f]{40})87)$/.exec(script);
  const versions = VERSIONS[chainId];
  if (hash !== null) {
    const [, key, ofScript] = hash;
    const version = key === undefined ? versions?.script[nth] : versions?.key[nth];
    if (version === undefined) return null;
    return base58check.encode(Buffer.from([version, ...Buffer.from(key ?? ofScript ?? '', 'hex')]));
  }
  const witness = /^(00|5[1-9a-f]|60)(?:[\da-f]{2})([\da-f]{40,80})$/.exec(script);
  const prefix = SEGWIT[chainId];
  if (witness === null || prefix === undefined) return null;
  const version = witness[1] === '00' ? 0 : Number.parseInt(witness[1] ?? '', 16) - 0x50;
  const words = [version, ...bech32.toWords(Buffer.from(witness[2] ?? '', 'hex'))];
  return (version === 0 ? bech32 : bech32m).encode(prefix, words);
}

function segwitScript(chainId: number, address: string): string | null {
  for (const form of [bech32, bech32m]) {
    const decoded = form.decodeUnsafe(address);
    if (decoded === undefined || decoded.prefix !== SEGWIT[chainId]) continue;
    const [version = 0, ...words] = decoded.words;
    return witnessScript(Buffer.from(bech32.fromWords(words)).toString('hex'), version);
  }
  return null;
}

function base58Script(chainId: number, address: string): string | null {
  try {
    const [version = -1, ...hash] = base58check.decode(address);
    const digits = Buffer.from(hash).toString('hex');
    if (VERSIONS[chainId]?.key.includes(version) === true) return keyScript(digits);
    return VERSIONS[chainId]?.script.includes(version) === true ? hashScript(digits) : null;
  } catch {
    return null;
  }
}

/** Does not check the checksum. */
function cashScript(chainId: number, address: string): string | null {
  const letters = /^(?:bitcoincash:)?([qp][02-9ac-hj-np-z]{41})$/i.exec(address)?.[1]?.toLowerCase();
  if (chainId !== BITCOIN_CASH || letters === undefined) return null;
  const words = letters
    .slice(0, -CASH_CHECKSUM)
    .split('')
    .map((letter) => CASH_LETTERS.indexOf(letter));
  const bits = words.map((word) => word.toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const hash = bytes.subarray(1, 21).toString('hex');
  return bytes[0] === 0 ? keyScript(hash) : hashScript(hash);
}
