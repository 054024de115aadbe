import type { QuoteRequest } from '../domain/payment/quote.ts';

/** A request for a quote, which may open a deposit address. */
export interface AskedQuote {
  readonly provider: string;
  readonly orderId: string | null;
  readonly request: QuoteRequest;
}

/** A request whose result is not known: the provider may have opened a deposit address that no payer was shown. */
export interface UnansweredQuote extends AskedQuote {
  readonly id: string;
  readonly requestedAt: Date;
  /** Why there was no answer: no address, no key. */
  readonly reason: string;
  /** The quote, if its answer came after all: it is tracked then, as a payment without an order. */
  readonly quoteId: string | null;
}

/** The reason of a request that no answer has ended. */
export const NOT_ENDED = 'not answered yet, or Paybell ended before the answer was stored';

/**
 * The requests for quotes without an answer. Each has its row before it leaves, which `Payments.add` removes with the payment
 * that it became. Each method throws StoreUnavailable.
 */
export abstract class UnansweredQuotes {
  /** Returns the id. */
  abstract begin(asked: AskedQuote): Promise<string>;
  /** The request failed, and may have opened an address. */
  abstract fail(id: string, reason: string): Promise<void>;
  /** The request has opened nothing. */
  abstract withdraw(id: string): Promise<void>;
  abstract setQuoteId(id: string, quoteId: string): Promise<void>;
  /** The newest first; `cursor`: `nextCursor` of the page before. Throws InvalidCursor. */
  abstract list(
    limit: number,
    cursor?: string,
  ): Promise<{ readonly quotes: readonly UnansweredQuote[]; readonly nextCursor: string | null }>;
  /** Returns how many were removed. */
  abstract removeBefore(before: Date): Promise<number>;
}
