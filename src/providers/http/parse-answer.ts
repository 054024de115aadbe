import {
  isSuccess,
  unavailable,
  type ProviderResponse,
  type Unavailable,
} from '../connection/read-response.ts';
import { parseRefusal, type Refusal } from './parse-refusal.ts';

/** The meaning of a provider's response. */
export type Answer =
  | Extract<ProviderResponse, { kind: 'json' }>
  | ({ readonly kind: 'refused' } & Refusal)
  | Unavailable
  | { readonly kind: 'credentials' };

/** Interprets the HTTP status and the body; `secret` is removed from the provider's text. */
export function parseAnswer(response: ProviderResponse, secret: string | null): Answer {
  const { httpStatus } = response;
  // Pass on a missing or successful response unchanged: a poll must not allocate another object.
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
