/**
 * Added latency at a steady pace of changes, from the provider's answer to the webhook's arrival. The aims are meant from
 * the commit to the first byte: it begins earlier here, and ends when the head is read.
 */

import { median, percentile, shown } from './figures.js';
import { pause } from './pause.js';
import { onScene } from './scene.js';

const MOST_P95_MS = 50;
const MOST_P99_MS = 150;
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
export function measureLatency(place) {
  return onScene(place, SETTINGS, async ({ provider, receiver, database }) => {
    await database.addPayments(PAYMENTS, INTERVAL_MS);
    await provider.ask({ pace: PACE });
    await pause(WARM_UP_MS);
    await receiver.ask();
    const windows = [];
    for (let window = 0; window < WINDOWS; window += 1) {
      await pause(WINDOW_MS);
      windows.push((await receiver.ask()).latencies);
    }
    const p95s = windows.map((latencies) => percentile(latencies, 0.95));
    const p99s = windows.map((latencies) => percentile(latencies, 0.99));
    const pace = (windows.flat().length * 1_000) / (WINDOWS * WINDOW_MS);
    const at = `at ${shown(pace)} changes a second`;
    return [
      {
        figure: `poll answer (before the commit) to webhook, p50, ${at}`,
        value: percentile(windows.flat(), 0.5),
        unit: 'ms',
      },
      { figure: '… p95', value: median(p95s), unit: 'ms', most: MOST_P95_MS },
      { figure: '… p99', value: median(p99s), unit: 'ms', most: MOST_P99_MS },
      { figure: '… p99 of the worst window', value: Math.max(...p99s), unit: 'ms' },
    ];
  });
}
