import { isRecord } from '../../domain/payment/reading.ts';
import { isTooManyRequests } from '../../domain/rate-limit/rate-limit-transitions.ts';
import type { Clock } from '../../ports/clock.ts';
import { ProviderCredentials, ProviderUnavailable } from '../../ports/payment-provider.ts';
import { cleanProviderText } from '../connection/clean-provider-text.ts';
import { parseLongJson } from '../connection/parse-provider-json.ts';
import { Connection, type ProviderRequest } from '../connection/provider-connection.ts';
import {
  isSuccess,
  unavailable,
  type ProviderResponse,
  type Unavailable,
} from '../connection/read-response.ts';

/** The meaning of a response. */
export type ApiAnswer =
  | { readonly kind: 'json'; readonly value: unknown }
  /** 400, 404 or 422, with the message as one clean line. */
  | { readonly kind: 'error'; readonly httpStatus: number; readonly message: string }
  /** 429, 5xx, a time-out, or an unreadable body. */
  | Unavailable
  /** 401 or 403. */
  | { readonly kind: 'credentials' };

export interface JsonApiOptions {
  readonly baseUrl: string;
  /** Null: requests without a key. */
  readonly apiKey: string | null;
  /** True if no request has a key: then a 401 or 403 comes from the network before the API, and does not concern a key. */
  readonly isKeyless?: boolean;
  readonly timeoutMs: number;
  readonly maxConcurrency: number;
}

type GetOptions = Partial<Pick<ProviderRequest, 'isUrgent' | 'onSent'>>;

const MAX_RESPONSE_BYTES = 1024 * 1024;
const REFUSALS: ReadonlySet<number> = new Set([400, 404, 422]);

/** Sends requests to a provider's JSON API. Every failure is an ApiAnswer, never an exception. */
export class JsonApi {
  private readonly connection: Connection;
  private readonly options: JsonApiOptions;

  constructor(options: JsonApiOptions, clock?: Clock) {
    const { baseUrl, apiKey, timeoutMs, maxConcurrency } = options;
    this.connection = new Connection(
      { baseUrl, apiKey, auth: 'x-api-key', timeoutMs, maxConcurrency },
      clock,
    );
    this.options = options;
  }

  /** `path` begins with a slash and includes the query. `isUrgent`: an API client waits, so the request goes before polls. */
  async get(path: string, { isUrgent = false, onSent }: GetOptions = {}): Promise<ApiAnswer> {
    return this.send({ path, isUrgent, onSent });
  }

  /** Sends a request before polls, since an API client waits for it. Never retries. */
  async post(path: string, body: object): Promise<ApiAnswer> {
    return this.send({ path, body, isUrgent: true });
  }

  /** Waits for the requests in flight, until their deadline at most. */
  close(withinMs?: number): Promise<void> {
    return this.connection.close(withinMs);
  }

  private async send(request: Omit<ProviderRequest, 'parse'>): Promise<ApiAnswer> {
    const response = await this.connection.send({
      ...request,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      parse: parseLongJson,
    });
    return parseAnswer(response, this.options);
  }
}

type Failure = Extract<ApiAnswer, { kind: 'unavailable' | 'credentials' }>;

/**
 * The value of a JSON answer, or an error that the caller handles. Throws for answers that are not about the request itself.
 */
export function valueOrError<Answer extends { readonly kind: string }>(
  answer: Answer | Failure,
): Exclude<Answer, Failure> {
  const { kind } = answer;
  if (kind === 'credentials') throw new ProviderCredentials();
  if (kind === 'unavailable') {
    const { reason, retryAfterMs, httpStatus } = answer as Unavailable;
    throw new ProviderUnavailable(reason, retryAfterMs, isTooManyRequests(httpStatus));
  }
  return answer as Exclude<Answer, Failure>;
}

function parseAnswer(response: ProviderResponse, { apiKey, isKeyless = false }: JsonApiOptions): ApiAnswer {
  const { httpStatus } = response;
  if ((httpStatus === 401 || httpStatus === 403) && !isKeyless) return { kind: 'credentials' };
  if (response.kind !== 'json') return response;
  if (isSuccess(response.httpStatus)) return { kind: 'json', value: response.value };
  if (!REFUSALS.has(response.httpStatus))
    return unavailable(`status ${response.httpStatus}`, response.httpStatus, response.retryAfterMs);
  const message = cleanProviderText(wordsOf(response.value), apiKey);
  return { kind: 'error', httpStatus: response.httpStatus, message };
}

/** `message` is a text, or a list of texts for invalid fields; a schema's error has `issues` instead. */
function wordsOf(body: unknown): string {
  if (!isRecord(body)) return typeof body === 'string' ? body : '';
  const { message, issues } = body;
  if (message === undefined && Array.isArray(issues)) return wordsOf(issues[0]);
  if (Array.isArray(message)) return message.filter((words) => typeof words === 'string').join('; ');
  return typeof message === 'string' ? message : '';
}
