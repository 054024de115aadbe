import type { Quote, QuoteRequest } from '../domain/payment/quote.ts';
import type { Report } from '../domain/payment/report.ts';

/** What the provider answered when asked about one payment. Breakage is a value here: one payment is not the batch. */
export type StatusAnswer =
  | { readonly kind: 'report'; readonly report: Report }
  /** The provider's own 400, 404 or 422 about this id. */
  | { readonly kind: 'refused'; readonly httpStatus: 400 | 404 | 422; readonly message: string }
  /** Time-out, 429, 5xx or an answer that can't be read. */
  | {
      readonly kind: 'unavailable';
      readonly reason: string;
      readonly retryAfterMs: number | null;
      /** 429, 503 …, or a 2xx whose body can't be read; null when no HTTP answer came. */
      readonly httpStatus: number | null;
    }
  /** The provider does not take our key. */
  | { readonly kind: 'credentials' };

export interface ProviderLimits {
  /** Requests in flight at once, in this process. */
  readonly maxConcurrency: number;
  /** Payments that one status request can ask about. */
  readonly batchSize: number;
  /** One request never takes longer than this. */
  readonly timeoutMs: number;
  /** Status requests a minute, shared by all replicas; 0: no limit. */
  readonly maxRpm: number;
  /** Of these, what the provider's adapter asks by itself, looks at payments apart; without it: none. */
  readonly ownRpm?: number;
  /** Quotes a minute, shared by all replicas and counted apart; without it: no limit. */
  readonly maxQuotesPerMinute?: number;
}

/** The spec's fields of a token search; passed on as they are. */
export interface CurrencySearch {
  readonly chainIds?: number[];
  readonly address?: string;
  readonly term?: string;
  readonly verified?: boolean;
  readonly limit?: number;
  readonly defaultList?: boolean;
  readonly includeAllChains?: boolean;
  readonly useExternalSearch?: boolean;
}

/** A service that takes a payment on one chain and delivers it on another, and must be asked how it goes. */
export abstract class PaymentProvider {
  /** `http`, `relay` or `sandbox`. */
  abstract readonly name: string;
  abstract readonly limits: ProviderLimits;
  /**
   * Told of status requests that were made beyond one for each batch, or spared, as a negative number; whoever keeps the
   * pace listens.
   */
  onExtraRequests: (requests: number) => void = () => undefined;

  /** Method and URL of a question, for operators; null where nobody is asked over HTTP, or it is not one URL. */
  urlOf(_asked: 'chains' | 'status'): string | null {
    return null;
  }

  /** Refuses what can be refused without asking for a quote: it takes nothing from their limit. Throws as createQuote does. */
  async checkQuote(_request: QuoteRequest): Promise<void> {}

  /** Throws ProviderRefused, ProviderUnavailable, ProviderCredentials or ProviderMisconfigured. */
  abstract createQuote(request: QuoteRequest): Promise<Quote>;

  /** False where the provider can tell without a request that it has no such quote: that takes nothing from the budget. */
  mayKnow(_quoteId: string): Promise<boolean> {
    return Promise.resolve(true);
  }

  /**
   * Asks about each payment and hands every answer over as soon as it is there, exactly one for each id.
   * Never throws for what the provider does. Aborting lets the requests in flight end and answers the rest
   * with `unavailable`. Where `onAnswer` gives back a promise, it settles once the answer is recorded, to false where it is
   * not: the sandbox tells such a stage again.
   */
  abstract readStatuses(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => unknown,
    signal?: AbortSignal,
  ): Promise<void>;

  /** The spec's `{success, chains}` verbatim, as JSON text. Throws as createQuote does. */
  abstract readChains(): Promise<string>;

  /** The spec's `{success, currencies}` verbatim, as JSON text. Throws as createQuote does. */
  abstract searchCurrencies(search: CurrencySearch): Promise<string>;
}

/** The provider said no, for a reason of the request's: its 400, 404 or 422. */
export class ProviderRefused extends Error {
  readonly code = 'provider_refused';
  constructor(
    readonly httpStatus: 400 | 404 | 422,
    message: string,
    /** The request's field at fault, where the provider names one. */
    readonly field: string | null = null,
  ) {
    super(message);
  }
}

/** The provider can't be reached, is too busy, or its answer can't be read. */
export class ProviderUnavailable extends Error {
  readonly code = 'provider_unavailable';
  constructor(
    /** For the log: never an address, a key or an answer's body. */
    readonly reason: string,
    readonly retryAfterMs: number | null = null,
    /** The provider has said that there were too many requests. */
    readonly isTooMany = false,
  ) {
    super(`The payment provider is not available: ${reason}`);
  }
}

/** The provider does not take our key. */
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
