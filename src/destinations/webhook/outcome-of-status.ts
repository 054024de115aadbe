import type { Outcome } from '../../ports/deliveries.ts';
import { readRetryAfter } from './retry-after.ts';

/** What an HTTP status means for a delivery: any 2xx acknowledges it, 410 asks for no more, all else is retried. */
export function outcomeOfStatus(httpStatus: number, retryAfter: string | undefined, now: Date): Outcome {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus };
  const failure = httpStatus === 410 ? 'gone' : httpStatus >= 300 && httpStatus < 400 ? 'redirect' : 'status';
  return { kind: 'failed', failure, httpStatus, retryAfterMs: readRetryAfter(retryAfter, now) };
}
