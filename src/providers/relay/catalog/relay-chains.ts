import { ProviderUnavailable } from '../../../ports/payment-provider.ts';
import type { Timers } from '../../../ports/timers.ts';
import { KeptList } from '../../shared/kept-list.ts';
import { parseChains, type RelayChain } from './parse-chains.ts';
import { valueOrThrow } from '../refusals.ts';
import type { RelayApi } from '../relay-api.ts';

export type Chains = ReadonlyMap<number, RelayChain>;

const FRESH_MS = 300_000;

/** Relay's chains and their payable tokens, read at most every five minutes. */
export class RelayChains {
  private readonly kept: KeptList<Chains>;

  constructor(
    private readonly api: Pick<RelayApi, 'get'>,
    timers: Timers,
  ) {
    this.kept = new KeptList("Relay's chains", FRESH_MS, () => this.fetchChains(), timers);
  }

  /** All chains, including those that take no payments. Throws the provider's errors if no list was ever read. */
  all(): Promise<Chains> {
    return this.kept.get();
  }

  /** Throws the provider's errors although a former list is kept. */
  readAgain(): Promise<Chains> {
    return this.kept.readAgain();
  }

  private async fetchChains(): Promise<Chains> {
    const answer = await this.api.get('/chains');
    // Relay cannot refuse the input of this GET, which has none.
    if (answer.kind === 'error') throw new ProviderUnavailable(`status ${answer.httpStatus}`);
    const chains = parseChains(valueOrThrow(answer));
    if (chains === null) throw new ProviderUnavailable('unreadable answer');
    return chains;
  }
}
