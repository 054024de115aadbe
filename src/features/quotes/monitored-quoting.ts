import { Injectable } from '@nestjs/common';

import { ProviderRefused, ProviderUnavailable } from '../../ports/payment-provider.ts';
import { ProviderAtCapacity } from '../../ports/provider-at-capacity.ts';
import type { ProviderCell } from '../../ports/provider-cell.ts';
import type { QuotingRequest } from '../../ports/readiness.ts';
import { ChainLists } from './chain-lists.ts';

/** How long quotes pause after the provider has answered that there were too many, without a Retry-After. */
const TOO_MANY_MS = 10_000;

/** Asks providers for quotes and tokens, and records how they answer for the health of each. */
@Injectable()
export class MonitoredQuoting {
  constructor(private readonly chains: ChainLists) {}

  /** Returns the result of `ask`, which asks the provider of this cell, and throws its error. */
  async run<Answer>(
    { provider, health }: ProviderCell,
    request: Exclude<QuotingRequest, 'chains'>,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      const answer = await ask();
      health.recordQuoting(request, null);
      return answer;
    } catch (error) {
      health.recordQuoting(request, error);
      const isAnswer = error instanceof ProviderRefused || error instanceof ProviderAtCapacity;
      if (!isAnswer) this.chains.of(provider.name).requestRead();
      throw error;
    }
  }
}

/** Pauses the quotes of a provider that has answered that there were too many. Returns the error to throw. */
export async function pauseIfTooMany({ quoteBudget }: ProviderCell, error: unknown): Promise<unknown> {
  if (!(error instanceof ProviderUnavailable) || !error.isTooMany) return error;
  const pauseMs = error.retryAfterMs ?? TOO_MANY_MS;
  await quoteBudget.pause(pauseMs);
  return new ProviderUnavailable(error.reason, pauseMs);
}
