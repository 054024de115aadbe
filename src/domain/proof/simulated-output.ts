import { hash } from 'node:crypto';

import { CHAINS } from '../chains/chains.ts';
import { CONTRADICTIONS_ON_CHAIN, type ContradictionOnChain } from './verification.ts';

/**
 * How the sandbox's own chain shows an output: as the provider reports it, mined long after the report, on a chain whose RPC
 * is silent, or with a contradiction.
 */
export type SimulatedKind = 'as_said' | 'mined_late' | 'silent' | ContradictionOnChain;

/** A transaction of the sandbox's own chain. */
export interface SimulatedOutput {
  readonly kind: SimulatedKind;
  readonly minedAt: Date;
  /** In the token's smallest unit. */
  readonly amount: bigint;
}

const KINDS: readonly SimulatedKind[] = ['as_said', 'mined_late', 'silent', ...CONTRADICTIONS_ON_CHAIN];
/** `sand` in ASCII, by which a person recognises an invention of the sandbox. */
const MARK = '73616e64';
const HASH = new RegExp(`^0x${MARK}([0-9a-f]{2})([0-9a-f]{12})([0-9a-f]{26})[0-9a-f]{16}$`, 'i');
/** An address has fewer bytes than a hash: the mark, an amount and the seed fill it. */
const ADDRESS = new RegExp(`^0x${MARK.slice(0, 6)}([0-9a-f]{24})[0-9a-f]{10}$`, 'i');

/** The chains that the sandbox simulates: the chains of its quotes that an RPC could prove. */
export const SIMULATED_CHAINS: ReadonlySet<number> = new Set(
  CHAINS.flatMap(({ id, vmType }) => (vmType === 'evm' ? [id] : [])),
);

/**
 * A hash that encodes its transaction, so that every replica decodes the same transaction, even after a restart. `seed`:
 * hexadecimal digits that differ between payments.
 */
export function simulatedHash({ kind, minedAt, amount }: SimulatedOutput, seed: string): string {
  const parts = [hex(KINDS.indexOf(kind), 2), hex(minedAt.getTime(), 12), hex(amount, 26)];
  return `0x${MARK}${parts.join('')}${seed.slice(0, 16)}`;
}

/** Null: the hash is not the sandbox's. */
export function readSimulatedHash(txHash: string): SimulatedOutput | null {
  const [, kind = '', minedAt = '', amount = ''] = HASH.exec(txHash) ?? [];
  const known = KINDS[Number.parseInt(kind, 16)];
  if (known === undefined) return null;
  return { kind: known, minedAt: new Date(Number.parseInt(minedAt, 16)), amount: BigInt(`0x${amount}`) };
}

/** An address that encodes a deposit of this amount, even if the provider does not see the deposit. */
export function simulatedDepositAddress(amount: bigint, seed: string): string {
  return `0x${MARK.slice(0, 6)}${hex(amount, 24)}${seed.slice(0, 10)}`;
}

/** The amount encoded in the address; null: the address encodes none. */
export function readSimulatedDeposit(depositAddress: string): bigint | null {
  const amount = ADDRESS.exec(depositAddress)?.[1];
  return amount === undefined ? null : BigInt(`0x${amount}`);
}

/** The hash of the transaction that pays to an address with an encoded amount. */
export function simulatedDepositHash(depositAddress: string): string {
  return `0x${hash('sha256', `deposit to ${depositAddress.toLowerCase()}`)}`;
}

function hex(value: number | bigint, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
