import { parseRetryAfter } from '../../domain/text/retry-after.ts';
import type { Outcome } from '../../ports/deliveries.ts';

/** The outcome of a delivery by HTTP status: any 2xx acknowledges it, 410 disables the endpoint, any other is retried. */
export function outcomeOfStatus(httpStatus: number, retryAfter: string | undefined, now: Date): Outcome {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus };
  const failure = httpStatus === 410 ? 'gone' : httpStatus >= 300 && httpStatus < 400 ? 'redirect' : 'status';
  return { kind: 'failed', failure, httpStatus, retryAfterMs: parseRetryAfter(retryAfter, now) };
}
