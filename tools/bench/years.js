/** What lists, search, recoveries, claims and metrics take among the payments of years, through the API of a running Paybell. */
import { randomBytes } from 'node:crypto';

import { claimFor, openStores } from './claims.js';
import { Database } from './database.js';
import { percentile, shown } from './figures.js';
import { pause } from './pause.js';
import { Paybell } from './paybell.js';
import { onDatabase } from './scene.js';
import { service } from './service-modules.js';
import { addStoredYears, IDS, SMALL, TABLES, USUAL } from './stored-years.js';
import { ENDPOINT, requests } from './years-requests.js';

const { LARGE_INDEXES } = service;

const PAYMENTS = Number(process.env['BENCH_YEARS_PAYMENTS'] ?? 1_000_000);
/** One part alone, on a database that is kept: to load at a low priority, and measure again after a change. */
const STEPS = ['load', 'measure', 'drop'];
const STEP = process.env['BENCH_YEARS_STEP'];
/** More payments than this are small, so that ten million take less than 40 GB. */
const SMALL_ABOVE = 2_000_000;
const SHAPE = PAYMENTS > SMALL_ABOVE ? SMALL : USUAL;
const OPEN = 20_000;
const MOST_MS = 100;
const ASKED = 100;
/** A slow list is asked fewer times. */
const MOST_ASKING_MS = 2_000;
const STARTS = 20;
const SCRAPES = 5;
/** Paybell reads the figures of /metrics at most once in five seconds. */
const FRESH_MS = 5_200;
const CLAIMED_MS = 15_000;
const CLAIM_WARM_UP_MS = 7_000;
/** In this time more become due than one claim takes. */
const CLAIM_WAIT_MS = 100;
const GIGABYTE = 1_000_000_000;
const DAY_MS = 86_400_000;
export const YEARS_WITHIN_MS = 6 * 3_600_000;

const NEWEST_ENDPOINT = 'SELECT id FROM destination ORDER BY created_at DESC LIMIT 1';

/** @typedef {import('./years-requests.js').Known} Known */

/** @param {import('./scene.js').Place} place */
export async function measureYears(place) {
  if (STEP === undefined)
    return onDatabase(place, async (database, cleanup) => [
      ...(await load(database)),
      ...(await measure(place, database, cleanup)),
    ]);
  if (!STEPS.includes(STEP)) throw new Error(`BENCH_YEARS_STEP is one of ${STEPS.join(', ')}`);
  return onKept(place, async (database, cleanup) => {
    if (STEP === 'load') {
      await database.create();
      return load(database);
    }
    if (STEP === 'measure') return measure(place, database, cleanup);
    await database.drop();
    return [];
  });
}

/**
 * The database of BENCH_YEARS_STEP, which is left where it is.
 * @template Result
 * @param {import('./scene.js').Place} place
 * @param {(database: Database, cleanup: (() => Promise<unknown>)[]) => Promise<Result>} work
 */
async function onKept({ server }, work) {
  const database = new Database(server, `paybell_bench_years_${PAYMENTS}`);
  /** @type {(() => Promise<unknown>)[]} */
  const cleanup = [];
  try {
    return await work(database, cleanup);
  } finally {
    for (const step of cleanup.reverse()) await step();
    await database.close();
  }
}

async function load(/** @type {Database} */ database) {
  const startedAt = performance.now();
  await addStoredYears(database, { payments: PAYMENTS, open: OPEN, shape: SHAPE });
  const loadedMs = performance.now() - startedAt;
  const name = `${PAYMENTS.toLocaleString('en-US')} payments, loading`;
  return [{ figure: name, value: loadedMs / 60_000, unit: 'min' }];
}

/** @param {import('./scene.js').Place} place @param {Database} database @param {(() => Promise<unknown>)[]} cleanup */
async function measure(place, database, cleanup) {
  await database.buildIndexes();
  // Measurements before this one have left rows there.
  await database.pool.query('VACUUM ANALYZE payment_schedule');
  const sizes = await sizesOf(database);
  for (const { figure, text } of sizes) process.stderr.write(`${figure}: ${text}\n`);
  const claims = await claimsOf(place, database);
  const paybell = await Paybell.start(place.folder, {
    DATABASE_URL: database.url,
    PROVIDER: 'sandbox',
    ROLES: 'api',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  });
  cleanup.push(() => paybell.stop());
  const known = await knownOf(paybell, database);
  return [
    ...sizes,
    ...claims,
    ...(await startsOf(paybell, database)),
    ...(await scrapesOf(paybell)),
    ...(await timesOf(paybell, known)),
  ];
}

async function sizesOf(/** @type {Database} */ database) {
  const { rows } = await database.pool.query(
    `SELECT name, pg_table_size(name::regclass)::float8 AS rows, pg_indexes_size(name::regclass)::float8 AS indexes
     FROM unnest($1::text[]) WITH ORDINALITY AS t (name, n) ORDER BY n`,
    [TABLES],
  );
  const { rows: indexes } = await database.pool.query(
    `SELECT name, pg_relation_size(name::regclass)::float8 AS bytes FROM unnest($1::text[]) name`,
    [LARGE_INDEXES.map(({ name }) => name)],
  );
  const all = rows.reduce((sum, row) => sum + row.rows + row.indexes, 0);
  return [
    { figure: 'stored', text: `${shown(all / GIGABYTE)} GB` },
    { figure: '… bytes a payment', text: perPayment(all) },
    ...rows.map((row) => ({
      figure: `… … ${row.name}: rows, indexes`,
      text: `${perPayment(row.rows)}, ${perPayment(row.indexes)}`,
    })),
    ...indexes.map((row) => ({ figure: `… … of them ${row.name}`, text: perPayment(row.bytes) })),
  ];
}

