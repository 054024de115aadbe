import type { Chain } from '../../domain/chains/chains.ts';
import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import type { QuoteRequest } from '../../domain/payment/quote.ts';
import { chainsText, currenciesText, findCurrencies, listedCurrency } from './currencies.ts';
import { refused } from './order-checks.ts';
import type { RouteToken } from './spec-status.ts';
import { isSameAddress } from './vm-addresses.ts';

/** A token that a provider lists. */
export interface ListedAsset {
  readonly chain: Chain;
  /** The address in the spec's form: the zero address for a native token. */
  readonly address: string;
  readonly symbol: string;
  readonly decimals: number;
}

/** A token of a stored quote, and how its chain writes addresses. */
export interface StoredToken extends RouteToken {
  readonly vmType: string;
}

/**
 * The token of one side of a request. `title` is the provider's name in sentences. Throws ProviderRefused, which lists the
 * provider's tokens.
 */
export function readAsset<Asset extends ListedAsset>(
  request: QuoteRequest,
  side: 'from' | 'to',
  assets: readonly Asset[],
  title: string,
): Asset {
  return knownAsset(
    assets,
    { chainId: request[`${side}ChainId`], address: request[`${side}Token`] },
    side,
    title,
  );
}

/** Does the same as `readAsset`. Addresses must match exactly, except on EVM chains. */
export function knownAsset<Asset extends ListedAsset>(
  assets: readonly Asset[],
  { chainId, address }: { readonly chainId: number; readonly address: string },
  side: 'from' | 'to',
  title: string,
): Asset {
  const there = assets.filter(({ chain }) => chain.id === chainId);
  const asset = there.find((each) => isSameAddress(each.address, address, each.chain.vmType));
  if (asset !== undefined) return asset;
  const [first] = there;
  if (first === undefined) {
    const names = listOf(assets.map(({ chain }) => chain.name));
    throw refused(`The chain ${chainId} cannot be used now: ${title} has ${names}.`, `${side}ChainId`);
  }
  const symbols = listOf(there.map(({ symbol }) => symbol));
  throw refused(
    `This token is not at ${title} on ${first.chain.name}, which has ${symbols}.`,
    `${side}Token`,
  );
}

export function storedToken({ chain, address, symbol, decimals }: ListedAsset): StoredToken {
  return { chainId: chain.id, chainName: chain.name, vmType: chain.vmType, address, symbol, decimals };
}

/** The spec's `{success, chains}` as JSON text. */
export function assetChainsText(assets: readonly ListedAsset[]): string {
  return chainsText(new Map(assets.map(({ chain }) => [chain.id, chain])).values());
}

/** The spec's `{success, currencies}` as JSON text. */
export function assetCurrenciesText(assets: readonly ListedAsset[], search: CurrencySearch): string {
  const tokens = assets.map((asset) => listedCurrency(asset.chain, asset));
  return currenciesText(findCurrencies(tokens, search));
}

function listOf(words: readonly string[]): string {
  return [...new Set(words)].join(', ');
}
