import { Injectable } from '@nestjs/common';

import { ProviderRefused } from '../../ports/payment-provider.ts';
import { ProviderHealth, type Lookup } from '../../ports/readiness.ts';
import { ChainList } from './chain-list.ts';

/** Tells the provider's health how looking something up has ended. */
@Injectable()
export class MonitoredLookups {
  constructor(
    private readonly health: ProviderHealth,
    private readonly chains: ChainList,
  ) {}

  /** What `ask` answers; throws what it throws. */
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
