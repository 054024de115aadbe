import { isRecord } from '../../domain/payment/reading.ts';
import { cleanWords } from '../connection/clean-text.ts';
import { isSuccess, unavailable, type Reply, type Unavailable } from '../connection/read-response.ts';

/** What Relay's answer means. */
export type RelayAnswer =
  | { readonly kind: 'json'; readonly value: unknown }
  /** 4xx: Relay's own words as one clean line, '' when there are none; code is `errorCode ?? code`. */
  | {
      readonly kind: 'error';
      readonly httpStatus: number;
      readonly code: string | null;
      readonly message: string;
    }
  /** 429, 5xx, retryable codes, time-out, HTML or anything unreadable. */
  | Unavailable
  /** 401, 403, or an error that says that the key is missing or not good enough. */
  | { readonly kind: 'credentials' };

const CREDENTIALS: RelayAnswer = { kind: 'credentials' };
/** Relay's own troubles, with whatever status they come. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set([
  'SERVICE_UNAVAILABLE',
  'PRICE_FETCH_FAILED',
  'REQUEST_TIMED_OUT',
  'RPC_HTTP_ERROR',
]);
const CREDENTIALS_CODE = /^(?:UNAUTHORIZED|FORBIDDEN)(?:_|$)/;
/** How its framework refuses a request without the header, as a 400. */
const KEY_IS_MISSING = /headers must have required property 'x-api-key'/;
const READABLE_CODE = /^[A-Za-z][A-Za-z0-9_-]{0,79}$/;
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;

/** Reads error bodies of every shape; `apiKey` is cut out of Relay's words. */
export function readRelayAnswer(reply: Reply, apiKey: string): RelayAnswer {
  const { httpStatus } = reply;
  if (httpStatus === 401 || httpStatus === 403) return CREDENTIALS;
  if (reply.kind !== 'json') return reply;
  if (isSuccess(reply.httpStatus)) return { kind: 'json', value: reply.value };
  return readError(reply, apiKey);
}

function readError(reply: Extract<Reply, { kind: 'json' }>, apiKey: string): RelayAnswer {
  const { httpStatus, retryAfterMs } = reply;
  const body = isRecord(reply.value) ? reply.value : { message: reply.value };
  const code = readCode(body['errorCode']) ?? readCode(body['code']);
  const message = cleanWords(wordsOf(body), apiKey);
  if ((code !== null && CREDENTIALS_CODE.test(code)) || KEY_IS_MISSING.test(message)) return CREDENTIALS;
  if (code !== null && RETRYABLE_CODES.has(code)) return unavailable(code, httpStatus, retryAfterMs);
  const isRefusal = httpStatus >= 400 && httpStatus < 500;
  if (!isRefusal || httpStatus === REQUEST_TIMEOUT || httpStatus === TOO_MANY_REQUESTS) {
    return unavailable(`status ${httpStatus}`, httpStatus, retryAfterMs);
  }
  return { kind: 'error', httpStatus, code, message };
}

function readCode(value: unknown): string | null {
  return typeof value === 'string' && READABLE_CODE.test(value) ? value : null;
}

function wordsOf({ message, error }: Readonly<Record<string, unknown>>): string {
  if (typeof message === 'string' && message.trim() !== '') return message;
  if (typeof error === 'string') return error;
  // Some gateways wrap the words once more.
  const inner = isRecord(error) ? error['message'] : null;
  return typeof inner === 'string' ? inner : '';
}
