import type { CurrencySearch } from '../../../domain/payment/currency-search.ts';
import { isRecord } from '../../../domain/payment/reading.ts';
import { fieldsOf, readWord } from '../../shared/fields.ts';
import { readDecimals } from '../../shared/raw-amount.ts';
import type { RelayChain } from './parse-chains.ts';
import { isSameAddress, nativeAddressOf, shownAddress, ZERO_ADDRESS } from '../../shared/vm-addresses.ts';

/** The body of `POST /currencies/v2`: the search with the addresses of native tokens converted to Relay's. */
export interface CurrencyQuery extends CurrencySearch {
  readonly limit: number;
  /** `chainId:address`. */
  readonly tokens?: readonly string[];
}

/** The spec's Currency object. */
interface Currency {
  readonly chainId: number;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly vmType: string;
  readonly metadata: object;
}

type ChainsById = ReadonlyMap<number, RelayChain>;

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

export function currencyQuery(search: CurrencySearch, chains: ChainsById): CurrencyQuery {
  const { address, ...others } = search;
  const query = { ...others, limit: limitOf(search) };
  if (address === undefined) return query;
  if (address.trim().toLowerCase() !== ZERO_ADDRESS) return { ...query, address };
  const natives = (search.chainIds ?? []).map((id) => [id, chains.get(id)?.nativeAddress ?? ZERO_ADDRESS]);
  const [first = ZERO_ADDRESS, ...more] = new Set(natives.map(([, native]) => String(native)));
  if (more.length === 0) return { ...query, address: first };
  return { ...query, tokens: natives.map((native) => native.join(':')) };
}

/** Parses the list of `/currencies/v2` or the groups of v1, without disabled chains; null when the value is no list. */
export function parseCurrencies(value: unknown, chains: ChainsById): Currency[] | null {
  if (!Array.isArray(value)) return null;
  return value
    .flat()
    .map((item) => parseCurrency(item, chains))
    .filter((currency) => currency !== null);
}

function parseCurrency(item: unknown, chains: ChainsById): Currency | null {
  if (!isRecord(item)) return null;
  const { chainId } = item;
  const address = readWord(item['address']);
  const symbol = readWord(item['symbol']);
  const decimals = readDecimals(item['decimals']);
  if (typeof chainId !== 'number' || address === null || symbol === null || decimals === null) return null;
  const chain = chains.get(chainId);
  if (chain?.isDisabled === true) return null;
  const vmType = readWord(item['vmType']) ?? chain?.vmType ?? 'unknown';
  const native = chain?.nativeAddress ?? nativeAddressOf(vmType);
  const metadata = fieldsOf(item['metadata']);
  const isNative =
    metadata['isNative'] === true || (native !== null && isSameAddress(address, native, vmType));
  return {
    chainId,
    address: isNative ? ZERO_ADDRESS : shownAddress(address, vmType),
    symbol,
    name: readWord(item['name']) ?? symbol,
    decimals,
    vmType,
    metadata,
  };
}

function limitOf({ limit }: CurrencySearch): number {
  if (limit === undefined || !Number.isFinite(limit)) return DEFAULT_LIMIT;
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_LIMIT);
}
