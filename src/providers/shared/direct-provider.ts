import type { OnApplicationShutdown } from '@nestjs/common';

import { readEstimateMs } from '../../domain/payment/estimate.ts';
import type { Quote } from '../../domain/payment/quote.ts';
import { isQuoteId } from '../../domain/payment/reading.ts';
import { PaymentProvider } from '../../ports/payment-provider.ts';
import { UnfitQuote } from '../../ports/unfit-quote.ts';
import { PlaceTaken } from './quote-store.ts';
import type { SpecQuote } from './spec-quote.ts';

/** A payment service with an API of its own. The adapter stores its quotes. */
export abstract class DirectProvider extends PaymentProvider implements OnApplicationShutdown {
  constructor(
    private readonly connection: { close(withinMs?: number): Promise<void> },
    private readonly quotes: { find(quoteIds: readonly string[]): Promise<ReadonlyMap<string, unknown>> },
  ) {
    super();
  }

  /** Every quote is stored before it is returned: an id that is not stored belongs to no quote. */
  override async mayKnow(quoteId: string): Promise<boolean> {
    return isQuoteId(quoteId) && (await this.quotes.find([quoteId])).has(quoteId);
  }

  /** Aborts the requests in flight: in this phase of the shutdown their callers have stopped. */
  onApplicationShutdown(): Promise<void> {
    return this.connection.close(0);
  }

  /** Returns a quote only once `add` has stored it. Throws as `add` does, and UnfitQuote if another quote has its place. */
  protected async keepQuote(shown: SpecQuote, add: () => Promise<void>): Promise<Quote> {
    try {
      await add();
    } catch (error) {
      throw error instanceof PlaceTaken ? new UnfitQuote('deposit address of another quote') : error;
    }
    const { quoteId, expiresIn, estimatedTime, send } = shown;
    const { depositAddress } = send;
    const expectedMs = readEstimateMs(estimatedTime);
    return { quoteId, expiresIn, expectedMs, depositAddress, text: JSON.stringify(shown) };
  }
}
