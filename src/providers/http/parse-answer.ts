import { isSuccess, unavailable, type Reply, type Unavailable } from '../connection/read-response.ts';
import { readRefusal, type Refusal } from './parse-refusal.ts';

/** What an exchange with the provider came to. */
export type Answer =
  | Extract<Reply, { kind: 'json' }>
  | ({ readonly kind: 'refused' } & Refusal)
  | Unavailable
  | { readonly kind: 'credentials' };

/** What the HTTP status and the body mean, whatever they are; `secret` is cut out of the provider's words. */
export function readAnswer(reply: Reply, secret: string | null): Answer {
  const { httpStatus } = reply;
  // What is no answer or a good one goes on as it is: a poll pays for no object more.
  if (httpStatus === null || isSuccess(httpStatus)) return reply;
  if (httpStatus === 401 || httpStatus === 403) return { kind: 'credentials' };
  if (httpStatus === 400 || httpStatus === 404 || httpStatus === 422) {
    const body = reply.kind === 'json' ? reply.value : undefined;
    return { kind: 'refused', ...readRefusal(httpStatus, body, secret) };
  }
  return reply.kind === 'json' ? unavailable(`status ${httpStatus}`, httpStatus, reply.retryAfterMs) : reply;
}
