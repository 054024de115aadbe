import type { CurrencySearch } from '../domain/payment/currency-search.ts';
import type { Quote, QuoteRequest } from '../domain/payment/quote.ts';
import type { Report } from '../domain/payment/report.ts';
import type { Capacity, ReconcileState } from './provider-view.ts';

/** The provider's answer about one payment. A failure is a value, since it must not fail the rest of the batch. */
export type StatusAnswer =
  | { readonly kind: 'report'; readonly report: Report }
  /** The provider's own 400, 404 or 422 about this id. */
  | { readonly kind: 'refused'; readonly httpStatus: 400 | 404 | 422; readonly message: string }
  /** A time-out, 429, 5xx or an unreadable answer. */
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      readonly retryAfterMs: number | null;
      /** 429, 503 …, or a 2xx with an unreadable body; null without an HTTP answer. */
      readonly httpStatus: number | null;
      /** True: the provider counts requests by address, so that this 429 never concerns one payment alone. */
      readonly isAboutAll?: boolean;
    }
  /** The provider rejects our key. */
  | { readonly kind: 'credentials' };

/** A returned promise settles once the answer is recorded; false: the answer was dropped, and the sandbox reports it again. */
export type OnAnswer = (quoteId: string, answer: StatusAnswer) => unknown;

/** The last reports that the caller of `readStatuses` has stored, and further callbacks. */
export interface KnownReports {
  /** Called when the response has arrived; null: there is no stored report, or the answer is wanted in any case. */
  digestOf(quoteId: string): string | null;
  /** Called instead of `onAnswer` when the response is the report with that digest. */
  onUnchanged(quoteId: string): void;
  /** Called when each request is sent, which may be late if it waits for a connection: the next poll counts from then. */
  readonly onSent?: () => void;
}

export interface ProviderLimits {
  /** Concurrent requests of this process. */
  readonly maxConcurrency: number;
  /** How many payments one status request can cover. */
  readonly batchSize: number;
  /** The longest time of one request. */
  readonly timeoutMs: number;
  /** The time for a slow quote of a single provider; default: at most QUOTE_TIMEOUT_MS. */
  readonly quoteTimeoutMs?: number;
  /** Status requests a minute, shared by all replicas; 0: no limit. */
  readonly maxRpm: number;
  /** The part of `maxRpm` that the provider's adapter uses for requests other than polls; default: none. */
  readonly ownRpm?: number;
  /** Quotes a minute, shared by all replicas and counted separately; default: no limit. */
  readonly maxQuotesPerMinute?: number;
}

/** Requests beyond one for each batch, for the rate limit; negative: fewer were needed. Void means none. */
export type ExtraRequests = number | void;

/** The submitted object of a quote that the adapter has lost; everything that needs no request has been checked. */
export interface LostQuote {
  /** Asks for the quote's status. `refused`: the provider's data do not confirm the quote. Never throws. */
  readStatus(): Promise<StatusAnswer>;

  /** The number of requests that `readStatus` needed beyond the first. */
  readonly extraRequests: number;

  /** Stores the confirmed quote. Throws ProviderRefused when its deposit address is another payment's. */
  keep(): Promise<void>;
}

/** A service that takes a payment on one chain and delivers it on another, and must be polled for its status. */
export abstract class PaymentProvider {
  /** Its name in PROVIDER. */
  abstract readonly name: string;
  abstract readonly limits: ProviderLimits;
  /** True: no real money moves. */
  readonly isSimulated: boolean = false;
  /** True when PROVIDER no longer names it: its payments are kept, but it is never asked. */
  readonly isLeft: boolean = false;
  /** True if a quote can promise the recipient an exact amount: `amountIs: "receive"`. */
  readonly deliversExactAmounts: boolean = false;

  /** Method and URL of a request, for operators; null when it is not one HTTP request. */
  urlOf(_asked: 'chains' | 'status'): string | null {
    return null;
  }

  /** How far the provider's list of changes was read; null for a provider without such a list. */
  reconciledTo(): Promise<ReconcileState | null> {
    return Promise.resolve(null);
  }

