import { MAX_PAUSE_MS, pausedForMs } from './rate-limit.ts';

/** The quotes of the last minute, of all replicas together. Instants are milliseconds of the database's clock. */
export interface QuoteWindow {
  readonly takenAt: readonly number[];
  /** No quote is requested before this time: the provider has answered that there were too many. */
  readonly pausedUntil: number;
}

/** A minute with a margin: network delays may bunch requests up in the provider's minute. */
const COUNTED_MINUTE_MS = 62_000;
const SHORTEST_WAIT_MS = 1_000;

/**
 * Admits one quote while fewer than `limit` were admitted in the last minute. Unlike polling, it allows a burst up to the
 * limit. `waitMs` is null when the quote is admitted, else the time until the next try.
 */
export function takeQuote(
  { takenAt, pausedUntil }: QuoteWindow,
  now: number,
  limit: number,
): { readonly window: QuoteWindow; readonly waitMs: number | null } {
  // After a failover the new database's clock may be behind: ignores times that lie in its future.
  const counted = takenAt.filter((at) => Math.abs(now - at) < COUNTED_MINUTE_MS);
  const window = { takenAt: counted, pausedUntil };
  const pausedMs = pausedQuotesMs(window, now);
  if (pausedMs !== null) return { window, waitMs: pausedMs };
  if (counted.length < limit) return { window: { takenAt: [...counted, now], pausedUntil }, waitMs: null };
  const freed = counted[counted.length - limit] ?? now;
  return { window, waitMs: Math.max(freed + COUNTED_MINUTE_MS - now, SHORTEST_WAIT_MS) };
}

/** How long no quote may be requested, at least a second; null: there is no pause. */
export function pausedQuotesMs(
  { pausedUntil }: Pick<QuoteWindow, 'pausedUntil'>,
  now: number,
): number | null {
  const pauseMs = pausedForMs({ pausedUntil }, now);
  return pauseMs > 0 ? Math.max(pauseMs, SHORTEST_WAIT_MS) : null;
}

/** Admits no quote for `forMs`. */
export function pauseQuotes(window: QuoteWindow, forMs: number, now: number): QuoteWindow {
  const until = now + Math.min(Math.max(forMs, SHORTEST_WAIT_MS), MAX_PAUSE_MS);
  const isPaused = pausedForMs(window, now) > 0;
  return { ...window, pausedUntil: isPaused ? Math.max(window.pausedUntil, until) : until };
}
