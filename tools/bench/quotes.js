/** Quotes and adoptions a second, 32 at once, each with an order; and the duration of a single one. */
import { randomUUID } from 'node:crypto';

import { quoteRequest } from '../../build/tools/testkit/provider-objects.js';
import { median, percentile, shown } from './figures.js';
import { pause } from './pause.js';
import { postAtOnce } from './requests.js';
import { onScene } from './scene.js';

const AT_ONCE = 32;
const ROUNDS = 3;
const A_ROUND = 2_000;
const WARM_UP = 1_000;
const ALONE = 200;
const AIM_A_SECOND = 1_200;
const MOST_P99_MS = 60;
const MOST_CPU_MS = 0.7;
const MOST_ALONE_MS = 4;
/** Other measurements are about polls: with these settings the first poll comes after this one. */
const SETTINGS = { POLL_INTERVAL_MS: '300000' };
const THROUGH_WITHIN_MS = 60_000;
const ASK_EVERY_MS = 50;

/** @typedef {{ path: string, bodyOf: () => object, headersOf?: () => string }} Load */

/** @type {Load} */
const QUOTES = {
  path: '/api/quote',
  bodyOf: () => ({ ...quoteRequest(), ...orderOf() }),
  headersOf: () => `idempotency-key: ${randomUUID()}\r\n`,
};

/** @type {Load} */
const ADOPTIONS = { path: '/api/payments', bodyOf: () => ({ quoteId: randomUUID(), ...orderOf() }) };

/** @param {import('./scene.js').Place} place */
export function measureQuotes(place) {
  return onScene(place, SETTINGS, async (scene) => [
    ...(await figuresOf(scene, QUOTES, 'quote', 'with an idempotency key')),
    ...(await figuresOf(scene, ADOPTIONS, 'adoption', 'by id')),
  ]);
}

function orderOf() {
  return { orderId: `A-${randomUUID().slice(0, 8)}`, metadata: { shop: 'bench' } };
}

/** @param {import('./scene.js').Scene} scene @param {Load} load @param {string} one @param {string} how */
async function figuresOf(scene, load, one, how) {
  const { database, paybell } = scene;
  const post = (/** @type {number} */ count, atOnce = AT_ONCE) =>
    postAtOnce(paybell, { ...load, count, atOnce });
  await through(scene, () => post(WARM_UP));
  const before = { ...(await database.counters()), cpuMs: paybell.cpuMs() };
  const rates = [];
  const latencies = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { ms, latencies: each } = await through(scene, () => post(A_ROUND));
    rates.push((A_ROUND * 1_000) / ms);
    latencies.push(...each);
  }
  const after = { ...(await database.counters()), cpuMs: paybell.cpuMs() };
  const alone = await through(scene, () => post(ALONE, 1));
  const a = one === 'adoption' ? 'an' : 'a';
  const each = (/** @type {'cpuMs' | 'commits' | 'written' | 'wal'} */ what) =>
    (after[what] - before[what]) / (ROUNDS * A_ROUND);
  return [
    { figure: `${one}s a second, ${how}, ${AT_ONCE} at once`, value: median(rates), aim: AIM_A_SECOND },
    {
      figure: '… slowest and fastest round',
      text: `${shown(Math.min(...rates))} to ${shown(Math.max(...rates))}`,
    },
    { figure: '… p50', value: percentile(latencies, 0.5), unit: 'ms' },
    { figure: '… p99', value: percentile(latencies, 0.99), unit: 'ms', most: MOST_P99_MS },
    {
      figure: `… Paybell processor time ${a} ${one}, its deliveries included`,
      value: each('cpuMs'),
      unit: 'ms',
      most: MOST_CPU_MS,
    },
    { figure: `… commits ${a} ${one}`, value: each('commits') },
    { figure: '… row writes', value: each('written') },
    { figure: '… WAL', value: each('wal'), unit: 'B' },
    { figure: '… one alone, p50', value: percentile(alone.latencies, 0.5), unit: 'ms', most: MOST_ALONE_MS },
  ];
}

/**
 * Runs the load and waits until each payment is stored and its event delivered: an answered quote that is not published does
 * not count.
 * @param {import('./scene.js').Scene} scene
 * @param {() => Promise<{ ms: number, latencies: number[] }>} load
 */
async function through({ database, receiver }, load) {
  const { recorded: before } = await database.progress();
  const result = await load();
  const giveUpAt = performance.now() + THROUGH_WITHIN_MS;
  for (;;) {
    const { recorded, pending } = await database.progress();
    const { distinct } = await receiver.ask();
    if (recorded - before === result.latencies.length && pending === 0 && distinct === recorded) break;
    if (performance.now() > giveUpAt)
      throw new Error(`${result.latencies.length} answers, ${recorded - before} events, ${pending} pending`);
    await pause(ASK_EVERY_MS);
  }
  return result;
}
