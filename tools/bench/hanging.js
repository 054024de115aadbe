/** 100 endpoints that get every event, half of which accept and then never answer: what the others notice of it. */

import { median, shown } from './figures.js';
import { pause } from './pause.js';
import { figuresOfMemory, memoryOver } from './resident.js';
import { addEndpoints, onEndpoints } from './scene.js';

const ENDPOINTS = 100;
const HEALTHY = ENDPOINTS / 2;
/** Each goes to all endpoints: 1,000 deliveries a second. */
const EVENTS_PER_S = 10;
/** At least 250 polls a second, so that the changes come at an even rate. */
const INTERVAL_MS = 20_000;
const CHANGES_EACH = 3;
const SETTINGS = { POLL_INTERVAL_MS: String(INTERVAL_MS), WEBHOOK_TIMEOUT_MS: '15000' };
const WARM_UP_MS = 20_000;
const UNDISTURBED_MS = 60_000;
/** Until the first attempts that hang have timed out, and a little. */
const ONSET_MS = 20_000;
/** All but the onset: 90 s, or as many as BENCH_HANGING_SECONDS says; 600 for the figure of ten minutes. */
const HANGING_MS = Number(process.env['BENCH_HANGING_SECONDS'] ?? 90) * 1_000;
const MOST_TIMES = 2;
const POLL_EVERY_MS = 1_000;
const LAST_WITHIN_MS = 10_000;
const SPARE_MS = 90_000;

/** How long all of it may take. */
export const HANGING_WITHIN_MS =
  WARM_UP_MS + UNDISTURBED_MS + ONSET_MS + HANGING_MS + LAST_WITHIN_MS + SPARE_MS;
const PAYMENTS = 5_000 + (HANGING_MS / 1_000) * (EVENTS_PER_S / CHANGES_EACH);

const HEALTHY_HALF = { first: 0, count: HEALTHY };
const HANGING_HALF = { first: HEALTHY, count: ENDPOINTS - HEALTHY };

/** @typedef {{ count: number, p50: number, p99: number }} Latencies */

/** @param {import('./scene.js').Place} place */
export function measureHanging(place) {
  return onEndpoints(place, SETTINGS, async ({ provider, receiver, database, paybell }) => {
    await addEndpoints(paybell, receiver, ENDPOINTS);
    await database.addPayments(Math.ceil(PAYMENTS), INTERVAL_MS);
    await provider.ask({ changesPerS: EVENTS_PER_S });
    await pause(WARM_UP_MS);
    const healthyOver = async (/** @type {number} */ durationMs) => {
      await receiver.ask({ wantsLatencies: true });
      const cpuMs = paybell.cpuMs();
      const memory = await memoryOver(paybell, durationMs);
      const { latencies } = await receiver.ask({ ...HEALTHY_HALF, wantsLatencies: true });
      return { ...latencies, memory, cpuShare: (paybell.cpuMs() - cpuMs) / durationMs };
    };
    const undisturbed = await healthyOver(UNDISTURBED_MS);
    await receiver.ask({ ...HANGING_HALF, hangs: true });
    const onset = await healthyOver(ONSET_MS);
    const hanging = await healthyOver(HANGING_MS);
    await provider.ask({ changesPerS: 0 });
    const arrived = await lastOf(provider, receiver);
    const { unanswered } = await receiver.ask(HANGING_HALF);
    if (unanswered < ENDPOINTS - HEALTHY) throw new Error(`only ${unanswered} attempts hung`);
    return [
      ...figuresOfLatency(undisturbed, onset, hanging),
      ...figuresOfMemory('… memory', hanging.memory),
      { figure: '… median before they hung', value: median(undisturbed.memory), unit: 'MB' },
      { figure: '… lost, of the healthy half', value: arrived.lost, most: 0 },
      { figure: '… out of order', value: arrived.overtaken, most: 0 },
      { figure: '… sent twice', value: arrived.duplicates },
      { figure: '… attempts that hung', value: unanswered },
    ];
  });
}

/** What the healthy half has got when nothing changes any more. @param {import('./child.js').Child} provider @param {import('./child.js').Child} receiver */
async function lastOf(provider, receiver) {
  const giveUpAt = performance.now() + LAST_WITHIN_MS;
  for (;;) {
    const { changes } = await provider.ask();
    const { fresh, overtaken, duplicates } = await receiver.ask(HEALTHY_HALF);
    const lost = changes * HEALTHY - fresh;
    if (lost === 0 || performance.now() > giveUpAt) return { lost, overtaken, duplicates };
    await pause(POLL_EVERY_MS);
  }
}

/** @param {Latencies & { cpuShare: number }} undisturbed @param {Latencies} onset @param {Latencies} hanging */
function figuresOfLatency(undisturbed, onset, hanging) {
  const rate = (undisturbed.count * 1_000 * ENDPOINTS) / HEALTHY / UNDISTURBED_MS;
  const most = MOST_TIMES * undisturbed.p99;
  return [
    {
      figure: `poll answer to webhook, ${ENDPOINTS} endpoints, ${shown(rate)} deliveries/s, p50`,
      value: undisturbed.p50,
      unit: 'ms',
    },
    { figure: '… p99', value: undisturbed.p99, unit: 'ms' },
    { figure: '… Paybell', text: `${shown(undisturbed.cpuShare * 100)} % of a core` },
    { figure: `${HEALTHY} of them hanging: p50 of the others`, value: hanging.p50, unit: 'ms' },
    { figure: '… p99', value: hanging.p99, unit: 'ms', most },
    {
      figure: `… p99 of the first ${shown(ONSET_MS / 1_000)} s, left out above`,
      value: onset.p99,
      unit: 'ms',
      most,
    },
  ];
}
