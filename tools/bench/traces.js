/** What traces cost: processor time a poll that finds nothing new and a change, with traces off and on, in turn. */
import { SETTINGS as CHANGES_SETTINGS, runBatch } from './changes.js';
import { Child } from './child.js';
import { median, shown } from './figures.js';
import { pause } from './pause.js';
import { INTERVAL_MS, PAYMENTS, SETTINGS as POLLS_SETTINGS, WARM_UP_MS } from './polls.js';
import { onScene } from './scene.js';

export const TRACES_WITHIN_MS = 20 * 60_000;
const ROUNDS = Number(process.env['BENCH_TRACES_ROUNDS'] ?? 3);
const MOST_RATIO = 1.05;
const WINDOW_MS = 10_000;
const WARM_UP_PAYMENTS = 400;
const BATCHES = 2;
const CHANGED_PAYMENTS = 3_000;
/** The last spans wait for five seconds. */
const LAST_SPANS_MS = 6_000;
/** A change is a span of the poll and one of the event, beside one of each delivery. */
const SPANS_BEFORE_DELIVERY = 2;

/**
 * @typedef {{ pollUs: number, changeUs: number, spans: number, expected: number }} Costs
 * @typedef {{ off: Costs, on: Costs }} Round
 */

/** @param {import('./scene.js').Place} place */
export async function measureTraces(place) {
  /** @type {Round[]} */
  const rounds = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    // Each goes first in every other round.
    const isOnFirst = round % 2 === 0;
    const [first, second] = [await costsOf(place, isOnFirst), await costsOf(place, !isOnFirst)];
    rounds.push(isOnFirst ? { on: first, off: second } : { off: first, on: second });
    process.stderr.write(`  round ${round}: ${JSON.stringify(rounds.at(-1))}\n`);
  }
  const spans = rounds.map(({ on }) => `${shown(on.spans)} of ${shown(on.expected)}`);
  return [
    ...figuresOf('a poll', rounds, ({ pollUs }) => pollUs),
    ...figuresOf('a change', rounds, ({ changeUs }) => changeUs),
    { figure: '… spans that arrived, of all', text: spans.join(', ') },
  ];
}

/** @param {string} each @param {Round[]} rounds @param {(costs: Costs) => number} costOf */
function figuresOf(each, rounds, costOf) {
  const off = rounds.map((round) => costOf(round.off));
  const on = rounds.map((round) => costOf(round.on));
  return [
    { figure: `Paybell processor time ${each}, traces off`, value: median(off), unit: 'µs' },
    { figure: '… on', value: median(on), unit: 'µs' },
    { figure: '… on ÷ off', value: median(on) / median(off), most: MOST_RATIO },
    { figure: '… of each round, off', text: `${off.map(shown).join(', ')} µs` },
    { figure: '… of each round, on', text: `${on.map(shown).join(', ')} µs` },
  ];
}

/** @param {import('./scene.js').Place} place @param {boolean} isOn @returns {Promise<Costs>} */
async function costsOf(place, isOn) {
  const collector = await Child.start('./span-collector.js');
  try {
    const settings = isOn ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } : {};
    const pollUs = await pollCost(place, settings, isOn);
    return { pollUs, ...(await changeCosts(place, settings, isOn ? collector : null)) };
  } finally {
    await collector.stop();
  }
}

/** @param {import('./scene.js').Place} place @param {Record<string, string>} settings @param {boolean} isTraced */
function pollCost(place, settings, isTraced) {
  return onScene(place, { ...POLLS_SETTINGS, ...settings }, async ({ provider, database, paybell }) => {
    await database.addPayments(PAYMENTS, INTERVAL_MS, isTraced);
    await pause(WARM_UP_MS);
    const before = { ...(await provider.ask()), cpuMs: paybell.cpuMs() };
    await pause(WINDOW_MS);
    const after = { ...(await provider.ask()), cpuMs: paybell.cpuMs() };
    return ((after.cpuMs - before.cpuMs) * 1_000) / (after.polls - before.polls);
  });
}

/** @param {import('./scene.js').Place} place @param {Record<string, string>} settings @param {Child | null} collector */
function changeCosts(place, settings, collector) {
  const spansEach = SPANS_BEFORE_DELIVERY + (place.broker === null ? 1 : 2);
  return onScene(place, { ...CHANGES_SETTINGS, ...settings }, async (scene) => {
    const { provider, paybell } = scene;
    const isTraced = collector !== null;
    await provider.ask({ changesPerS: Infinity });
    const first = await runBatch(scene, WARM_UP_PAYMENTS, isTraced);
    const before = paybell.cpuMs();
    let last = first;
    for (let batch = 0; batch < BATCHES; batch += 1) last = await runBatch(scene, CHANGED_PAYMENTS, isTraced);
    const changeUs = ((paybell.cpuMs() - before) * 1_000) / (last - first);
    if (collector === null) return { changeUs, spans: 0, expected: 0 };
    await pause(LAST_SPANS_MS);
    const { spans } = await collector.ask();
    return { changeUs, spans, expected: last * spansEach };
  });
}
