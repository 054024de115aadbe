/** Changes a second: every poll finds a change, and the clock runs until the last one is delivered everywhere. */

import { median, shown } from './figures.js';
import { pause } from './pause.js';
import { onScene } from './scene.js';

const AIM = 400;
const BATCHES = 3;
const PAYMENTS = 3_000;
const WARM_UP_PAYMENTS = 400;
const INTERVAL_MS = 2_000;
const SETTINGS = {
  PROVIDER_TIMEOUT_MS: '1000',
  POLL_INTERVAL_MS: String(INTERVAL_MS),
  POLL_MIN_GAP_MS: '0',
};
const POLL_EVERY_MS = 50;
const BATCH_WITHIN_MS = 60_000;

/** @param {import('./scene.js').Place} place */
export function measureChanges(place) {
  return onScene(place, SETTINGS, async (scene) => {
    const { provider, receiver, database, paybell } = scene;
    await provider.ask({ changesPerS: Infinity });
    let total = await runBatch(scene, WARM_UP_PAYMENTS);
    const before = { ...(await database.counters()), cpuMs: paybell.cpuMs(), total };
    const rates = [];
    for (let batch = 0; batch < BATCHES; batch += 1) {
      const startedAt = performance.now();
      const reached = await runBatch(scene, PAYMENTS);
      rates.push(((reached - total) * 1_000) / (performance.now() - startedAt));
      total = reached;
    }
    const after = { ...(await database.counters()), cpuMs: paybell.cpuMs(), total };
    await check(place, receiver, total);
    const { changes } = await provider.ask();
    const each = (/** @type {'cpuMs' | 'commits' | 'written' | 'wal'} */ what) =>
      (after[what] - before[what]) / (after.total - before.total);
    const where = place.broker === null ? 'webhook (no RabbitMQ here)' : 'webhook and RabbitMQ';
    return [
      { figure: `changes a second, through to ${where}`, value: median(rates), aim: AIM },
      {
        figure: '… slowest and fastest batch',
        text: `${shown(Math.min(...rates))} to ${shown(Math.max(...rates))}`,
      },
      { figure: '… polled, but not published', value: changes - total, most: 0 },
      { figure: '… Paybell processor time a change', value: each('cpuMs') * 1_000, unit: 'µs' },
      { figure: '… commits a change', value: each('commits') },
      { figure: '… row writes a change', value: each('written') },
      { figure: '… WAL a change', value: each('wal'), unit: 'B' },
    ];
  });
}

/** Returns the number of all recorded changes when the last one was settled. */
async function runBatch(
  /** @type {import('./scene.js').Scene} */ { database },
  /** @type {number} */ payments,
) {
  await database.addPayments(payments, INTERVAL_MS);
  const giveUpAt = performance.now() + BATCH_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    const { recorded, pending, open } = await database.progress();
    if (open === 0 && pending === 0) return recorded;
    await pause(POLL_EVERY_MS);
  }
  throw new Error(`the changes were not through in time: ${JSON.stringify(await database.progress())}`);
}

/** All settled deliveries must have arrived, too. */
async function check(
  /** @type {import('./scene.js').Place} */ { broker },
  /** @type {import('./child.js').Child} */ receiver,
  /** @type {number} */ total,
) {
  const { distinct } = await receiver.ask();
  if (distinct !== total) throw new Error(`${total} changes, but ${distinct} events at the webhook`);
  const queued = (await broker?.queued()) ?? total;
  if (queued < total) throw new Error(`${total} changes, but ${queued} messages in RabbitMQ`);
}
