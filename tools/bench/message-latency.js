/**
 * The added latency of messages at a steady rate of changes, from the provider's answer to a subscriber of a durable queue.
 */
import { Child } from './child.js';
import { median, percentile, shown } from './figures.js';
import { changeRateOf, steadyWindows } from './steady-changes.js';

const MOST_P99_MS = 100;

/** @param {import('./scene.js').Place} place */
export async function measureMessageLatency(place) {
  const { broker } = place;
  if (broker === null) return [];
  const consumer = await Child.start('./message-consumer.js');
  try {
    await consumer.ask({ url: broker.url, queue: broker.queue });
    return figuresOf(await steadyWindows(place, () => consumer));
  } finally {
    await consumer.stop();
  }
}

/** @param {number[][]} windows */
function figuresOf(windows) {
  const p99s = windows.map((latencies) => percentile(latencies, 0.99));
  return [
    {
      figure: `poll answer (before the commit) to message, p50, at ${shown(changeRateOf(windows))} changes a second`,
      value: percentile(windows.flat(), 0.5),
      unit: 'ms',
    },
    { figure: '… p99', value: median(p99s), unit: 'ms', most: MOST_P99_MS },
    { figure: '… p99 of the worst window', value: Math.max(...p99s), unit: 'ms' },
  ];
}
