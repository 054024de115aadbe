import type { Outcome } from '../../ports/deliveries.ts';

/** The outcome of a delivery by HTTP status: any 2xx acknowledges it, 410 disables the endpoint, any other is retried. */
export function outcomeOfStatus(httpStatus: number, retryAfter: string | undefined, now: Date): Outcome {
  if (httpStatus >= 200 && httpStatus < 300) return { kind: 'delivered', httpStatus };
  const failure = httpStatus === 410 ? 'gone' : httpStatus >= 300 && httpStatus < 400 ? 'redirect' : 'status';
  return { kind: 'failed', failure, httpStatus, retryAfterMs: parseRetryAfter(retryAfter, now) };
}

/** Parses `Retry-After`, in seconds or as an HTTP date, to a wait from now; null when it is missing or unreadable. */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  // Date.parse accepts nearly any text; an HTTP date begins with a day's name.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(at - now.getTime(), 0);
}