/** @param {Paybell} paybell @param {Database} database @returns {Promise<Known[]>} */
async function knownOf(paybell, database) {
  const numbers = Array.from({ length: ASKED }, () => 1 + Math.floor(Math.random() * PAYMENTS));
  const { rows } = await database.pool.query(
    `SELECT ${IDS}, md5('4event' || n)::uuid AS event_id, p.created_at FROM unnest($1::int[]) n JOIN payment p ON p.id = n`,
    [numbers],
  );
  for (const one of rows) {
    const before = `createdBefore=${one.created_at.toISOString()}`;
    ({ nextCursor: one.payment_cursor } = await answerOf(paybell, `/api/payments?limit=1&${before}`));
    const deliveries = await answerOf(paybell, `/api/webhook-deliveries?limit=1&quoteId=${one.quote_id}`);
    one.delivery_id = deliveries.data[0].id;
    one.delivery_cursor = deliveries.nextCursor;
  }
  return rows;
}

/** @param {Paybell} paybell @param {Known[]} known */
async function timesOf(paybell, known) {
  const figures = [];
  for (const [name, pathOf] of requests(SHAPE.everyones, known)) {
    const times = [];
    const until = performance.now() + MOST_ASKING_MS;
    for (const one of known) if (performance.now() < until) times.push(await msOf(paybell, pathOf(one)));
    figures.push(...shownTimes(name, times));
    await pause(0);
  }
  return figures;
}

/** No dispatcher runs: each recovery is stopped before the next one. */
async function startsOf(/** @type {Paybell} */ paybell, /** @type {Database} */ database) {
  await paybell.addEndpoint('http://127.0.0.1:9/new');
  const { rows } = await database.pool.query(NEWEST_ENDPOINT);
  const figures = [];
  for (const [whose, id] of [
    ['a new endpoint', rows[0].id],
    ['an endpoint that has all', ENDPOINT],
  ])
    for (const days of [0.1, 60]) {
      const times = [];
      const since = new Date(Date.now() - days * DAY_MS);
      for (let start = 0; start < STARTS; start += 1) {
        const recovery = { method: 'POST', body: { since } };
        times.push(await msOf(paybell, `/api/webhook-endpoints/${id}/recover`, recovery));
        await database.pool.query(`UPDATE event_replay SET state = 'stopped', finished_at = now()`);
      }
      figures.push(...shownTimes(`start of a recovery of ${shown(days)} days, ${whose}`, times));
    }
  await database.pool.query('DELETE FROM destination WHERE id = $1', [rows[0].id]);
  return figures;
}

async function scrapesOf(/** @type {Paybell} */ paybell) {
  const times = [];
  for (let scrape = 0; scrape < SCRAPES; scrape += 1) {
    await pause(FRESH_MS);
    times.push(await msOf(paybell, '/metrics'));
  }
  return shownTimes(`/metrics, ${shown(OPEN)} open payments`, times);
}

/** @param {Paybell} paybell @param {string} path @returns {Promise<any>} */
async function answerOf(paybell, path) {
  return (await paybell.fetch(path)).json();
}

/** @param {Paybell} paybell @param {string} path @param {Parameters<Paybell['fetch']>[1]} [init] */
async function msOf(paybell, path, init) {
  const startedAt = performance.now();
  const response = await paybell.fetch(path, init);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${text}`);
  return performance.now() - startedAt;
}

/** @param {string} figure @param {number[]} times */
function shownTimes(figure, times) {
  process.stderr.write(`${figure}: ${bothOf(times)}\n`);
  return [{ figure, text: bothOf(times), value: percentile(times, 0.99), unit: 'ms', most: MOST_MS }];
}

/**
 * Claims of the newest payments, once without others and once among all, in turn, so that other load meets both.
 * @param {import('./scene.js').Place} place @param {Database} database
 */
async function claimsOf(place, database) {
  return onDatabase(place, async (alone, cleanup) => {
    await addStoredYears(alone, { payments: OPEN, open: OPEN, shape: SHAPE });
    const schedules = [];
    for (const { url } of [alone, database]) schedules.push((await openStores(url, cleanup)).schedule);
    await claimInTurn(schedules, CLAIM_WARM_UP_MS);
    const [few = [], all = []] = await claimInTurn(schedules, CLAIMED_MS);
    const share = percentile(all, 0.5) / percentile(few, 0.5) - 1;
    process.stderr.write(`claims alone: ${bothOf(few)}; among all: ${bothOf(all)}\n`);
    return [
      { figure: `claims of 200 of ${shown(OPEN)} open, nothing else stored`, text: bothOf(few) },
      { figure: '… among all', text: bothOf(all) },
      { figure: '… p50 more than that', value: Math.max(share * 100, 0), unit: '%', most: 10 },
    ];
  });
}

/** @param {Parameters<typeof claimFor>[0][]} schedules @param {number} durationMs */
async function claimInTurn(schedules, durationMs) {
  const times = schedules.map(() => /** @type {number[]} */ ([]));
  const until = performance.now() + durationMs;
  while (performance.now() < until) {
    for (const [n, schedule] of schedules.entries())
      times[n]?.push(...(await claimFor(schedule, 1, 0)).claims);
    await pause(CLAIM_WAIT_MS);
  }
  return times;
}

function perPayment(/** @type {number} */ bytes) {
  return shown(Math.round(bytes / PAYMENTS));
}

/** p50 and p99. */
function bothOf(/** @type {number[]} */ times) {
  return `${shown(percentile(times, 0.5))}, ${shown(percentile(times, 0.99))} ms`;
}
