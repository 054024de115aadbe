import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import { findCurrencies, type Currency } from '../shared/currencies.ts';
import { chainOf } from './sandbox-chains.ts';
import { TOKENS, type Token } from './sandbox-tokens.ts';

const CURRENCIES = TOKENS.map(toCurrency);
const DEFAULTS: ReadonlySet<Currency> = new Set(CURRENCIES.filter((_, index) => TOKENS[index]?.isDefault));

/** Finds the sandbox's tokens. */
export function searchSandbox(search: CurrencySearch): Currency[] {
  return findCurrencies(CURRENCIES, search, (currency) => DEFAULTS.has(currency));
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
