import { isRecord } from '../../domain/payment/reading.ts';
import type { Clock } from '../../ports/clock.ts';
import { cleanProviderText } from '../connection/clean-provider-text.ts';
import { parseLongJson } from '../connection/parse-provider-json.ts';
import { Connection, type ConnectionOptions } from '../connection/provider-connection.ts';
import {
  isSuccess,
  unavailable,
  type ProviderResponse,
  type Unavailable,
} from '../connection/read-response.ts';

/** The meaning of Relay's response. */
export type RelayAnswer =
  | { readonly kind: 'json'; readonly value: unknown }
  /** 4xx: Relay's message as one clean line, '' when there is none; code is `errorCode ?? code`. */
  | {
      readonly kind: 'error';
      readonly httpStatus: number;
      readonly code: string | null;
      readonly message: string;
    }
  /** 429, 5xx, a retryable code, a time-out, or an unreadable body such as HTML. */
  | Unavailable
  /** 401, 403, or an error code or message about a missing or insufficient key. */
  | { readonly kind: 'credentials' };

/** The longest response, the list of chains, had about 300 KiB in 2026. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

const CREDENTIALS: RelayAnswer = { kind: 'credentials' };
/** Codes of Relay's temporary failures, which occur with any HTTP status. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  'SERVICE_UNAVAILABLE',
  'PRICE_FETCH_FAILED',
  'REQUEST_TIMED_OUT',
  'RPC_HTTP_ERROR',
]);
const CREDENTIALS_CODE = /^(?:UNAUTHORIZED|FORBIDDEN)(?:_|$)/;
/** The message of the 400 with which Relay's framework refuses a request without the header. */
const KEY_IS_MISSING = /headers must have required property 'x-api-key'/;
const READABLE_CODE = /^[A-Za-z][A-Za-z0-9_-]{0,79}$/;
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** Sends requests with our key to Relay's API. Every failure of Relay is a RelayAnswer, never an exception. */
export class RelayApi {
  private readonly connection: Connection;
  private readonly apiKey: string;

  constructor(options: Omit<ConnectionOptions, 'auth'> & { readonly apiKey: string }, clock?: Clock) {
    this.connection = new Connection({ ...options, auth: 'x-api-key' }, clock);
    this.apiKey = options.apiKey;
  }

  /** `path` begins with a slash and includes the query. `onSent` is called when the request is sent. */
  async get(path: string, maxResponseBytes = MAX_RESPONSE_BYTES, onSent?: () => void): Promise<RelayAnswer> {
    const request = { path, maxResponseBytes, parse: parseLongJson, isUrgent: false, onSent };
    return parseRelayAnswer(await this.connection.send(request), this.apiKey);
  }

  /** Goes before polls, because an API client waits for the quote or the search. Never retries. */
  async post(path: string, body: object, maxResponseBytes = MAX_RESPONSE_BYTES): Promise<RelayAnswer> {
    const request = { path, body, maxResponseBytes, parse: parseLongJson, isUrgent: true };
    return parseRelayAnswer(await this.connection.send(request), this.apiKey);
  }

  /** Waits for the requests in flight, until their deadline at most; later requests resolve as unavailable. */
  close(withinMs?: number): Promise<void> {
    return this.connection.close(withinMs);
  }
}

/** Interprets Relay's response, with an error body of any shape; `apiKey` is removed from Relay's message. */
export function parseRelayAnswer(response: ProviderResponse, apiKey: string): RelayAnswer {
  const { httpStatus } = response;
  if (httpStatus === 401 || httpStatus === 403) return CREDENTIALS;
  if (response.kind !== 'json') return response;
  if (isSuccess(response.httpStatus)) return { kind: 'json', value: response.value };
  return parseError(response, apiKey);
}

function parseError(response: Extract<ProviderResponse, { kind: 'json' }>, apiKey: string): RelayAnswer {
  const { httpStatus, retryAfterMs } = response;
  const body = isRecord(response.value) ? response.value : { message: response.value };
  const code = parseCode(body['errorCode']) ?? parseCode(body['code']);
  const message = cleanProviderText(wordsOf(body), apiKey);
  if ((code !== null && CREDENTIALS_CODE.test(code)) || KEY_IS_MISSING.test(message)) return CREDENTIALS;
  if (code !== null && RETRYABLE_CODES.has(code)) return unavailable(code, httpStatus, retryAfterMs);
  const isRefusal = httpStatus >= 400 && httpStatus < 500;
  if (!isRefusal || httpStatus === REQUEST_TIMEOUT || httpStatus === TOO_MANY_REQUESTS) {
    return unavailable(`status ${httpStatus}`, httpStatus, retryAfterMs);
  }
  return { kind: 'error', httpStatus, code, message };
}

function parseCode(value: unknown): string | null {
  return typeof value === 'string' && READABLE_CODE.test(value) ? value : null;
}

function wordsOf({ message, error }: Readonly<Record<string, unknown>>): string {
  if (typeof message === 'string' && message.trim() !== '') return message;
  if (typeof error === 'string') return error;
  // Some gateways nest the message in `error`.
  const inner = isRecord(error) ? error['message'] : null;
  return typeof inner === 'string' ? inner : '';
}
