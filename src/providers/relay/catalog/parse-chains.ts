import { isRecord } from '../../../domain/payment/reading.ts';
import { fieldsOf, listOf, readWord, type Fields } from '../../shared/fields.ts';
import { readDecimals } from '../../shared/raw-amount.ts';
import { isSameAddress, nativeAddressOf, ZERO_ADDRESS } from '../../shared/vm-addresses.ts';

/** A token that Relay accepts at a deposit address; `address` in Relay's form. */
export interface PayableToken {
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** One of Relay's chains, with the spec's names. */
export interface RelayChain {
  readonly id: number;
  readonly name: string;
  readonly shortName: string;
  /** The native token's symbol. */
  readonly nativeToken: string;
  /** `evm`, `svm`, `bvm`, `tvm` or another of Relay's words; `unknown` when Relay does not state it. */
  readonly vmType: string;
  /** The native token's address in Relay's form; null when it is not known. */
  readonly nativeAddress: string | null;
  /** Relay has disabled the chain, as origin and as destination. */
  readonly isDisabled: boolean;
  /** The tokens that a deposit address on this chain accepts; empty when the chain takes no deposits. */
  readonly payable: readonly PayableToken[];
}

type SpecName = Pick<RelayChain, 'name' | 'shortName' | 'nativeToken'>;

/** The names of the spec's nine chains: Relay has no short names, and some of its names differ. */
const SPEC_NAMES: ReadonlyMap<number, SpecName> = new Map([
  [1, { name: 'Ethereum', shortName: 'eth', nativeToken: 'ETH' }],
  [10, { name: 'Optimism', shortName: 'op', nativeToken: 'ETH' }],
  [56, { name: 'BNB Chain', shortName: 'bnb', nativeToken: 'BNB' }],
  [137, { name: 'Polygon', shortName: 'matic', nativeToken: 'MATIC' }],
  [8453, { name: 'Base', shortName: 'base', nativeToken: 'ETH' }],
  [42161, { name: 'Arbitrum', shortName: 'arb', nativeToken: 'ETH' }],
  [42220, { name: 'Celo', shortName: 'celo', nativeToken: 'CELO' }],
  [43114, { name: 'Avalanche', shortName: 'avax', nativeToken: 'AVAX' }],
  [792703809, { name: 'Solana', shortName: 'sol', nativeToken: 'SOL' }],
]);
const HEX_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Parses `GET /chains`, skipping unreadable chains; null when all are unreadable. Never throws. */
export function parseChains(value: unknown): ReadonlyMap<number, RelayChain> | null {
  const chains = listOf(fieldsOf(value)['chains'])
    .map(parseChain)
    .filter((chain) => chain !== null);
  return chains.length === 0 ? null : new Map(chains.map((chain) => [chain.id, chain]));
}

/** The token at this address; the spec's zero address means the native token. Null when payers cannot pay with it. */
export function payableAt(chain: RelayChain, address: string): PayableToken | null {
  const wanted = relayAddress(chain, address);
  if (wanted === null) return null;
  return chain.payable.find((token) => isSameAddress(token.address, wanted, chain.vmType)) ?? null;
}

/** Converts a token's address from the spec's form to Relay's; null for a native token whose address is not known. */
export function relayAddress({ nativeAddress }: RelayChain, address: string): string | null {
  return address.toLowerCase() === ZERO_ADDRESS ? nativeAddress : address;
}

export function isNative({ nativeAddress, vmType }: RelayChain, address: string): boolean {
  return nativeAddress !== null && isSameAddress(address, nativeAddress, vmType);
}

function parseChain(value: unknown): RelayChain | null {
  if (!isRecord(value)) return null;
  const { id, disabled, depositEnabled } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) return null;
  const currency = fieldsOf(value['currency']);
  const relayNative = readWord(currency['address']);
  const vmType = readWord(value['vmType']) ?? (HEX_ADDRESS.test(relayNative ?? '') ? 'evm' : 'unknown');
  const nativeAddress = relayNative ?? nativeAddressOf(vmType);
  const isDisabled = disabled === true;
  const takesDeposits = !isDisabled && depositEnabled !== false;
  const chain = { id, ...namesOf(id, value, currency), vmType, nativeAddress, isDisabled, payable: [] };
  return takesDeposits ? { ...chain, payable: parsePayable(chain, value, currency) } : chain;
}

function namesOf(id: number, value: Fields, currency: Fields): SpecName {
  const specName = SPEC_NAMES.get(id);
  if (specName !== undefined) return specName;
  const name = readWord(value['name']);
  return {
    name: readWord(value['displayName']) ?? name ?? `Chain ${id}`,
    shortName: name ?? String(id),
    nativeToken: readWord(currency['symbol']) ?? '',
  };
}

/** Leaves out native tokens that Relay lists but does not bridge: POL, CELO, AVAX. Payers cannot pay with them. */
function parsePayable(chain: RelayChain, value: Fields, currency: Fields): PayableToken[] {
  const tokens = listedPayable(value, currency)
    .map(parseToken)
    .filter((token) => token !== null);
  if (currency['supportsBridging'] !== false) return tokens;
  return tokens.filter((token) => !isNative(chain, token.address));
}

/**
 * When Relay lists no solver currencies, the tokens that it bridges are assumed; Relay's answer to a quote request decides.
 */
function listedPayable(value: Fields, currency: Fields): readonly unknown[] {
  const listed = value['solverCurrencies'];
  if (listed !== undefined && listed !== null) return listOf(listed);
  return [currency, ...listOf(value['erc20Currencies'])].filter(
    (token) => fieldsOf(token)['supportsBridging'] !== false,
  );
}

function parseToken(value: unknown): PayableToken | null {
  if (!isRecord(value)) return null;
  const address = readWord(value['address']);
  const decimals = readDecimals(value['decimals']);
  if (address === null || decimals === null) return null;
  return { address, decimals, symbol: readWord(value['symbol']) ?? address };
}
