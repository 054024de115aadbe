import { createHash } from 'node:crypto';

import { base58 } from '@scure/base';

import type { VmType } from './sandbox-chains.ts';

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS_BYTES = 32;
/** 32 bytes never take more base58 digits; longer input is not worth decoding. */
const SOLANA_ADDRESS_UP_TO = 44;

/** True for an address in the chain's format, except the zero address, which no wallet has. */
export function isWalletAddress(address: string, vmType: VmType): boolean {
  if (vmType === 'evm') return EVM_ADDRESS.test(address) && /[1-9a-f]/i.test(address.slice(2));
  const bytes = readBase58(address);
  return bytes !== null && bytes.length === SOLANA_ADDRESS_BYTES && bytes.some((byte) => byte !== 0);
}

/** The one-time deposit address of a quote, in the chain's real format; derived from the quote id. */
export function depositAddressOf(quoteId: string, vmType: VmType): string {
  return addressFrom(quoteId, vmType);
}

/** The wallet address of the sandbox's payer. */
export function payerAddressOf(quoteId: string, vmType: VmType): string {
  return addressFrom(`payer:${quoteId}`, vmType);
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

function readBase58(text: string): Uint8Array | null {
  if (text.length > SOLANA_ADDRESS_UP_TO) return null;
  try {
    return base58.decode(text);
  } catch {
    return null;
  }
}
