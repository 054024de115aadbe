import { Injectable } from '@nestjs/common';

import type { CurrencySearch } from '../../domain/payment/currency-search.ts';
import { type ProviderCell, ProviderCells } from '../../ports/provider-cell.ts';
import { AgreedDecimals } from './agreed-decimals.ts';
import { answersWithin, disputesIn, mergeEntries } from './merge-answers.ts';
import { ChainLists } from './chain-lists.ts';
import type { CurrenciesBody } from './currencies.dto.ts';
import { MonitoredQuoting } from './monitored-quoting.ts';
import { QuotesSettings } from './quotes.settings.ts';
import { TokenDecimals } from './request-check.ts';

/** How many tokens the merged answer of several providers has, if the request does not say. */
const DEFAULT_LIMIT = 20;

/** Searches tokens at the providers, and remembers their numbers of fraction digits. */
@Injectable()
export class TokenSearch {
  constructor(
    private readonly cells: ProviderCells,
    private readonly chains: ChainLists,
    private readonly decimals: TokenDecimals,
    private readonly agreed: AgreedDecimals,
    private readonly quoting: MonitoredQuoting,
    private readonly settings: QuotesSettings,
  ) {}

  /**
   * The answer of the only provider verbatim, or the merged answer. Throws the providers' errors; when all fail, that of the
   * first.
   */
  async search(body: CurrenciesBody): Promise<string> {
    const search = given(body);
    const [first, ...others] = this.cells.asked;
    const isAlone = first !== undefined && others.length === 0;
    const text = isAlone ? await this.ask(first, search) : await this.searchAll(search);
    this.decimals.learnFromCurrencies(text);
    return text;
  }

  private async searchAll(search: CurrencySearch): Promise<string> {
    const asked = this.cells.asked.flatMap((cell) => {
      const own = this.onChainsOf(cell, search);
      return own === null ? [] : [{ cell, own }];
    });
    if (asked.length === 0) return mergeEntries('currencies', []);
    const answers = asked.map(async ({ cell, own }) => ({
      provider: cell.provider.name,
      text: await this.ask(cell, own),
    }));
    const found = await answersWithin(answers, this.settings.laggardWaitMs);
    const known = found.filter((answer) => answer !== null);
    const limit = search.limit ?? DEFAULT_LIMIT;
    const decided = await Promise.all(
      disputesIn(known, limit).map(
        async (token) => [token.key, await this.agreed.decide(token, token.said)] as const,
      ),
    );
    return mergeEntries('currencies', known, limit, new Map(decided));
  }

  /** The search without the chains that a provider lacks, which the provider might refuse; null: it has none of the chains. */
  private onChainsOf({ provider }: ProviderCell, search: CurrencySearch): CurrencySearch | null {
    const { chainIds } = search;
    if (chainIds === undefined || chainIds.length === 0) return search;
    const own = chainIds.filter((id) => this.chains.supports(provider.name, id) !== false);
    return own.length === 0 ? null : { ...search, chainIds: own };
  }

  private ask(cell: ProviderCell, search: CurrencySearch): Promise<string> {
    return this.quoting.run(cell, 'currencies', () => cell.provider.searchCurrencies(search));
  }
}

/** Omits the fields that are null. */
function given(body: CurrenciesBody): CurrencySearch {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(fields);
}
