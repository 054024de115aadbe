import { bech32, bech32m, hex } from '@scure/base';

import { base58checkOf, readBase58check } from './base58check.ts';
import { cashAddress, readCashAddress } from './cash-address.ts';

/** The chains whose outputs pay a script, by their ids. */
export const BITCOIN = 8_253_038;
export const LITECOIN = 2_100_000_002;
export const DOGECOIN = 2_100_000_003;
export const BITCOIN_CASH = 2_100_000_145;

/** How a chain writes its scripts. The first of several version bytes is the usual one. */
interface Spelling {
  readonly p2pkh: readonly [number, ...number[]];
  readonly p2sh: readonly [number, ...number[]];
  /** The first part of segregated witness addresses; left out: the chain has none. */
  readonly witness?: 'bc' | 'ltc';
  readonly isCash?: true;
}

const SPELLINGS: ReadonlyMap<number, Spelling> = new Map<number, Spelling>([
  [BITCOIN, { p2pkh: [0x00], p2sh: [0x05], witness: 'bc' }],
  // Litecoin's older wallets write `3…` like Bitcoin's, where newer ones write `M…`.
  [LITECOIN, { p2pkh: [0x30], p2sh: [0x32, 0x05], witness: 'ltc' }],
  [DOGECOIN, { p2pkh: [0x1e], p2sh: [0x16] }],
  [BITCOIN_CASH, { p2pkh: [0x00], p2sh: [0x05], isCash: true }],
]);

const SCRIPTS = {
  p2pkh: /^76a914([\da-f]{40})88ac$/,
  p2sh: /^a914([\da-f]{40})87$/,
  longP2sh: /^aa20([\da-f]{64})87$/,
  witness: /^(00|5[1-9a-f]|60)(0[2-9a-f]|1[\da-f]|2[0-8])([\da-f]+)$/,
};

/** The script that an address of the chain stands for, in lower-case hexadecimal; null: no address of that chain. */
export function scriptOf(chainId: number, address: string): string | null {
  const spelling = SPELLINGS.get(chainId);
  if (spelling === undefined) return null;
  const { witness, isCash } = spelling;
  return (
    scriptOfBase58(spelling, address) ??
    (witness === undefined ? null : scriptOfWitness(witness, address)) ??
    (isCash === undefined ? null : scriptOfCash(address))
  );
}

/** The usual address of a script in hexadecimal digits; null: the script has none, as those of OP_RETURN. */
export function addressOfScript(chainId: number, script: string): string | null {
  const spelling = SPELLINGS.get(chainId);
  if (spelling === undefined) return null;
  const digits = script.toLowerCase();
  for (const kind of ['p2pkh', 'p2sh'] as const) {
    const hash = SCRIPTS[kind].exec(digits)?.[1];
    if (hash === undefined) continue;
    if (spelling.isCash) return cashAddress({ kind, hash: hex.decode(hash) });
    return base58checkOf(spelling[kind][0], hex.decode(hash));
  }
  const long = SCRIPTS.longP2sh.exec(digits)?.[1];
  if (spelling.isCash && long !== undefined) return cashAddress({ kind: 'p2sh', hash: hex.decode(long) });
  return spelling.witness === undefined ? null : addressOfWitness(spelling.witness, digits);
}

function scriptOfBase58({ p2pkh, p2sh }: Spelling, address: string): string | null {
  const [version = -1, ...hash] = readBase58check(address) ?? [];
  if (hash.length !== 20) return null;
  if (p2pkh.includes(version)) return scriptWith('p2pkh', Uint8Array.from(hash));
  return p2sh.includes(version) ? scriptWith('p2sh', Uint8Array.from(hash)) : null;
}

function scriptOfCash(address: string): string | null {
  const read = readCashAddress(address);
  return read === null ? null : scriptWith(read.kind, read.hash);
}

function scriptWith(kind: 'p2pkh' | 'p2sh', hash: Uint8Array): string {
  const digits = hex.encode(hash);
  if (kind === 'p2pkh') return `76a914${digits}88ac`;
  return hash.length === 32 ? `aa20${digits}87` : `a914${digits}87`;
}

/** Version 0 has the older checksum, all others the newer one. */
function scriptOfWitness(prefix: string, address: string): string | null {
  for (const code of [bech32, bech32m]) {
    const read = code.decodeUnsafe(address);
    const [version = -1, ...words] = read?.words ?? [];
    if (read?.prefix !== prefix || version > 16 || (version === 0) !== (code === bech32)) continue;
    const program = code.fromWordsUnsafe(words);
    if (program instanceof Uint8Array && isProgram(version, program.length))
      return `${opcodeOf(version)}${byte(program.length)}${hex.encode(program)}`;
  }
  return null;
}

function addressOfWitness(prefix: string, digits: string): string | null {
  const [, opcode = '', length = '', program = ''] = SCRIPTS.witness.exec(digits) ?? [];
  const version = opcode === '00' ? 0 : Number.parseInt(opcode, 16) - 0x50;
  const size = Number.parseInt(length, 16);
  if (program.length !== size * 2 || !isProgram(version, size)) return null;
  const code = version === 0 ? bech32 : bech32m;
  return code.encode(prefix, [version, ...code.toWords(hex.decode(program))]);
}

function isProgram(version: number, size: number): boolean {
  if (version === 0) return size === 20 || size === 32;
  return version === 1 ? size === 32 : size >= 2 && size <= 40;
}

function opcodeOf(version: number): string {
  return byte(version === 0 ? 0 : 0x50 + version);
}

function byte(value: number): string {
  return value.toString(16).padStart(2, '0');
}
