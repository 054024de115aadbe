/** What lists, search, recoveries, claims and metrics take among the payments of years, through the API of a running Paybell. */
import { randomBytes } from 'node:crypto';

import { buildIndexes } from '../../dist/database/connection/build-indexes.js';
import { LARGE_INDEXES } from '../../dist/database/schema/indexes.js';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../dist/database/connection/data-source-options.js';
import { claimFor, openStores } from './claims.js';
import { percentile, shown } from './figures.js';
import { pause } from './pause.js';
import { Paybell } from './paybell.js';
import { onDatabase } from './scene.js';
import { addStoredYears, IDS } from './stored-years.js';

const PAYMENTS = Number(process.env['BENCH_YEARS_PAYMENTS'] ?? 1_000_000);
/** Of more payments than this the bodies are small, so that ten million take less than 40 GB. */
const SMALL_ABOVE = 2_000_000;
const OPEN = 20_000;
const MOST_MS = 100;
const ASKED = 100;
const STARTS = 20;
const SCRAPES = 5;
/** Paybell reads the figures of /metrics at most once in five seconds. */
const FRESH_MS = 5_200;
const CLAIMED_MS = 15_000;
const CLAIM_WARM_UP_MS = 14_000;
/** In this time more become due than one claim takes. */
const CLAIM_WAIT_MS = 200;
const STATEMENT_ENDS_MS = 3_600_000;
const DAY_MS = 86_400_000;
export const YEARS_WITHIN_MS = 6 * 3_600_000;

const TABLES = [
  'event',
  'delivery',
  'payment_quote',
  'payment_report',
  'attempt',
  'payment',
  'payment_schedule',
];

/** @typedef {{ quote_id: string, order_id: string, deposit_address: string, deposit_hash: string, output_hash: string, recipient: string, created_at: Date }} Known */
/** @typedef {import('./database.js').Database} Database */

