/** Polls a second without changes: more payments are due than the service can poll. */

import { median, shown } from './figures.js';
import { pause } from './pause.js';
import { onScene } from './scene.js';

const AIM = 12_000;
const MOST_CPU_US = 75;
export const PAYMENTS = 100_000;
/** The shortest possible lease with this time-out: a longer one would cause a write after each poll. */
export const INTERVAL_MS = 2_000;
export const SETTINGS = {
  PROVIDER_TIMEOUT_MS: '1000',
  POLL_INTERVAL_MS: String(INTERVAL_MS),
  POLL_MIN_GAP_MS: '0',
};
export const WARM_UP_MS = 5_000;
const WINDOWS = 5;
const WINDOW_MS = 4_000;
/** With fewer due payments, the processes might be waiting for load. */
const LEAST_DUE = 2_000;

/** @param {import('./scene.js').Place} place */
export function measurePolls(place) {
  return onScene(place, SETTINGS, async ({ provider, database, paybell }) => {
    await database.addPayments(PAYMENTS, INTERVAL_MS);
    await pause(WARM_UP_MS);
    const before = { ...(await database.counters()), ...(await costs(provider, paybell)) };
    const rates = [];
    for (let window = 0; window < WINDOWS; window += 1) {
      rates.push(await rateOf(provider, WINDOW_MS));
      await checkLoad(database);
    }
    const after = { ...(await database.counters()), ...(await costs(provider, paybell)) };
    const each = (/** @type {'cpuMs' | 'commits' | 'written' | 'wal'} */ what) =>
      (after[what] - before[what]) / (after.polls - before.polls);
    return [
      { figure: 'polls a second, nothing changing', value: median(rates), aim: AIM },
      {
        figure: '… slowest and fastest window',
        text: `${shown(Math.min(...rates))} to ${shown(Math.max(...rates))}`,
      },
      {
        figure: '… Paybell processor time a poll',
        value: each('cpuMs') * 1_000,
        unit: 'µs',
        most: MOST_CPU_US,
      },
      { figure: '… commits a poll', value: each('commits') },
      { figure: '… row writes a poll', value: each('written') },
      { figure: '… WAL a poll', value: each('wal'), unit: 'B' },
    ];
  });
}

/** The figure is invalid if the benchmark's own load limits it. @param {import('./database.js').Database} database */
async function checkLoad(database) {
  const due = await database.due();
  if (due < LEAST_DUE) throw new Error(`only ${due} payments wait to be polled: the load is too small`);
}

/** @param {import('./child.js').Child} provider @param {import('./paybell.js').Paybell} paybell */
async function costs(provider, paybell) {
  const { polls } = await provider.ask();
  return { polls, cpuMs: paybell.cpuMs() };
}

/** @param {import('./child.js').Child} provider @param {number} windowMs */
export async function rateOf(provider, windowMs) {
  const { polls: first } = await provider.ask();
  const startedAt = performance.now();
  await pause(windowMs);
  const { polls: last } = await provider.ask();
  return ((last - first) * 1_000) / (performance.now() - startedAt);
}
