import { createHash } from 'node:crypto';

import { base58 } from '@scure/base';

import type { VmType } from './sandbox-chains.ts';

/** The one-time deposit address of a quote, in the chain's real format; derived from the quote id. */
export function depositAddressOf(quoteId: string, vmType: VmType): string {
  return addressFrom(quoteId, vmType);
}

/** The wallet address of the sandbox's payer. */
export function payerAddressOf(quoteId: string, vmType: VmType): string {
  return addressFrom(`payer:${quoteId}`, vmType);
}

/** A memo of digits, as chains with such have it. */
export function depositMemoOf(quoteId: string): string {
  return String(createHash('sha256').update(`memo:${quoteId}`).digest().readUInt32BE());
}

/** A transaction's id in the chain's real format: 32 bytes in hex on EVM chains, a 64-byte signature on Solana. */
export function transactionHashOf(quoteId: string, purpose: string, vmType: VmType): string {
  const seed = `${purpose}:${quoteId}`;
  if (vmType === 'evm') return `0x${createHash('sha256').update(seed).digest('hex')}`;
  return base58.encode(createHash('sha512').update(seed).digest());
}

function addressFrom(seed: string, vmType: VmType): string {
  const hash = createHash('sha256').update(seed).digest();
  return vmType === 'evm' ? `0x${hash.toString('hex').slice(0, 40)}` : base58.encode(hash);
}
