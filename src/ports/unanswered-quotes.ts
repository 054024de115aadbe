import type { QuoteRequest } from '../domain/payment/quote.ts';
import type { UpTo } from './attention.ts';
import type { ListSort } from './list-sort.ts';

/** A request for a quote, which may open a deposit address. */
export interface AskedQuote {
  readonly provider: string;
  readonly orderId: string | null;
  readonly request: QuoteRequest;
}

/** A request without a known result, for which the provider may have opened a deposit address that no payer was shown. */
export interface UnansweredQuote extends AskedQuote {
  readonly id: string;
  readonly requestedAt: Date;
  /** Why there was no answer, without an address or a key. */
  readonly reason: string;
  /** The quote, if its answer came later: then it is tracked, as a payment without an order. */
  readonly quoteId: string | null;
}

/** The reason of a request that has not been answered. */
export const NOT_ENDED = 'not answered yet, or Paybell ended before the answer was stored';

/** Which requests are listed. */
export interface UnansweredFilter {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** Left out: the newest first. */
  readonly sort?: ListSort;
  /** Any of these providers. */
  readonly providers?: readonly string[];
  readonly orderId?: string;
  /** Whether the answer came later. */
  readonly isTracked?: boolean;
  readonly requestedAfter?: Date;
  /** Exclusive. */
  readonly requestedBefore?: Date;
}

/** The requests of the last day without an answer, except those that may still get one. */
export interface RecentlyUnanswered extends UpTo {
  /** How many of these requests got a quote that does not fit. */
  readonly unfit: number;
  readonly providers: readonly { readonly provider: string; readonly count: number }[];
}

export function unansweredAt({ providers }: RecentlyUnanswered, name: string): number {
  return providers.find(({ provider }) => provider === name)?.count ?? 0;
}

/**
 * The requests for quotes without an answer. Each has a row before it is sent, which `Payments.add` removes when it stores
 * the payment. Each method throws StoreUnavailable.
 */
export abstract class UnansweredQuotes {
  /** Returns the id. */
  abstract begin(asked: AskedQuote): Promise<string>;
  /** Notes that the request failed and may have opened an address. */
  abstract fail(id: string, reason: string): Promise<void>;
  /** Removes the request, which has opened no address. */
  abstract withdraw(id: string): Promise<void>;
  abstract setQuoteId(id: string, quoteId: string): Promise<void>;
  /** Throws InvalidCursor. */
  abstract list(
    filter: UnansweredFilter,
  ): Promise<{ readonly quotes: readonly UnansweredQuote[]; readonly nextCursor: string | null }>;
  abstract recent(): Promise<RecentlyUnanswered>;
  /** Returns how many were removed. */
  abstract removeBefore(before: Date): Promise<number>;
}
