import type { Clock } from '../../../ports/clock.ts';
import { ProviderUnavailable, type CurrencySearch } from '../../../ports/payment-provider.ts';
import { SingleFlight } from '../../../platform/scheduling/single-flight.ts';
import { currencyQuery, readCurrencies, type CurrencyQuery } from './parse-currencies.ts';
import { demandValue } from '../quote/refusals.ts';
import type { RelayAnswer, RelayApi } from '../relay-api.ts';
import type { Chains, RelayChains } from './relay-chains.ts';

const FRESH_MS = 60_000;
/** An answer has up to 100 tokens, of about 400 bytes each. */
const MAX_KEPT = 200;
const NOT_FOUND = 404;
const NO_CHAINS: Chains = new Map();

interface Kept {
  readonly text: string;
  readonly readAtMs: number;
}

/** Token searches at Relay; equal ones within a minute are asked once. */
export class RelayCurrencies {
  private readonly searches = new SingleFlight<string>();
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly api: Pick<RelayApi, 'post'>,
    private readonly chains: Pick<RelayChains, 'all'>,
    private readonly clock: Clock,
  ) {}

  /** The spec's `{success, currencies}` as JSON text. Throws the provider's errors. */
  async search(search: CurrencySearch): Promise<string> {
    // Without the chains, native addresses are those of each virtual machine.
    const chains = await this.chains.all().catch(() => NO_CHAINS);
    const query = currencyQuery(search, chains);
    const key = JSON.stringify(query);
    const kept = this.kept.get(key);
    if (kept !== undefined && this.clock.now().getTime() - kept.readAtMs < FRESH_MS) return kept.text;
    return this.searches.run(key, async () => {
      const text = await this.ask(query, chains);
      this.keep(key, text);
      return text;
    });
  }

  private async ask(query: CurrencyQuery, chains: Chains): Promise<string> {
    const answer = await this.api.post('/currencies/v2', query);
    // One of the versions has been seen to be missing; the older one answers the same in groups.
    const value = demandValue(isMissing(answer) ? await this.api.post('/currencies/v1', query) : answer);
    const currencies = readCurrencies(value, chains);
    if (currencies === null) throw new ProviderUnavailable('unreadable answer');
    return JSON.stringify({ success: true, currencies: currencies.slice(0, query.limit) });
  }

  private keep(key: string, text: string): void {
    this.kept.delete(key);
    const [oldest] = this.kept.keys();
    if (this.kept.size >= MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(key, { text, readAtMs: this.clock.now().getTime() });
  }
}

function isMissing(answer: RelayAnswer): boolean {
  return (answer.kind === 'error' || answer.kind === 'unavailable') && answer.httpStatus === NOT_FOUND;
}
