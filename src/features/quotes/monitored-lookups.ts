import { Injectable } from '@nestjs/common';

import { ProviderCells } from '../../ports/provider-cell.ts';
import { type PaymentProvider, ProviderRefused } from '../../ports/payment-provider.ts';
import type { Lookup } from '../../ports/readiness.ts';
import { ChainList } from './chain-list.ts';

/** Runs lookups at the provider and records their results for its health. */
@Injectable()
export class MonitoredLookups {
  constructor(
    private readonly cells: ProviderCells,
    private readonly chains: ChainList,
  ) {}

  /** Returns the result of `ask` about the preferred provider, and throws its error. */
  async run<Answer>(
    lookup: Exclude<Lookup, 'chains'>,
    ask: (provider: PaymentProvider) => Promise<Answer>,
  ): Promise<Answer> {
    const { provider, health } = this.cells.preferred;
    try {
      const answer = await ask(provider);
      health.recordLookup(lookup, null);
      return answer;
    } catch (error) {
      health.recordLookup(lookup, error);
      if (!(error instanceof ProviderRefused)) this.chains.requestRead();
      throw error;
    }
  }
}
