import type { Chain } from '../../domain/chains/chains.ts';
import type { CurrencySearch } from '../../domain/payment/currency-search.ts';

type ListedToken = Pick<Currency, 'address' | 'symbol' | 'decimals'>;

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** The spec's Currency object. */
export interface Currency {
  readonly chainId: number;
  readonly address: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly vmType: string;
  readonly metadata: { readonly logoURI?: string; readonly verified: boolean };
}

/**
 * Finds the currencies that meet every given criterion. `includeAllChains` adds currencies with the same symbols on all other
 * chains. `useExternalSearch` has no effect: a known list has no external source.
 */
export function findCurrencies<T extends Currency>(
  all: readonly T[],
  search: CurrencySearch,
  isDefault: (currency: T) => boolean = () => true,
): T[] {
  const matches = all.filter(
    (currency) => isMatch(currency, search) && (search.defaultList !== true || isDefault(currency)),
  );
  const found = search.includeAllChains === true ? withNamesakes(all, matches, search) : matches;
  return bestFirst(found, search.term).slice(0, limitOf(search));
}

function isMatch(currency: Currency, search: CurrencySearch): boolean {
  const { chainIds, address, term } = search;
  if (chainIds !== undefined && chainIds.length > 0 && !chainIds.includes(currency.chainId)) return false;
  if (address !== undefined && currency.address.toLowerCase() !== address.trim().toLowerCase()) return false;
  return isVerifiedEnough(currency, search) && isNamed(currency, term ?? '');
}

function isNamed(currency: Currency, term: string): boolean {
  const wanted = term.trim().toLowerCase();
  return currency.symbol.toLowerCase().includes(wanted) || currency.name.toLowerCase().includes(wanted);
}

function isVerifiedEnough({ metadata }: Currency, search: CurrencySearch): boolean {
  return search.verified !== true || metadata.verified;
}

function withNamesakes<T extends Currency>(
  all: readonly T[],
  matches: readonly T[],
  search: CurrencySearch,
): T[] {
  const symbols = new Set(matches.map(({ symbol }) => symbol));
  return all.filter((currency) => symbols.has(currency.symbol) && isVerifiedEnough(currency, search));
}

/** Puts exact matches first: the term `usdc` means USDC before USDC.e. */
function bestFirst<T extends Currency>(currencies: readonly T[], term: string | undefined): T[] {
  const wanted = term?.trim().toLowerCase();
  const isExact = ({ symbol }: Currency): boolean => symbol.toLowerCase() === wanted;
  return [...currencies.filter(isExact), ...currencies.filter((currency) => !isExact(currency))];
}

function limitOf({ limit }: CurrencySearch): number {
  if (limit === undefined || !Number.isFinite(limit)) return DEFAULT_LIMIT;
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_LIMIT);
}

/** A token of a list without names, and without any verified token. */
export function listedCurrency(chain: Chain, { address, symbol, decimals }: ListedToken): Currency {
  const { id: chainId, vmType } = chain;
  return { chainId, address, symbol, name: symbol, decimals, vmType, metadata: { verified: true } };
}

/** The spec's `{success, chains}` as JSON text. */
export function chainsText(
  chains: Iterable<Pick<Chain, 'id' | 'name' | 'shortName' | 'nativeToken'>>,
): string {
  const shown = [...chains].map(({ id, name, shortName, nativeToken }) => ({
    id,
    name,
    shortName,
    nativeToken,
  }));
  return JSON.stringify({ success: true, chains: shown });
}

/** The spec's `{success, currencies}` as JSON text. */
export function currenciesText(currencies: readonly object[]): string {
  return JSON.stringify({ success: true, currencies });
}
