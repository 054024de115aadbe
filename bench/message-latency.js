/** Added latency of messages at a steady pace of changes, from the provider's answer to a subscriber of a durable queue. */
import { Child } from './child.js';
import { median, percentile, shown } from './figures.js';
import { pause } from './pause.js';
import { onScene } from './scene.js';

const MOST_P99_MS = 100;
const PACE = 200;
/** At this interval 1,000 polls a second, of which one in five finds a change. */
const PAYMENTS = 4_000;
const INTERVAL_MS = 4_000;
const SETTINGS = {
  PROVIDER_TIMEOUT_MS: '1000',
  POLL_INTERVAL_MS: String(INTERVAL_MS),
  POLL_MIN_GAP_MS: '0',
};
const WARM_UP_MS = 10_000;
const WINDOWS = 5;
const WINDOW_MS = 4_000;

/** @param {import('./scene.js').Place} place */
export function measureMessageLatency(place) {
  const { broker } = place;
  if (broker === null) return Promise.resolve([]);
  return onScene(place, SETTINGS, async ({ provider, database }) => {
    const consumer = await Child.start('./message-consumer.js');
    try {
      await consumer.ask({ url: broker.url, queue: broker.queue });
      await database.addPayments(PAYMENTS, INTERVAL_MS);
      await provider.ask({ pace: PACE });
      await pause(WARM_UP_MS);
      await consumer.ask();
      const windows = [];
      for (let window = 0; window < WINDOWS; window += 1) {
        await pause(WINDOW_MS);
        windows.push((await consumer.ask()).latencies);
      }
      return figuresOf(windows);
    } finally {
      await consumer.stop();
    }
  });
}

/** @param {number[][]} windows */
function figuresOf(windows) {
  const all = windows.flat();
  const p99s = windows.map((latencies) => percentile(latencies, 0.99));
  const pace = shown((all.length * 1_000) / (WINDOWS * WINDOW_MS));
  const what = `poll answer (before the commit) to message, p50, at ${pace} changes a second`;
  return [
    { figure: what, value: percentile(all, 0.5), unit: 'ms' },
    { figure: '… p99', value: median(p99s), unit: 'ms', most: MOST_P99_MS },
    { figure: '… p99 of the worst window', value: Math.max(...p99s), unit: 'ms' },
  ];
}
