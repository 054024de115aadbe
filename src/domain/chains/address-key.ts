import { tonAddress } from './ton-address.ts';
import { tronAddress } from './tron-address.ts';
import { addressOfScript, BITCOIN, BITCOIN_CASH, LITECOIN, scriptOf } from './utxo-script.ts';

/** An address of 32 bytes in hexadecimal digits, as Sui and Aptos write them, or bech32 of Bitcoin and Litecoin. */
const CASELESS = /^(?:0x[0-9a-f]{64}|(?:bc|tb|ltc|tltc)1[02-9ac-hj-np-z]{11,87})$/i;
/** The newer form of a script hash on Litecoin, and what may be an address of Bitcoin Cash. */
const LITECOIN_SCRIPT = /^M/;
const CASH = /^(?:bitcoincash:)?[pqrz]/i;

/**
 * A key that is equal for two spellings of one address or transaction. Letter case is ignored in forms where it has no
 * meaning; in base58 it has one. Tron's nodes and providers write an address in base58 or as its bytes, which are those of
 * an EVM address. TON's wallets write an account in two forms, which differ in whether a refused transfer comes back. The key
 * of an address of Litecoin or Bitcoin Cash is its older form, which is Bitcoin's.
 */
export function addressKey(address: string): string {
  const known = tronAddress(address) ?? tonAddress(address) ?? asBitcoin(address);
  return known ?? (CASELESS.test(address) ? address.toLowerCase() : address);
}

function asBitcoin(address: string): string | null {
  const chainId = LITECOIN_SCRIPT.test(address) ? LITECOIN : CASH.test(address) ? BITCOIN_CASH : null;
  const script = chainId === null ? null : scriptOf(chainId, address);
  // A script of Bitcoin Cash with 32 bytes has no older form.
  return script === null ? null : (addressOfScript(BITCOIN, script) ?? script);
}
