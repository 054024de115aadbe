import { Injectable } from '@nestjs/common';

import { ProviderRefused } from '../../ports/payment-provider.ts';
import { ProviderHealth, type Lookup } from '../../ports/readiness.ts';
import { ChainList } from './chain-list.ts';

/** Runs lookups at the provider and records their results for its health. */
@Injectable()
export class MonitoredLookups {
  constructor(
    private readonly health: ProviderHealth,
    private readonly chains: ChainList,
  ) {}

  /** Returns the result of `ask`, and throws its error. */
  async run<Answer>(lookup: Exclude<Lookup, 'chains'>, ask: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await ask();
      this.health.recordLookup(lookup, null);
      return answer;
    } catch (error) {
      this.health.recordLookup(lookup, error);
      if (!(error instanceof ProviderRefused)) this.chains.requestRead();
      throw error;
    }
  }
}
