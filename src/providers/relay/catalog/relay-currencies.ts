import type { CurrencySearch } from '../../../domain/payment/currency-search.ts';
import { ProviderUnavailable } from '../../../ports/payment-provider.ts';
import type { Timers } from '../../../ports/timers.ts';
import { SharedWork } from '../../../platform/scheduling/shared-work.ts';
import { currencyQuery, parseCurrencies, type CurrencyQuery } from './parse-currencies.ts';
import { currenciesText } from '../../shared/currencies.ts';
import { valueOrThrow } from '../refusals.ts';
import type { RelayAnswer, RelayApi } from '../relay-api.ts';
import type { Chains, RelayChains } from './relay-chains.ts';

const FRESH_MS = 60_000;
/** A result has up to 100 tokens of about 400 bytes each. */
const MAX_CACHED = 200;
const NOT_FOUND = 404;
const NO_CHAINS: Chains = new Map();

interface CachedSearch {
  readonly text: string;
  readonly readAtMs: number;
}

/** Searches tokens at Relay, and caches the result of a search for a minute. */
export class RelayCurrencies {
  private readonly searches = new SharedWork<string>();
  private readonly cache = new Map<string, CachedSearch>();

  constructor(
    private readonly api: Pick<RelayApi, 'post'>,
    private readonly chains: Pick<RelayChains, 'get'>,
    private readonly timers: Timers,
  ) {}

  /** The spec's `{success, currencies}` as JSON text. Throws the provider's errors. */
  async search(search: CurrencySearch): Promise<string> {
    // Without the list of chains, each virtual machine's default native address is used.
    const chains = await this.chains.get().catch(() => NO_CHAINS);
    const query = currencyQuery(search, chains);
    const key = JSON.stringify(query);
    const kept = this.cache.get(key);
    if (kept !== undefined && this.timers.nowMs() - kept.readAtMs < FRESH_MS) return kept.text;
    return this.searches.run(key, async () => {
      const text = await this.fetchCurrencies(query, chains);
      this.addToCache(key, text);
      return text;
    });
  }

  private async fetchCurrencies(query: CurrencyQuery, chains: Chains): Promise<string> {
    const answer = await this.api.post('/currencies/v2', query);
    // Relay has been seen without v2; v1 returns the same tokens in groups.
    const value = valueOrThrow(isMissing(answer) ? await this.api.post('/currencies/v1', query) : answer);
    const currencies = parseCurrencies(value, chains);
    if (currencies === null) throw new ProviderUnavailable('unreadable answer');
    return currenciesText(currencies.slice(0, query.limit));
  }

  private addToCache(key: string, text: string): void {
    this.cache.delete(key);
    const [oldest] = this.cache.keys();
    if (this.cache.size >= MAX_CACHED && oldest !== undefined) this.cache.delete(oldest);
    this.cache.set(key, { text, readAtMs: this.timers.nowMs() });
  }
}

function isMissing(answer: RelayAnswer): boolean {
  return (answer.kind === 'error' || answer.kind === 'unavailable') && answer.httpStatus === NOT_FOUND;
}
