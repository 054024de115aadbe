import { createHash } from 'node:crypto';

import { base58 } from '@scure/base';

import {
  simulatedDepositAddress,
  simulatedDepositHash,
  simulatedHash,
  type SimulatedOutput,
} from '../../domain/proof/simulated-output.ts';

import type { VmType } from './sandbox-chains.ts';

/** The one-time deposit address of a quote, in the chain's real format; derived from the quote id. */
export function depositAddressOf(quoteId: string, vmType: VmType): string {
  return addressFrom(quoteId, vmType);
}

/** An address whose deposit the sandbox's own chain shows by itself; on other chains an ordinary address. */
export function unseenDepositAddressOf(quoteId: string, vmType: VmType, amount: bigint): string {
  if (vmType !== 'evm') return depositAddressOf(quoteId, vmType);
  return simulatedDepositAddress(amount, sha256(`unseen:${quoteId}`));
}

/** The transaction that pays to an address of `unseenDepositAddressOf`. */
export function unseenDepositHashOf(quoteId: string, vmType: VmType, depositAddress: string): string {
  return vmType === 'evm'
    ? simulatedDepositHash(depositAddress)
    : transactionHashOf(quoteId, 'deposit', vmType);
}

/** The hash of the delivery's transaction, which encodes the transaction for the sandbox's own chain. */
export function outputHashOf(quoteId: string, vmType: VmType, output: SimulatedOutput): string {
  if (vmType !== 'evm') return transactionHashOf(quoteId, 'output', vmType);
  return simulatedHash(output, sha256(`output:${quoteId}`));
}

/** The wallet address of the sandbox's payer. */
export function payerAddressOf(quoteId: string, vmType: VmType): string {
  return addressFrom(`payer:${quoteId}`, vmType);
}

/** A memo of digits, in the form of chains that use memos. */
export function depositMemoOf(quoteId: string): string {
  return String(createHash('sha256').update(`memo:${quoteId}`).digest().readUInt32BE());
}

/** A transaction's id in the chain's real format: 32 bytes in hex on EVM chains, a 64-byte signature on Solana. */
export function transactionHashOf(quoteId: string, purpose: string, vmType: VmType): string {
  const seed = `${purpose}:${quoteId}`;
  if (vmType === 'evm') return `0x${sha256(seed)}`;
  return base58.encode(createHash('sha512').update(seed).digest());
}

function addressFrom(seed: string, vmType: VmType): string {
  const hash = createHash('sha256').update(seed).digest();
  return vmType === 'evm' ? `0x${hash.toString('hex').slice(0, 40)}` : base58.encode(hash);
}

function sha256(seed: string): string {
  return createHash('sha256').update(seed).digest('hex');
}
