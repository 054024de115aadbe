import type { Histogram } from 'prom-client';

/**
 * Observes a duration. A negative duration, after a clock was set back, counts as 0; a value that is not a number is left out.
 */
export function observe(series: Histogram.Internal<string>, durationMs: number): void {
  if (Number.isFinite(durationMs)) series.observe(Math.max(durationMs, 0) / 1_000);
}