/** @param {import('./scene.js').Place} place */
export async function measureYears(place) {
  const empty = await onDatabase(place, async (database, cleanup) => {
    await addStoredYears(database, { payments: OPEN, open: OPEN, small: true });
    await database.pool.query('VACUUM ANALYZE');
    return claims(database, cleanup);
  });
  return onDatabase(place, async (database, cleanup) => {
    const loadedMs = await load(database);
    const sizes = await sizesOf(database);
    for (const { figure, text } of sizes) process.stderr.write(`${figure}: ${text}\n`);
    const full = await claims(database, cleanup);
    const paybell = await Paybell.start(place.folder, {
      DATABASE_URL: database.url,
      PROVIDER: 'sandbox',
      ROLES: 'api',
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
    cleanup.push(() => paybell.stop());
    const known = await knownOf(database);
    return [
      {
        figure: `${PAYMENTS.toLocaleString('en-US')} payments, loading`,
        value: loadedMs / 60_000,
        unit: 'min',
      },
      ...sizes,
      ...(await timesOf(paybell, known)),
      ...(await startsOf(paybell, database)),
      ...(await scrapesOf(paybell)),
      ...compared(empty, full),
    ];
  });
}

async function load(/** @type {Database} */ database) {
  const startedAt = performance.now();
  for (const { name } of LARGE_INDEXES) await database.pool.query(`DROP INDEX ${name}`);
  await addStoredYears(database, { payments: PAYMENTS, open: OPEN, small: PAYMENTS > SMALL_ABOVE });
  const options = dataSourceOptions(database.url, 1);
  const extra = { max: 1, query_timeout: STATEMENT_ENDS_MS };
  const source = await new DataSource({ ...options, extra }).initialize();
  await buildIndexes(source, pause);
  await source.destroy();
  await database.pool.query('VACUUM ANALYZE');
  return performance.now() - startedAt;
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
    { figure: '… bytes a payment', text: perPayment(all) },
    ...rows.map((row) => ({
      figure: `… … ${row.name}: rows, indexes`,
      text: `${perPayment(row.rows)}, ${perPayment(row.indexes)}`,
    })),
    ...indexes.map((row) => ({ figure: `… … of them ${row.name}`, text: perPayment(row.bytes) })),
  ];
}

/** @returns {Promise<Known[]>} */
async function knownOf(/** @type {Database} */ database) {
  const numbers = Array.from({ length: ASKED }, () => 1 + Math.floor(Math.random() * PAYMENTS));
  const { rows } = await database.pool.query(
    `SELECT ${IDS}, p.created_at FROM unnest($1::int[]) n JOIN payment p ON p.id = n`,
    [numbers],
  );
  return rows;
}

/** @param {Paybell} paybell @param {Known[]} known */
async function timesOf(paybell, known) {
  const list = '/api/payments?limit=100';
  /** @type {[string, (one: Known, n: number) => string][]} */
  const kinds = [
    ['payments: newest', () => list],
    ...['AWAITING_DEPOSIT', 'EXECUTING', 'COMPLETED', 'FAILED', 'EXPIRED'].map(
      (status) =>
        /** @type {[string, () => string]} */ ([`payments: ${status}`, () => `${list}&status=${status}`]),
    ),
    ['payments: of three statuses', () => `${list}&status=FAILED&status=EXPIRED&status=AWAITING_DEPOSIT`],
    ['payments: of an order', (one) => `${list}&orderId=${one.order_id}`],
    ['payments: createdBefore', (one) => `${list}&createdBefore=${one.created_at.toISOString()}`],
    ['payments: createdAfter', (one) => `${list}&createdAfter=${one.created_at.toISOString()}`],
    ['payments: of a day, FAILED', (one) => `${list}&status=FAILED&${dayBefore(one)}`],
    ['payments: of a day, AWAITING_DEPOSIT', (one) => `${list}&status=AWAITING_DEPOSIT&${dayBefore(one)}`],
    ['search: quote id', (one) => `${list}&search=${one.quote_id}`],
    ['search: order id', (one) => `${list}&search=${one.order_id}`],
    ['search: deposit address', (one) => `${list}&search=${one.deposit_address}`],
    ['search: transaction', (one, n) => `${list}&search=${n % 2 ? one.output_hash : one.deposit_hash}`],
    ['search: 6 digits of an address', (one) => `${list}&search=${one.deposit_address.slice(0, 8)}`],
    ['search: 8 digits of a UUID', (one) => `${list}&search=${one.quote_id.slice(0, 8)}`],
    ['search: one of 1,000 recipients', (one) => `${list}&search=${one.recipient}`],
    [
      'search: of these, FAILED on a day',
      (one) => `${list}&search=${one.recipient}&status=FAILED&${dayBefore(one)}`,
    ],
    ['search: the token of all', () => `${list}&search=0x833589fcd6edb6e08f4c7c32d4f71b54bda02913`],
    ['search: nothing', (one) => `${list}&search=${one.deposit_hash.slice(0, 20)}ffffffffff`],
    ['one payment', (one) => `/api/payments/${one.quote_id}`],
    ['its events', (one) => `/api/payments/${one.quote_id}/events`],
    ['events: from the start', () => '/api/events?limit=100'],
    ['events: of a type', () => '/api/events?limit=100&type=payment.completed'],
    ['events: of a rare type', () => '/api/events?limit=100&type=payment.anomaly'],
    ['events: of a quote', (one) => `/api/events?quoteId=${one.quote_id}`],
    ['events: of an order', (one) => `/api/events?orderId=${one.order_id}`],
    ['deliveries: newest', () => '/api/webhook-deliveries?limit=100'],
    ['deliveries: failed', () => '/api/webhook-deliveries?limit=100&state=failed'],
    ['deliveries: of a quote', (one) => `/api/webhook-deliveries?quoteId=${one.quote_id}`],
    ['deliveries: of an order', (one) => `/api/webhook-deliveries?orderId=${one.order_id}`],
  ];
  const figures = [];
  for (const [name, pathOf] of kinds) {
    const times = [];
    for (const [n, one] of known.entries()) times.push(await msOf(paybell, pathOf(one, n)));
    figures.push(...shownTimes(name, times));
    await pause(0);
  }
  return figures;
}

/** No dispatcher runs: each recovery is stopped before the next one. */
async function startsOf(/** @type {Paybell} */ paybell, /** @type {Database} */ database) {
  await paybell.addEndpoint('http://127.0.0.1:9/new');
  const { rows } = await database.pool.query(
    `SELECT id, url FROM destination WHERE kind = 'webhook' ORDER BY created_at DESC LIMIT 2`,
  );
  const figures = [];
  for (const [whose, { id }] of [
    ['a new endpoint', rows[0]],
    ['an endpoint that has all', rows[1]],
  ])
    for (const days of [0.1, 60]) {
      const times = [];
      const since = new Date(Date.now() - days * DAY_MS);
      for (let start = 0; start < STARTS; start += 1) {
        times.push(
          await msOf(paybell, `/api/webhook-endpoints/${id}/recover`, { method: 'POST', body: { since } }),
        );
        await database.pool.query(`UPDATE event_replay SET state = 'stopped', finished_at = now()`);
      }
      figures.push(...shownTimes(`start of a recovery of ${shown(days)} days, ${whose}`, times));
    }
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

/** @param {Database} database @param {(() => Promise<unknown>)[]} cleanup */
async function claims(database, cleanup) {
  const { schedule } = await openStores(database.url, cleanup);
  await claimFor(schedule, CLAIM_WARM_UP_MS, CLAIM_WAIT_MS);
  return (await claimFor(schedule, CLAIMED_MS, CLAIM_WAIT_MS)).claims;
}

/** @param {number[]} empty @param {number[]} full */
function compared(empty, full) {
  const share = percentile(full, 0.5) / percentile(empty, 0.5) - 1;
  return [
    { figure: 'claims of 200 of 20,000 open, nothing else stored', text: bothOf(empty) },
    { figure: '… among all', text: bothOf(full) },
    { figure: '… p50 more than that', value: Math.max(share * 100, 0), unit: '%', most: 10 },
  ];
}

function perPayment(/** @type {number} */ bytes) {
  return shown(Math.round(bytes / PAYMENTS));
}

/** The window of time that ends with a payment. */
function dayBefore(/** @type {Known} */ { created_at: end }) {
  const start = new Date(end.getTime() - DAY_MS);
  return `createdBefore=${end.toISOString()}&createdAfter=${start.toISOString()}`;
}

/** p50 and p99. */
function bothOf(/** @type {number[]} */ times) {
  return `${shown(percentile(times, 0.5))}, ${shown(percentile(times, 0.99))} ms`;
}
