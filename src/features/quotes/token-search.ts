import { Injectable } from '@nestjs/common';

import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import type { CurrenciesBody } from './currencies.dto.ts';
import { MonitoredLookups } from './monitored-lookups.ts';
import { TokenDecimals } from './token-decimals.ts';

/** Searches tokens at the provider, and remembers their numbers of fraction digits. */
@Injectable()
export class TokenSearch {
  constructor(
    private readonly decimals: TokenDecimals,
    private readonly lookups: MonitoredLookups,
  ) {}

  /** The provider's answer, verbatim. Throws the provider's errors. */
  async search(body: CurrenciesBody): Promise<string> {
    const text = await this.lookups.run('currencies', (provider) => provider.searchCurrencies(given(body)));
    this.decimals.learnFromCurrencies(text);
    return text;
  }
}

/** Omits the fields that are null. */
function given(body: CurrenciesBody): CurrencySearch {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(fields);
}
