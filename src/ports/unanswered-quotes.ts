import type { QuoteRequest } from '../domain/payment/quote.ts';

/** A request for a quote whose result is not known: the provider may have opened a deposit address that no payer was shown. */
export interface UnansweredQuote {
  readonly provider: string;
  readonly orderId: string | null;
  readonly request: QuoteRequest;
  /** Why there was no answer: no address, no key. */
  readonly reason: string;
}

export interface StoredUnansweredQuote extends UnansweredQuote {
  readonly id: string;
  readonly requestedAt: Date;
  /** The quote, if its answer came after all: it is tracked then, as a payment without an order. */
  readonly quoteId: string | null;
}

/** The requests for quotes that providers left without an answer. Each method throws StoreUnavailable. */
export abstract class UnansweredQuotes {
  /** Returns the id. */
  abstract addQuote(quote: UnansweredQuote): Promise<string>;
  abstract setQuoteId(id: string, quoteId: string): Promise<void>;
  /** The newest first. */
  abstract list(limit: number): Promise<readonly StoredUnansweredQuote[]>;
  /** Returns how many were removed. */
  abstract removeBefore(before: Date): Promise<number>;
}
