/** The cost of polls that several processes share: processor time of Paybell, commits and row writes. */
import { median, shown } from './figures.js';
import { pause } from './pause.js';
import { onScene } from './scene.js';

const PAYMENTS = 100_000;
const DEFAULT_INTERVAL_MS = 7_000;
/** Single rounds differ by up to a half on a host with a varying speed. */
const ROUNDS = 3;
export const PROCESSES_WITHIN_MS = ROUNDS * 4 * 60_000;
const WARM_UP_MS = 15_000;
const MEASURED_MS = 15_000;
/** The least number of polls for each second of processor time, as a share of that with one process. */
const LEAST_SHARE = 0.95;
/** The most that a poll may cost, as a multiple of its cost with one process. */
const MOST_TIMES = 1.1;

/** @typedef {{ rate: number, cpuUs: number, commits: number, written: number }} Cost of a poll, but `rate`, the polls a second */

/** @param {import('./scene.js').Place} place */
export async function measureProcesses(place) {
  /** @type {{ one: Cost, two: Cost, four: Cost }[]} */
  const rounds = [];
  while (rounds.length < ROUNDS)
    rounds.push({
      one: await costWith(place, 1),
      two: await costWith(place, 2),
      four: await costWith(place, 4),
    });
  const all = (/** @type {(cost: Cost) => number} */ of) =>
    [rounds.map(({ one }) => of(one)), rounds.map(({ two }) => of(two)), rounds.map(({ four }) => of(four))]
      .map((values) => shown(median(values)))
      .join(', ');
  const shares = rounds.map(({ one, two }) => one.cpuUs / two.cpuUs);
  return [
    {
      figure: `two processes against one, ${shown(PAYMENTS)} open: polls of a second of processor time`,
      value: median(shares),
      aim: LEAST_SHARE,
    },
    { figure: '… in each round', text: shares.map(shown).join(', ') },
    {
      figure: '… Paybell processor time a poll with one, two, four processes',
      text: `${all((cost) => cost.cpuUs)} µs`,
    },
    { figure: '… polls a second', text: all((cost) => cost.rate) },
    { figure: '… commits a poll', text: all((cost) => cost.commits) },
    { figure: '… row writes a poll', text: all((cost) => cost.written) },
    {
      figure: '… four against one: row writes a poll',
      value: median(rounds.map(({ one, four }) => four.written / one.written)),
      most: MOST_TIMES,
    },
    {
      figure: '… commits a poll',
      value: median(rounds.map(({ one, four }) => four.commits / one.commits)),
      most: MOST_TIMES,
    },
  ];
}

/** @param {import('./scene.js').Place} place @param {number} count @returns {Promise<Cost>} */
function costWith(place, count) {
  return onScene(place, {}, async (scene) => {
    /** @type {import('./scene.js').Replica[]} */
    const replicas = [scene];
    while (replicas.length < count) replicas.push(await scene.addReplica());
    await scene.database.addPayments(PAYMENTS, DEFAULT_INTERVAL_MS);
    await pause(WARM_UP_MS);
    const before = await sumOf(scene, replicas);
    await pause(MEASURED_MS);
    const after = await sumOf(scene, replicas);
    const polls = after.polls - before.polls;
    return {
      rate: (polls * 1_000) / (after.atMs - before.atMs),
      cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / polls,
      commits: (after.commits - before.commits) / polls,
      written: (after.written - before.written) / polls,
    };
  });
}

/** @param {import('./scene.js').Scene} scene @param {import('./scene.js').Replica[]} replicas */
async function sumOf({ database }, replicas) {
  const counters = await database.counters();
  const answers = await Promise.all(replicas.map(({ provider }) => provider.ask()));
  const polls = answers.reduce((sum, answer) => sum + answer.polls, 0);
  const cpuMs = replicas.reduce((sum, { paybell }) => sum + paybell.cpuMs(), 0);
  return { ...counters, polls, cpuMs, atMs: performance.now() };
}
