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
      /** 429, 503 …, or a 2xx whose body is unreadable; null without an HTTP answer. */
      readonly httpStatus: number | null;
      /** A 429 that never concerns one payment alone: the provider counts requests by address. */
      readonly isAboutAll?: boolean;
    }
  /** The provider rejects our key. */
  | { readonly kind: 'credentials' };

/** A promise settles once the answer is recorded, with false when it was dropped: the sandbox then reports the same stage again. */
export type OnAnswer = (quoteId: string, answer: StatusAnswer) => unknown;

/** The last reports that the caller of `readStatuses` has stored, and its callbacks beside `onAnswer`. */
export interface KnownReports {
  /** Called when the response has arrived; null: none, or its answer is wanted in any case. */
  digestOf(quoteId: string): string | null;
  /** Called instead of `onAnswer` when the response is the report of that digest. */
  onUnchanged(quoteId: string): void;
  /** Called as each request leaves, which is late where it waits for a connection: the next poll counts from then. */
  readonly onSent?: () => void;
}

export interface ProviderLimits {
  /** Requests in flight at once, in this process. */
  readonly maxConcurrency: number;
  /** How many payments one status request can ask about. */
  readonly batchSize: number;
  /** One request never takes longer than this. */
  readonly timeoutMs: number;
  /** The time that a quote needs where that is long: it counts for a provider that is alone; default: no more than QUOTE_TIMEOUT_MS. */
  readonly quoteTimeoutMs?: number;
  /** Status requests a minute, shared by all replicas; 0: no limit. */
  readonly maxRpm: number;
  /** The part of `maxRpm` that the provider's adapter uses for requests other than polls; default: none. */
  readonly ownRpm?: number;
  /** Quotes a minute, shared by all replicas and counted separately; default: no limit. */
  readonly maxQuotesPerMinute?: number;
}

/** Requests beyond one for each batch, for the rate limit; negative: fewer were needed. Nothing: none. */
export type ExtraRequests = number | void;

/** A quote object that was handed over, of a quote that the adapter has lost. What needs no request is checked. */
export interface LostQuote {
  /** Asks for its status. `refused`: what the provider has does not confirm it. Never throws. */
  readStatus(): Promise<StatusAnswer>;

  /** The requests that `readStatus` took beyond the first. */
  readonly extraRequests: number;

  /** Stores the quote that `readStatus` has confirmed. Throws ProviderRefused when its deposit address is another payment's. */
  keep(): Promise<void>;
}

/** A service that takes a payment on one chain and delivers it on another, and must be polled for its status. */
export abstract class PaymentProvider {
  /** Its word in PROVIDER. */
  abstract readonly name: string;
  abstract readonly limits: ProviderLimits;
  /** True where no real money moves. */
  readonly isSimulated: boolean = false;
  /** True when PROVIDER no longer names it: its payments are kept, and it is never asked. */
  readonly isLeft: boolean = false;
  /** True where a quote can promise the recipient an exact amount: `amountIs: "receive"`. */
  readonly deliversExactAmounts: boolean = false;

  /** Method and URL of a request, for operators; null when it is not one HTTP request. */
  urlOf(_asked: 'chains' | 'status'): string | null {
    return null;
  }

  /** How far the provider's list of changes was read; null for a provider without such a list. */
  reconciledTo(): Promise<ReconcileState | null> {
    return Promise.resolve(null);
  }

  /** The most used of the provider's own limits on things open at once; null: it limits none, or none is used. Throws StoreUnavailable. */
  capacity(): Promise<Capacity | null> {
    return Promise.resolve(null);
  }

  /** Checks a request before its quote counts against the quote limit. Throws as createQuote does. */
  async checkQuote(_request: QuoteRequest): Promise<void> {}

  /** `story`: of a simulated provider. Throws ProviderRefused, ProviderUnavailable, ProviderCredentials or ProviderMisconfigured. */
  abstract createQuote(request: QuoteRequest, story?: string): Promise<Quote>;

  /**
   * The `receive.estimatedAmount` that createQuote would answer now, a decimal string; it opens no deposit address. Null: the
   * provider can't say without one. Throws as createQuote does.
   */
  estimateReceived(_request: QuoteRequest): Promise<string | null> {
    return Promise.resolve(null);
  }

  /** Tells the provider the transaction of a payer's deposit. False: it takes no such hints. Throws as createQuote does. */
  submitDeposit(_quoteId: string, _txHash: string): Promise<boolean> {
    return Promise.resolve(false);
  }

  /** False when the adapter knows without a request that the provider has no such quote. */
  mayKnow(_quoteId: string): Promise<boolean> {
    return Promise.resolve(true);
  }

  /**
   * Reads a quote object that was handed over, without a request. Null: nothing of it is needed to ask for the status.
   * Throws ProviderRefused, which names the field that is missing.
   */
  readLostQuote(_quoteId: string, _quoteText: string): Promise<LostQuote | null> {
    return Promise.resolve(null);
  }

  /**
   * Calls `onAnswer` exactly once for each id, as soon as its answer arrives. A failure is an answer, and never throws. A
   * provider may compare responses with the `known` reports before it parses them. Resolves with the extra requests.
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
    /** For the log: never an address, a key or an answer's body. */
    readonly reason: string,
    readonly retryAfterMs: number | null = null,
    /** True when the provider has answered that there were too many requests. */
    readonly isTooMany = false,
  ) {
    super(`The payment provider is not available: ${reason}`);
  }
}

/** The provider was not asked: Paybell is busy with other requests, or knows that the provider fails. */
export class ProviderNotAsked extends ProviderUnavailable {
  /** Replaces the detail of other unavailable answers in the answer to a client. */
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
