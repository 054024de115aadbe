/** A slow endpoint with 100,000 waiting events beside a healthy one: the effect on the healthy one. */

import { shown } from './figures.js';
import { pause } from './pause.js';
import { addEndpoints, onEndpoints } from './scene.js';
import { addWaitingEvents } from './waiting-events.js';

const EVENTS_PER_S = 50;
/** An interval that makes at least 250 polls a second, so that changes come at an even rate. */
const INTERVAL_MS = 20_000;
const PAYMENTS = 5_000;
const SETTINGS = { POLL_INTERVAL_MS: String(INTERVAL_MS) };
const WARM_UP_MS = 15_000;
const MEASURED_MS = 30_000;
const ANSWER_AFTER_MS = 100;
const WAITING_PAYMENTS = 20_000;
/** Only the slow endpoint takes the type of the waiting events. Both take the changes. */
const HEALTHY_TYPES = ['payment.deposit_received', 'payment.executing', 'payment.completed'];
const WAITING_TYPES = Array.from({ length: 5 }, () => 'payment.updated');
const LEAST_WAITING = 50_000;
const MOST_MORE_MS = 50;

const HEALTHY = { first: 0, count: 1 };
const SLOW = { first: 1, count: 1 };

/** @typedef {{ count: number, p50: number, p99: number }} Latencies */

/** @param {import('./scene.js').Place} place */
export function measureBacklog(place) {
  return onEndpoints(place, SETTINGS, async ({ provider, receiver, database, paybell }) => {
    await addEndpoints(paybell, receiver, 1, HEALTHY_TYPES);
    await database.addPayments(PAYMENTS, INTERVAL_MS);
    await provider.ask({ changesPerS: EVENTS_PER_S });
    const alone = await healthyAfterWarmUp(receiver);
    await addEndpoints(paybell, receiver, 1);
    await receiver.ask({ ...SLOW, delayMs: ANSWER_AFTER_MS });
    await addWaitingEvents(database, WAITING_PAYMENTS, WAITING_TYPES);
    const beside = await healthyAfterWarmUp(receiver);
    const { pending } = await database.progress();
    if (pending < LEAST_WAITING) throw new Error(`only ${pending} events wait: the slow one is too fast`);
    const { overtaken } = await receiver.ask();
    return figuresOf(alone, beside, { pending, overtaken });
  });
}

/** @param {import('./child.js').Child} receiver @returns {Promise<Latencies>} */
async function healthyAfterWarmUp(receiver) {
  await pause(WARM_UP_MS);
  await receiver.ask({ wantsLatencies: true });
  await pause(MEASURED_MS);
  return (await receiver.ask({ ...HEALTHY, wantsLatencies: true })).latencies;
}

/** @param {Latencies} alone @param {Latencies} beside @param {{ pending: number, overtaken: number }} rest */
function figuresOf(alone, beside, { pending, overtaken }) {
  const rate = shown((alone.count * 1_000) / MEASURED_MS);
  return [
    { figure: `one endpoint alone, at ${rate} events a second: p50`, value: alone.p50, unit: 'ms' },
    { figure: '… p99', value: alone.p99, unit: 'ms' },
    {
      figure: `… beside one with ${shown(pending)} waiting, ${ANSWER_AFTER_MS} ms an answer: p50`,
      value: beside.p50,
      unit: 'ms',
    },
    { figure: '… p99', value: beside.p99, unit: 'ms' },
    { figure: '… p99 more than alone', value: beside.p99 - alone.p99, unit: 'ms', most: MOST_MORE_MS },
    { figure: '… out of order', value: overtaken, most: 0 },
  ];
}
