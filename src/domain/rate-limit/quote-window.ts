/** The quotes of the last minute, of all replicas together. Instants are milliseconds by one clock, the database's. */
export interface QuoteWindow {
  readonly takenAt: readonly number[];
  /** No quote is asked for before: the provider has said that it were too many. */
  readonly pausedUntil: number;
}

/** A minute as a provider may count it: requests bunch up on their way. */
const COUNTED_MINUTE_MS = 62_000;
const SHORTEST_WAIT_MS = 1_000;
const MAX_PAUSE_MS = 300_000;

/**
 * Takes leave for one quote where fewer than `limit` were taken in the last minute, all at once if need be: a shop's rush is
 * not smoothed as polling is. `waitMs` is null when leave is given, else when to try again.
 */
export function takeQuote(
  { takenAt, pausedUntil }: QuoteWindow,
  now: number,
  limit: number,
): { readonly window: QuoteWindow; readonly waitMs: number | null } {
  // Another database took over, whose clock is behind: what lies in the future counts no more.
  const counted = takenAt.filter((at) => Math.abs(now - at) < COUNTED_MINUTE_MS);
  const pauseMs = pausedUntil - now > MAX_PAUSE_MS ? 0 : pausedUntil - now;
  const window = { takenAt: counted, pausedUntil };
  if (pauseMs > 0) return { window, waitMs: Math.max(pauseMs, SHORTEST_WAIT_MS) };
  if (counted.length < limit) return { window: { takenAt: [...counted, now], pausedUntil }, waitMs: null };
  const freed = counted[counted.length - limit] ?? now;
  return { window, waitMs: Math.max(freed + COUNTED_MINUTE_MS - now, SHORTEST_WAIT_MS) };
}

/** Quoting stops for `forMs`. */
export function pauseQuotes(window: QuoteWindow, forMs: number, now: number): QuoteWindow {
  const until = now + Math.min(Math.max(forMs, SHORTEST_WAIT_MS), MAX_PAUSE_MS);
  return { ...window, pausedUntil: Math.max(window.pausedUntil, until) };
}
