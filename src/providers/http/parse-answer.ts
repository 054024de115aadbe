import { isRecord } from '../../domain/payment/reading.ts';
import { readReport, type Report } from '../../domain/payment/report.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { cleanProviderText } from '../connection/clean-provider-text.ts';
import type { Json } from '../connection/parse-provider-json.ts';
import {
  isSuccess,
  type ProviderResponse,
  unavailable,
  type Unavailable,
} from '../connection/read-response.ts';

/** The meaning of a provider's response. */
export type Answer =
  | Extract<ProviderResponse, { kind: 'json' }>
  | ({ readonly kind: 'refused' } & Refusal)
  | Unavailable
  | { readonly kind: 'credentials' };

/** Interprets the HTTP status and the body; `secret` is removed from the provider's text. */
export function parseAnswer(response: ProviderResponse, secret: string | null): Answer {
  const { httpStatus } = response;
  // Returns the same object for a missing or successful response: a poll must not allocate another one.
  if (httpStatus === null || isSuccess(httpStatus)) return response;
  if (httpStatus === 401 || httpStatus === 403) return { kind: 'credentials' };
  if (httpStatus === 400 || httpStatus === 404 || httpStatus === 422) {
    const body = response.kind === 'json' ? response.value : undefined;
    return { kind: 'refused', ...parseRefusal(httpStatus, body, secret) };
  }
  return response.kind === 'json'
    ? unavailable(`status ${httpStatus}`, httpStatus, response.retryAfterMs)
    : response;
}

/** Converts the answer to a status request. The tracker checks that the report is about the requested payment. */
export function parseStatusAnswer(answer: Answer): StatusAnswer {
  if (answer.kind === 'refused') {
    return { kind: 'refused', httpStatus: answer.httpStatus, message: answer.message };
  }
  if (answer.kind !== 'json') return answer;
  const report = parseReport(answer);
  return report === null ? unavailable('unreadable answer', 200) : { kind: 'report', report };
}

/** Null also if walking the JSON throws, such as a stack overflow in deep nesting. */
function parseReport({ value, text }: Json): Report | null {
  try {
    return readReport(value, text);
  } catch {
    return null;
  }
}

/** A provider's refusal of a request: its status, its message, and the faulty field if it names one. */
export interface Refusal {
  readonly httpStatus: 400 | 404 | 422;
  readonly message: string;
  readonly field: string | null;
}

const NO_REASON = 'The payment provider refused this without a reason.';
/** Error bodies differ between providers: the first of these members that contains text is the message. */
const MEMBERS = ['detail', 'message', 'msg', 'error', 'errors'] as const;
const MAX_DEPTH = 3;
const FIELDS = new Set(['fromChainId', 'toChainId', 'fromToken', 'toToken', 'amount', 'recipient']);

/** Parses an error body of any shape, and removes `secret`: some providers repeat the key that they refuse. */
export function parseRefusal(httpStatus: 400 | 404 | 422, body: unknown, secret: string | null): Refusal {
  const words = cleanProviderText(wordsOf(body, MAX_DEPTH), secret);
  const message = words === '' ? NO_REASON : words;
  return { httpStatus, message, field: fieldOf(body) };
}

/** The problem type of a Paybell without such a path: one Paybell can be another's provider. */
const NO_SUCH_PATH = 'urn:paybell:problem:not_found';
/**
 * The message of frameworks and gateways for an unknown path. A provider's message for an unknown token or route says more.
 */
const BARE_NOT_FOUND = /^\W*(?:404\W*)?not found\W*$/i;

/** True if a 404 refuses the requested token, chain or payment; false if the provider has nothing at `path`. */
export function refusesRequest(body: unknown, path: string): boolean {
  if (!isRecord(body) || body['type'] === NO_SUCH_PATH) return false;
  const words = wordsOf(body, MAX_DEPTH);
  if (words.includes(path) || String(body['path']).includes(path)) return false;
  return body['success'] === false || (words.trim() !== '' && !BARE_NOT_FOUND.test(words));
}

function wordsOf(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (depth === 0) return '';
  if (Array.isArray(value)) return wordsOf(value[0], depth - 1);
  if (!isRecord(value)) return '';
  for (const member of MEMBERS) {
    const words = wordsOf(value[member], depth - 1);
    if (words.trim() !== '') return words;
  }
  return '';
}

function fieldOf(body: unknown): string | null {
  if (!isRecord(body)) return null;
  const first: unknown = Array.isArray(body['errors']) ? body['errors'][0] : null;
  const field = isRecord(first) ? first['field'] : body['field'];
  return typeof field === 'string' && FIELDS.has(field) ? field : null;
}
