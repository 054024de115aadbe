/** The time of the schedule's statements among a million stored payments, with the service's own store. */
import { DataSource } from 'typeorm';

import { median, percentile, shown } from './figures.js';
import { pause } from './pause.js';
import { onDatabase } from './scene.js';
import { service } from './service-modules.js';
import { addStoredPayments } from './stored-payments.js';

const {
  dataSourceOptions,
  Queries,
  PostgresProviderRateLimit,
  PostgresSchedule,
  Config,
  PROVIDERS,
  DeliverySignals,
  WakeSignal,
  urgencyRules,
} = service;

const PAYMENTS = 1_000_000;
const OPEN = 100_000;
const BATCH = 200;
const INTERVAL_MS = 7_000;
const LEASE_MS = 5_100;
const MOST_MS = 5;
/** Two intervals of claims come first, so that the measured statements run among their dead rows. */
const WARM_UP_MS = 14_000;
const MEASURED_MS = 15_000;
const WAIT_MS = 10;
const FIGURES_READ = 5;
const MOST_FILLING_MS = 60_000;

/** @typedef {{ schedule: PostgresSchedule, rateLimit: PostgresProviderRateLimit }} Stores */

/** @param {import('./scene.js').Place} place */
export function measureClaims(place) {
  return onDatabase(place, async (database, cleanup) => {
    const startedAt = performance.now();
    await addStoredPayments(database, { payments: PAYMENTS, open: OPEN, intervalMs: INTERVAL_MS });
    const fillingMs = performance.now() - startedAt;
    if (fillingMs > MOST_FILLING_MS) throw new Error(`filling took ${shown(fillingMs / 1_000)} s`);
    const stores = await openStores(database.url, cleanup);
    const warm = await claimFor(stores.schedule, WARM_UP_MS);
    const quiet = await claimFor(stores.schedule, MEASURED_MS);
    const held = await database.pool.connect();
    try {
      await held.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await held.query('SELECT count(*) FROM destination');
      const crowded = await claimFor(stores.schedule, MEASURED_MS);
      return [
        ...shownClaims(`claim of ${BATCH} among ${PAYMENTS.toLocaleString('en-US')} payments`, quiet),
        { figure: '… claims a second', text: shown(quiet.claims.length / (MEASURED_MS / 1_000)) },
        { figure: '… row updates before', text: shown(warm.rows) },
        ...shownClaims(`the same beside a transaction of ${shown(MEASURED_MS / 1_000)} s`, crowded),
        ...(await costsOfFigures(stores)),
      ];
    } finally {
      held.release(true);
    }
  });
}

/** @param {string} url @param {(() => Promise<unknown>)[]} cleanup @returns {Promise<Stores>} */
async function openStores(url, cleanup) {
  const source = await new DataSource(dataSourceOptions(url, 2)).initialize();
  cleanup.push(() => source.destroy());
  const queries = new Queries(source);
  queries.open();
  const urgency = urgencyRules(new Config({ POLL_INTERVAL_MS: String(INTERVAL_MS) }, PROVIDERS));
  const clock = { now: () => new Date() };
  const rules = { source: 'bench', urgency };
  const schedule = new PostgresSchedule(
    queries,
    rules,
    clock,
    new DeliverySignals(),
    new WakeSignal(),
    'http',
  );
  const limits = { maxConcurrency: 64, batchSize: 1, timeoutMs: 5_000, maxRpm: 0 };
  const rateLimit = new PostgresProviderRateLimit(queries, /** @type {any} */ ({ name: 'http', limits }));
  return { schedule, rateLimit };
}

/** Claims all due payments like the tracker, and measures each full claim. @param {PostgresSchedule} schedule */
async function claimFor(schedule, /** @type {number} */ durationMs) {
  const result = { claims: /** @type {number[]} */ ([]), nexts: /** @type {number[]} */ ([]), rows: 0 };
  const until = performance.now() + durationMs;
  while (performance.now() < until) {
    const startedAt = performance.now();
    const claimed = (await schedule.claimDue(BATCH, LEASE_MS)).length;
    const claimedAt = performance.now();
    result.rows += claimed;
    if (claimed === BATCH) result.claims.push(claimedAt - startedAt);
    await schedule.nextDueInMs();
    result.nexts.push(performance.now() - claimedAt);
    await pause(claimed === BATCH ? 0 : WAIT_MS);
  }
  return result;
}

function shownClaims(
  /** @type {string} */ name,
  /** @type {{ claims: number[], nexts: number[] }} */ { claims, nexts },
) {
  return [
    { figure: `${name}, p50`, value: percentile(claims, 0.5), unit: 'ms', most: MOST_MS },
    { figure: '… p99', value: percentile(claims, 0.99), unit: 'ms', most: MOST_MS },
    { figure: '… what is due next, p50', value: percentile(nexts, 0.5), unit: 'ms', most: MOST_MS },
    { figure: '… p99', value: percentile(nexts, 0.99), unit: 'ms', most: MOST_MS },
  ];
}

/** @param {Stores} stores */
async function costsOfFigures({ schedule, rateLimit }) {
  return [
    {
      figure: `figures of ${shown(OPEN)} open payments`,
      value: await msOf(() => schedule.figures()),
      unit: 'ms',
    },
    { figure: '… their demand', value: await msOf(() => rateLimit.demand()), unit: 'ms' },
  ];
}

/** @param {() => Promise<unknown>} work */
async function msOf(work) {
  const times = [];
  for (let read = 0; read < FIGURES_READ; read += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
