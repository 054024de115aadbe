import { tonAddress } from './ton-address.ts';
import { tronAddress } from './tron-address.ts';

/** An address of 32 bytes in hexadecimal digits, as Sui and Aptos write them, or Bitcoin's bech32. */
const CASELESS = /^(?:0x[0-9a-f]{64}|(?:bc|tb)1[02-9ac-hj-np-z]{11,87})$/i;

/**
 * A key that is equal for two spellings of one address or transaction. Letter case is ignored in forms where it has no
 * meaning; in base58 it has. Tron's nodes and providers write one address in base58 or as its bytes, which are those of an
 * EVM address. TON's wallets write one account with or without the wish that transfers come back.
 */
export function addressKey(address: string): string {
  const known = tronAddress(address) ?? tonAddress(address);
  return known ?? (CASELESS.test(address) ? address.toLowerCase() : address);
}
