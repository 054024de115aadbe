import { base58 } from '@scure/base';

import { addressKey } from '../../domain/chains/address-key.ts';
import { NATIVE_ADDRESSES, ZERO_ADDRESS } from '../../domain/chains/native-addresses.ts';
import { tronAddress } from '../../domain/chains/tron-address.ts';

export { ZERO_ADDRESS };

/** Virtual machines whose addresses are hexadecimal, where letter case has no meaning. */
const HEX_VMS: ReadonlySet<string> = new Set(['evm', 'hypevm']);
const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SOLANA_ADDRESS_BYTES = 32;
/** 32 bytes never need more base58 digits; longer input is not decoded. */
const SOLANA_ADDRESS_UP_TO = 44;
const TRON_ADDRESS = /^T[1-9A-HJ-NP-Za-km-z]{33}$/;
const BITCOIN_BECH32 = /^(?:bc|tb)1[02-9ac-hj-np-z]{11,87}$/i;
const BITCOIN_BASE58 = /^[123mn][1-9A-HJ-NP-Za-km-z]{25,34}$/;

const NATIVES: ReadonlySet<string> = new Set(NATIVE_ADDRESSES.values());
/** Addresses without an owner, which Relay's own clients send as the payer while the payer is not known. */
const PLACEHOLDER_PAYERS: ReadonlyMap<string, string> = new Map([
  ['evm', '0x000000000000000000000000000000000000dead'],
  ['svm', 'CbKGgVKLJFb8bBrf58DnAkdryX6ubewVytn7X957YwNr'],
  ['bvm', 'bc1q4vxn43l44h30nkluqfxd9eckf45vr2awz38lwa'],
  ['tvm', 'THa7BwoPfacfiELa63pbmm3g5PGKYmtJyt'],
]);
/** Relay reads a native token's address as "refund the depositor", on these virtual machines only. */
const REFUND_TO_DEPOSITOR: ReadonlySet<string> = new Set(['evm', 'svm', 'bvm']);
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['evm', '0x and 40 hexadecimal digits'],
  ['hypevm', '0x and 40 hexadecimal digits'],
  ['svm', '32 to 44 base58 characters'],
  ['tvm', 'T and 33 base58 characters'],
  ['bvm', 'an address that begins with bc1, 1 or 3'],
]);

/** The address that is used when the list of chains states none. */
export function nativeAddressOf(vmType: string): string | null {
  return NATIVE_ADDRESSES.get(vmType) ?? null;
}

/** Addresses of an unknown virtual machine are passed on unchecked: Relay adds new ones now and then. */
export function isKnownVm(vmType: string): boolean {
  return NATIVE_ADDRESSES.has(vmType) || FORMATS.has(vmType);
}

/** True for the native token's address on any virtual machine. In place of a wallet, Relay reads it as the depositor. */
export function isNativeAddress(address: string): boolean {
  return NATIVES.has(address);
}

export function placeholderPayerOn(vmType: string): string | null {
  return PLACEHOLDER_PAYERS.get(vmType) ?? null;
}

export function refundToDepositorOn(vmType: string): string | null {
  return REFUND_TO_DEPOSITOR.has(vmType) ? nativeAddressOf(vmType) : null;
}

/** The format of a wallet address in words; null when the machine is not known. */
export function formatOn(vmType: string): string | null {
  return FORMATS.get(vmType) ?? null;
}

/** False for an address that no wallet can have. Every address of an unknown virtual machine passes: Relay decides. */
export function isWalletAddress(address: string, vmType: string): boolean {
  const native = nativeAddressOf(vmType);
  if (address === '' || (native !== null && isSameAddress(address, native, vmType))) return false;
  if (HEX_VMS.has(vmType)) return HEX_ADDRESS.test(address) && address !== ZERO_ADDRESS;
  if (vmType === 'svm') return isSolanaAddress(address);
  if (vmType === 'tvm') return isTronAddress(address);
  if (vmType === 'bvm') return isBitcoinAddress(address);
  return true;
}

/** Why this cannot be a wallet's address; null: it can. */
export function notAWallet(vmType: string, address: string): string | null {
  return isWalletAddress(address, vmType)
    ? null
    : `which is no wallet's: ${formatOn(vmType) ?? 'another address'}`;
}

/** Why Relay's refunds cannot go to this address; null: they can. */
export function walletProblem(vmType: string, address: string): string | null {
  return address === refundToDepositorOn(vmType) ? null : notAWallet(vmType, address);
}

/** True when both address the same account or token on this virtual machine. */
export function isSameAddress(one: string, other: string, vmType: string): boolean {
  return keyOf(one, vmType) === keyOf(other, vmType);
}

/** An address in the spec's form: in lower case if letter case has no meaning. */
export function shownAddress(address: string, vmType: string): string {
  return HEX_VMS.has(vmType) ? address.toLowerCase() : address;
}

function keyOf(address: string, vmType: string): string {
  return HEX_VMS.has(vmType) ? address.toLowerCase() : addressKey(address);
}

function isSolanaAddress(address: string): boolean {
  if (address.length > SOLANA_ADDRESS_UP_TO) return false;
  return decoded(() => base58.decode(address))?.length === SOLANA_ADDRESS_BYTES;
}

function isTronAddress(address: string): boolean {
  return TRON_ADDRESS.test(address) && tronAddress(address) !== null;
}

function isBitcoinAddress(address: string): boolean {
  return BITCOIN_BECH32.test(address) || BITCOIN_BASE58.test(address);
}

function decoded(decode: () => Uint8Array): Uint8Array | null {
  try {
    return decode();
  } catch {
    return null;
  }
}
