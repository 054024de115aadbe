import { Injectable, Logger } from '@nestjs/common';

import type { Quote } from '../../domain/payment/quote.ts';
import { misfitOf } from '../../domain/payment/quote-misfit.ts';
import { Meter } from '../../ports/meter.ts';
import { ProviderRefused, ProviderUnavailable } from '../../ports/payment-provider.ts';
import { ProviderAtCapacity } from '../../ports/provider-at-capacity.ts';
import type { ProviderCell } from '../../ports/provider-cell.ts';
import type { QuotingRequest } from '../../ports/readiness.ts';
import { UnfitQuote } from '../../ports/unfit-quote.ts';
import { ChainLists } from './chain-lists.ts';
import type { QuoteOrder } from './quote.dto.ts';

/** How long quotes pause after the provider has answered, without a Retry-After, that there were too many. */
const TOO_MANY_MS = 10_000;

/** Asks providers for quotes and tokens, and records their answers for the health of each. */
@Injectable()
export class MonitoredQuoting {
  private readonly log = new Logger('Quotes');

  constructor(
    private readonly chains: ChainLists,
    private readonly meter: Meter,
  ) {}

  /**
   * Requests a quote, which opens a deposit address. Throws the provider's errors, and UnfitQuote for a quote that differs
   * from its request.
   */
  quote(cell: ProviderCell, { request, metadata }: QuoteOrder): Promise<Quote> {
    return this.run(cell, 'quote', async () => {
      const quote = await cell.provider.createQuote(request, metadata?.['story']);
      const misfit = misfitOf(request, quote.text);
      if (misfit !== null) throw new UnfitQuote(misfit);
      return quote;
    });
  }

  /** Logs only the failed check: the quote's deposit address must not be paid. */
  reportUnfit({ provider: { name } }: ProviderCell, error: unknown): void {
    if (!(error instanceof UnfitQuote)) return;
    this.meter.of(name).unfitQuote();
    this.log.error(
      `a quote of ${name} differs from its request and was not returned to the client; the failed check: ${error.check}`,
    );
  }

  /** Returns the result of `ask`, which asks the provider of this cell, and throws its error. */
  async run<Answer>(
    cell: ProviderCell,
    request: Exclude<QuotingRequest, 'chains'>,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    const { provider, health } = cell;
    try {
      const answer = await ask();
      health.recordQuoting(request, null);
      return answer;
    } catch (error) {
      health.recordQuoting(request, error);
      this.reportUnfit(cell, error);
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
