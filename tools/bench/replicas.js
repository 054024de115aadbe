/** Two processes on one database: how they share the polls, and how soon one process takes over from the other. */

import { pause } from './pause.js';
import { onScene } from './scene.js';

const PAYMENTS = 5_000;
const INTERVAL_MS = 2_000;
const SETTINGS = {
  PROVIDER_TIMEOUT_MS: '1000',
  POLL_INTERVAL_MS: String(INTERVAL_MS),
  POLL_MIN_GAP_MS: '0',
};
const ANSWER_AFTER_MS = 40;
const WARM_UP_MS = 6_000;
const MEASURED_MS = 15_000;
/** Half of the payments, and a fifth more. */
const MOST_SHARE = 60;
const MOST_TAKEOVER_MS = 30_000;
const GIVE_UP_AFTER_MS = 2 * MOST_TAKEOVER_MS;
const ASK_EVERY_MS = 20;

/** @param {import('./scene.js').Place} place */
export function measureReplicas(place) {
  return onScene(place, SETTINGS, async (scene) => {
    const replicas = [scene, await scene.addReplica()];
    for (const { provider } of replicas) await provider.ask({ delayMs: ANSWER_AFTER_MS });
    await scene.database.addPayments(PAYMENTS, INTERVAL_MS);
    await pause(WARM_UP_MS);
    const before = await Promise.all(replicas.map(polled));
    await pause(MEASURED_MS);
    const after = await Promise.all(replicas.map(polled));
    const polls = after.map((count, index) => count - (before[index] ?? 0));
    const all = polls.reduce((sum, count) => sum + count, 0);
    const share = (Math.max(...polls) * 100) / all;
    const takeoverMs = await takeover(replicas);
    return [
      { figure: 'two processes: polls of the busier one', value: share, unit: '%', most: MOST_SHARE },
      { figure: '… polls a second of both', value: (all * 1_000) / MEASURED_MS },
      {
        figure: '… after a SIGKILL of one, all payments polled again',
        value: takeoverMs / 1_000,
        unit: 's',
        most: MOST_TAKEOVER_MS / 1_000,
      },
    ];
  });
}

/** @param {import('./scene.js').Replica} replica */
async function polled({ provider }) {
  return (await provider.ask()).polls;
}

/** The benchmark does not know the payments of the killed replica: every payment must be polled again. */
async function takeover(/** @type {import('./scene.js').Replica[]} */ [killed, left]) {
  await left?.provider.ask({ watch: true });
  await killed?.paybell.kill9();
  const killedAt = performance.now();
  while (performance.now() - killedAt < GIVE_UP_AFTER_MS) {
    const answer = await left?.provider.ask();
    if (answer.watched === PAYMENTS) return performance.now() - killedAt;
    await pause(ASK_EVERY_MS);
  }
  throw new Error('payments of the killed process were not polled again');
}
