/**
 * The added latency at a steady rate of changes, from the provider's answer to the webhook's arrival. The aims are for the
 * time from the commit to the first byte: this measurement begins earlier, and ends when the head is read.
 */

import { median, percentile, shown } from './figures.js';
import { changeRateOf, steadyWindows } from './steady-changes.js';

const MOST_P95_MS = 50;
const MOST_P99_MS = 150;

/** @param {import('./scene.js').Place} place */
export async function measureLatency(place) {
  const windows = await steadyWindows(place, ({ receiver }) => receiver);
  const p95s = windows.map((latencies) => percentile(latencies, 0.95));
  const p99s = windows.map((latencies) => percentile(latencies, 0.99));
  return [
    {
      figure: `poll answer (before the commit) to webhook, p50, at ${shown(changeRateOf(windows))} changes a second`,
      value: percentile(windows.flat(), 0.5),
      unit: 'ms',
    },
    { figure: '… p95', value: median(p95s), unit: 'ms', most: MOST_P95_MS },
    { figure: '… p99', value: median(p99s), unit: 'ms', most: MOST_P99_MS },
    { figure: '… p99 of the worst window', value: Math.max(...p99s), unit: 'ms' },
  ];
}
