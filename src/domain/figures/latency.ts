/** A distribution of durations in milliseconds; its quantiles are null without any duration. */
export interface Latency {
  readonly count: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** The digits of the bounds within each power of ten: a quantile is usually off by a tenth, at most by two thirds. */
const DIGITS = [1, 1.5, 2, 3, 5, 7];
/** Up to 11 days: retries of the default schedule end after three. */
const POWERS = 9;

/**
 * The upper bounds of all buckets but the last, in milliseconds. Figures are stored by bucket numbers: never change a bound.
 */
export const BUCKET_BOUNDS_MS: readonly number[] = Array.from({ length: POWERS }, (_, power) =>
  DIGITS.map((digit) => digit * 10 ** power),
).flat();

export const BUCKETS = BUCKET_BOUNDS_MS.length + 1;

/** The bucket of a duration; a negative one, after a clock was set back, counts as 0. */
export function bucketOf(durationMs: number): number {
  let low = 0;
  let high = BUCKET_BOUNDS_MS.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (durationMs <= (BUCKET_BOUNDS_MS[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * `counts` has a number for each bucket. A quantile is interpolated in its bucket by rank; in the last bucket it is the
 * largest bound.
 */
export function latencyOf(counts: readonly number[]): Latency {
  const count = counts.reduce((sum, each) => sum + each, 0);
  const at = (share: number): number | null => (count === 0 ? null : quantile(counts, share * count));
  return { count, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function quantile(counts: readonly number[], rank: number): number {
  let before = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && before + count >= rank) return Math.round(within(bucket, (rank - before) / count));
    before += count;
  }
  return BUCKET_BOUNDS_MS.at(-1) ?? 0;
}

function within(bucket: number, share: number): number {
  const from = BUCKET_BOUNDS_MS[bucket - 1] ?? 0;
  const to = BUCKET_BOUNDS_MS[bucket] ?? from;
  return from + (to - from) * share;
}
