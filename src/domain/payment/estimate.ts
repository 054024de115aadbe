/** Milliseconds of each unit that providers use in `estimatedTime`. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milliseconds?)$/, 1],
  [/^(?:s|secs?|seconds?)$/, 1_000],
  [/^(?:m|mins?|minutes?)$/, 60_000],
  [/^(?:h|hrs?|hours?)$/, 3_600_000],
];
const PART = /(\d{1,6}(?:\.\d{1,3})?)\s*([a-z]+)/g;
const MAX_MS = 24 * 3_600_000;

/**
 * Converts the quote's `estimatedTime`, "a text value with a unit suffix" such as `30s`, `~2 minutes` or `1m 30s`, to
 * milliseconds; a bare number is seconds. Null when it is unreadable: the estimate is only a hint.
 */
export function readEstimateMs(value: unknown): number | null {
  if (typeof value === 'number') return bounded(value * 1_000);
  if (typeof value !== 'string' || value.length > 100) return null;
  if (/^\s*\d{1,6}(?:\.\d{1,3})?\s*$/.test(value)) return bounded(Number(value) * 1_000);
  let totalMs = 0;
  for (const [, count, unit] of value.toLowerCase().matchAll(PART)) {
    const unitMs = UNITS.find(([names]) => names.test(unit ?? ''))?.[1];
    if (unitMs !== undefined) totalMs += Number(count) * unitMs;
  }
  return bounded(totalMs);
}

function bounded(ms: number): number | null {
  return ms > 0 && ms <= MAX_MS ? Math.round(ms) : null;
}
