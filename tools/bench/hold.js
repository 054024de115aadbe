/** One process holds 50,000 open payments at the default interval, with a slow provider. */

import { percentile, shown } from './figures.js';
import { pause } from './pause.js';
import { onScene } from './scene.js';

const PAYMENTS = 50_000;
const DEFAULT_INTERVAL_MS = 7_000;
const ANSWER_AFTER_MS = 40;
/** 50,000 polls in 7 s that take 40 ms each make 286 concurrent ones; an operator leaves room for slower answers. */
const SETTINGS = { PROVIDER_MAX_CONCURRENCY: '600' };
const CHANGES_PER_S = 50;
const WARM_UP_MS = 15_000;
const MEASURED_MS = 30_000;
const MOST_GAP_P99_MS = 7_700;
const MOST_LATENCY_P99_MS = 100;
/** A payment that is no longer polled has no gap at all, which must not stay unseen. */
const LEAST_GAPS = PAYMENTS * Math.floor(MEASURED_MS / MOST_GAP_P99_MS - 1);

/** @param {import('./scene.js').Place} place */
export function measureHold(place) {
  return onScene(place, SETTINGS, async ({ provider, receiver, database, paybell }) => {
    await provider.ask({ delayMs: ANSWER_AFTER_MS });
    await database.addPayments(PAYMENTS, DEFAULT_INTERVAL_MS);
    await provider.ask({ changesPerS: CHANGES_PER_S });
    await pause(WARM_UP_MS);
    await receiver.ask();
    const before = { ...(await provider.ask({ watch: true })), paybellMs: paybell.cpuMs() };
    await pause(MEASURED_MS);
    const after = { ...(await provider.ask({ wantsGaps: true })), paybellMs: paybell.cpuMs() };
    const { latencies } = await receiver.ask();
    if (after.gaps.count < LEAST_GAPS) throw new Error(`only ${after.gaps.count} of ${LEAST_GAPS} gaps`);
    return [...figuresOfPolls(before, after), ...figuresOfChanges(latencies)];
  });
}

/** @param {any} before @param {any} after */
function figuresOfPolls(before, after) {
  const { p50, p99, longest } = after.gaps;
  const polls = after.polls - before.polls;
  const cpuMs = after.paybellMs - before.paybellMs;
  const share = (/** @type {number} */ ms) => `${shown((ms * 100) / MEASURED_MS)} % of a core`;
  return [
    { figure: `${shown(PAYMENTS)} open payments: poll to poll, p50`, value: p50 / 1_000, unit: 's' },
    { figure: '… p99', value: p99 / 1_000, unit: 's', most: MOST_GAP_P99_MS / 1_000 },
    { figure: '… longest', value: longest / 1_000, unit: 's' },
    { figure: '… polls a second', value: (polls * 1_000) / MEASURED_MS },
    { figure: '… Paybell processor time a poll', value: (cpuMs * 1_000) / polls, unit: 'µs' },
    { figure: '… Paybell, stub provider', text: `${share(cpuMs)}, ${share(after.cpuMs - before.cpuMs)}` },
  ];
}

/** @param {number[]} latencies */
function figuresOfChanges(latencies) {
  const at = `at ${shown((latencies.length * 1_000) / MEASURED_MS)} changes a second`;
  return [
    { figure: `… poll answer to webhook, p50, ${at}`, value: percentile(latencies, 0.5), unit: 'ms' },
    { figure: '… p99', value: percentile(latencies, 0.99), unit: 'ms', most: MOST_LATENCY_P99_MS },
  ];
}
