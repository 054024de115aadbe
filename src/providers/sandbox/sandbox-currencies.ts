import type { CurrencySearch } from '../../ports/payment-provider.ts';
import { chainOf } from './sandbox-chains.ts';
import { TOKENS, type Token } from './sandbox-tokens.ts';

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
  readonly metadata: { readonly logoURI: string; readonly verified: boolean };
}

/**
 * Finds the sandbox's tokens that meet every given criterion. `includeAllChains` adds the tokens with the same symbols on
 * all other chains. `useExternalSearch` has no effect: the sandbox has no external source.
 */
export function findCurrencies(search: CurrencySearch): Currency[] {
  const matches = TOKENS.filter((token) => isMatch(token, search));
  const found = search.includeAllChains === true ? withNamesakes(matches, search) : matches;
  return bestFirst(found, search.term).slice(0, limitOf(search)).map(toCurrency);
}

function isMatch(token: Token, search: CurrencySearch): boolean {
  const { chainIds, address, term } = search;
  if (chainIds !== undefined && chainIds.length > 0 && !chainIds.includes(token.chainId)) return false;
  if (address !== undefined && token.address.toLowerCase() !== address.trim().toLowerCase()) return false;
  if (search.defaultList === true && !token.isDefault) return false;
  return isVerifiedEnough(token, search) && isNamed(token, term ?? '');
}

function isNamed(token: Token, term: string): boolean {
  const wanted = term.trim().toLowerCase();
  return token.symbol.toLowerCase().includes(wanted) || token.name.toLowerCase().includes(wanted);
}

function isVerifiedEnough(token: Token, search: CurrencySearch): boolean {
  return search.verified !== true || token.verified;
}

function withNamesakes(matches: readonly Token[], search: CurrencySearch): Token[] {
  const symbols = new Set(matches.map((token) => token.symbol));
  return TOKENS.filter((token) => symbols.has(token.symbol) && isVerifiedEnough(token, search));
}

/** Puts exact matches first: the term `usdc` means USDC before USDC.e. */
function bestFirst(tokens: readonly Token[], term: string | undefined): Token[] {
  const wanted = term?.trim().toLowerCase();
  const isExact = (token: Token): boolean => token.symbol.toLowerCase() === wanted;
  return [...tokens.filter(isExact), ...tokens.filter((token) => !isExact(token))];
}

function limitOf({ limit }: CurrencySearch): number {
  if (limit === undefined || !Number.isFinite(limit)) return DEFAULT_LIMIT;
  return Math.min(Math.max(Math.trunc(limit), 1), MAX_LIMIT);
}

function toCurrency(token: Token): Currency {
  return {
    chainId: token.chainId,
    address: token.address,
    symbol: token.symbol,
    name: token.name,
    decimals: token.decimals,
    vmType: chainOf(token.chainId)?.vmType ?? 'evm',
    metadata: { logoURI: token.logoUri, verified: token.verified },
  };
}