  /** The most used of the provider's own concurrency limits; null: none is in use. Throws StoreUnavailable. */
  capacity(): Promise<Capacity | null> {
    return Promise.resolve(null);
  }

  /** Checks a request before its quote counts against the quote limit. Throws as createQuote does. */
  async checkQuote(_request: QuoteRequest): Promise<void> {}

  /** `story`: of a simulation. Throws ProviderRefused, ProviderUnavailable, ProviderCredentials, ProviderMisconfigured. */
  abstract createQuote(request: QuoteRequest, story?: string): Promise<Quote>;

  /**
   * The `receive.estimatedAmount` that createQuote would return now, a decimal string; opens no deposit address. Null: the
   * provider cannot estimate without an address. Throws as createQuote does.
   */
  estimateReceived(_request: QuoteRequest): Promise<string | null> {
    return Promise.resolve(null);
  }

  /** Passes a deposit's transaction to the provider. False: the provider takes no such hints. Throws as createQuote does. */
  submitDeposit(_quoteId: string, _txHash: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** False when the adapter knows without a request that the provider has no such quote. */
  mayKnow(_quoteId: string): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Reads a submitted quote, if its status needs that; else null. Throws ProviderRefused, which names the missing field. */
  readLostQuote(_quoteId: string, _quoteText: string): Promise<LostQuote | null> {
    return Promise.resolve(null);
  }

  /**
   * Calls `onAnswer` exactly once for each id, as soon as its answer arrives. A failure is an answer, and never throws. A
   * provider may compare responses with the `known` reports before parsing them. Resolves with the number of extra requests.
   */
  abstract readStatuses(
    quoteIds: readonly string[],
    onAnswer: OnAnswer,
    known?: KnownReports,
  ): Promise<ExtraRequests>;

  /** The spec's `{success, chains}` verbatim, as JSON text. Throws as createQuote does. */
  abstract readChains(): Promise<string>;

  /** The spec's `{success, currencies}` verbatim, as JSON text. Throws as createQuote does. */
  abstract searchCurrencies(search: CurrencySearch): Promise<string>;
}

/** The provider refused the request with 400, 404 or 422. */
export class ProviderRefused extends Error {
  readonly code = 'provider_refused';
  constructor(
    readonly httpStatus: 400 | 404 | 422,
    message: string,
    /** The invalid field of the request, if the provider names one. */
    readonly field: string | null = null,
  ) {
    super(message);
  }
}

/** The provider is unreachable or too busy, or its answer is unreadable. */
export class ProviderUnavailable extends Error {
  readonly code = 'provider_unavailable';
  constructor(
    /** The reason for the log, without an address, key or body of an answer. */
    readonly reason: string,
    readonly retryAfterMs: number | null = null,
    /** True when the provider answered that there were too many requests. */
    readonly isTooMany = false,
  ) {
    super(`The payment provider is not available: ${reason}`);
  }
}

/** The provider was not asked: Paybell is busy with other requests, or knows that the provider fails. */
export class ProviderNotAsked extends ProviderUnavailable {
  /** The detail of the answer to a client, in place of the one for other unavailable answers. */
  readonly publicDetail: string;
  constructor(why: string, retryAfterMs: number | null) {
    super(`it was not asked: ${why}`, retryAfterMs);
    const seconds = Math.max(Math.ceil((retryAfterMs ?? 0) / 1_000), 1);
    const when = retryAfterMs === null ? 'later' : `in ${seconds} s`;
    this.publicDetail = `The payment provider was not asked: ${why}. Try again ${when}.`;
  }
}

export class ProviderCredentials extends Error {
  readonly code = 'provider_credentials';
  constructor() {
    super('The payment provider does not accept the key that this service sends.');
  }
}

/** There is no payment API at the provider's address. */
export class ProviderMisconfigured extends Error {
  readonly code = 'provider_misconfigured';
  constructor(
    /** Method and URL. */
    asked: string,
  ) {
    super(`${asked} answered 404. Check PROVIDER_BASE_URL (without /api).`);
  }
}
