import type { Histogram } from 'prom-client';

/** A clock that was set back must not make a sum fall, and what is no number is not measured. */
export function observe(series: Histogram.Internal<string>, durationMs: number): void {
  if (Number.isFinite(durationMs)) series.observe(Math.max(durationMs, 0) / 1_000);
}
