import { isRecord } from '../../domain/payment/reading.ts';
import { cleanWords } from '../connection/clean-text.ts';

/** The provider's no: its status, its words, and the request's field at fault where it names one. */
export interface Refusal {
  readonly httpStatus: 400 | 404 | 422;
  readonly message: string;
  readonly field: string | null;
}

const NO_REASON = 'The payment provider refused this without a reason.';
/** Error bodies differ from provider to provider: the first of these members that holds words is the message. */
const MEMBERS = ['detail', 'message', 'msg', 'error', 'errors'] as const;
const MAX_DEPTH = 3;
const FIELDS = new Set(['fromChainId', 'toChainId', 'fromToken', 'toToken', 'amount', 'recipient']);

/** Reads an error body of whatever shape; `secret` is cut out of it, since some providers echo the key they refuse. */
export function readRefusal(httpStatus: 400 | 404 | 422, body: unknown, secret: string | null): Refusal {
  const words = cleanWords(wordsOf(body, MAX_DEPTH), secret);
  const message = words === '' ? NO_REASON : words;
  return { httpStatus, message, field: fieldOf(body) };
}

/** A service that speaks the spec says so itself when it has no such path: it is a Paybell too. */
const NO_SUCH_PATH = 'urn:paybell:problem:not_found';
/** What frameworks and gateways say of a path that they do not have, and no provider of a token or a route. */
const BARE_NOT_FOUND = /^\W*(?:404\W*)?not found\W*$/i;

/** Whether a 404 is the provider's word on what was asked for; else nothing is served at `path` there. */
export function isAboutRequest(body: unknown, path: string): boolean {
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
