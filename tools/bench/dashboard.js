/** How smooth the dashboard is where it shows much, and what many open ones cost the polling. */
import { randomBytes } from 'node:crypto';

import { chromium } from 'playwright-core';

import { CHROMIUM, CHROMIUM_ARGS } from '../../build/tools/testkit/chromium.js';
import { quoteRequest } from '../../build/tools/testkit/provider-objects.js';
import { scrollDown } from '../../build/tools/testkit/scrolling.js';
import { copyPayment } from '../../build/tools/testkit/stored-copies.js';
import { waitFor } from '../../build/tools/testkit/wait-for.js';
import { median, shown } from './figures.js';
import { longestTaskOf, watchTasks } from './longest-task.js';
import { OpenDashboards } from './open-dashboards.js';
import { Paybell } from './paybell.js';
import { pause } from './pause.js';
import { INTERVAL_MS, PAYMENTS, rateOf, SETTINGS, WARM_UP_MS } from './polls.js';
import { onDatabase, onScene } from './scene.js';

export const DASHBOARD_WITHIN_MS = 10 * 60_000;
const MOST_TASK_MS = 100;
const ROWS = 10_000;
const EVENTS = 500;
/** So that all rows pass by. */
const WHEEL_PX = 2_000;
const TURNS = 220;
const DASHBOARDS = 20;
const MOST_COST = 3;
const ROUNDS = 12;
const WINDOW_MS = 4_000;
const SETTLED_MS = 500;

/** As many events and deliveries, each acknowledged, as if the report of the last one had come so often. */
const REPEAT_LAST_EVENT = `
  WITH last AS (
    SELECT e.payment_id, e.position, e.sequence, e.id, e.time, e.body
    FROM event e JOIN payment p ON p.id = e.payment_id WHERE p.quote_id = $1 ORDER BY e.sequence DESC LIMIT 1
  ), repeated AS (
    SELECT n, gen_random_uuid() AS id, last.payment_id, last.sequence + n AS sequence, last.body, last.id AS former,
      last.sequence AS former_sequence, last.time + n * interval '1 second' AS time
    FROM last CROSS JOIN generate_series(1, $2::int) n
  ), recorded AS (
    INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
    SELECT id, payment_id, sequence, 'payment.updated', time,
      replace(replace(body, former::text, id::text), '"sequence":' || former_sequence, '"sequence":' || sequence)
    FROM repeated RETURNING position, payment_id, sequence, time
  ), counted AS (
    UPDATE payment p SET sequence = p.sequence + $2::int FROM last WHERE p.id = last.payment_id
  )
  INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, token, attempts, retries,
    first_attempt_at, last_attempt_at, last_http_status, created_at, attempt_made_at, attempt_ms, attempt_address)
  SELECT d.id, r.payment_id, r.position, r.sequence, 'delivered', 'head', 2, 1, 1, r.time, r.time, 204, r.time, r.time, 12,
    '127.0.0.1:9'
  FROM recorded r CROSS JOIN destination d WHERE d.kind = 'webhook'`;

/** @param {import('./scene.js').Place} place */
export async function measureDashboard(place) {
  if (CHROMIUM === null) return [{ figure: 'dashboard', text: 'Chromium is not installed' }];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGS });
  try {
    return [...(await measureSmoothness(place, browser)), ...(await measureCost(place, browser))];
  } finally {
    await browser.close();
  }
}

/** @typedef {import('playwright-core').Browser} Browser */

/** @param {import('./scene.js').Place} place @param {Browser} browser */
function measureSmoothness(place, browser) {
  return onDatabase(place, async (database, cleanup) => {
    const settings = { DATABASE_URL: database.url, PROVIDER: 'sandbox', SANDBOX_SPEED: '50' };
    const key = randomBytes(32).toString('base64');
    const paybell = await Paybell.start(place.folder, { ...settings, ENCRYPTION_KEY: key });
    cleanup.push(() => paybell.stop());
    await paybell.addEndpoint(`${paybell.url}/health/live`);
    const { quoteId } = await paybell.quote({ ...quoteRequest({ amount: '25.01' }), orderId: 'A-1' });
    await waitFor(async () => (await paybell.payment(quoteId)).status === 'FAILED', { timeoutMs: 30_000 });
    const query = database.pool.query.bind(database.pool);
    await copyPayment(query, quoteId, ROWS);
    await query(REPEAT_LAST_EVENT, [quoteId, EVENTS]);
    await database.pool.query('VACUUM ANALYZE');
    const context = await signedIn(browser, paybell);
    const page = await context.newPage();
    await watchTasks(page);
    const list = await longestOnList(page, paybell);
    const payment = await longestOnPayment(page, `${paybell.url}/dashboard/payments/${quoteId}`);
    await context.close();
    return [
      {
        figure: 'dashboard: longest task while 10,000 payments pass by',
        value: list.longestMs,
        unit: 'ms',
        most: MOST_TASK_MS,
      },
      { figure: '… rows passed', value: list.rows },
      {
        figure: '… while a payment of 500 events opens',
        value: payment.openedMs,
        unit: 'ms',
        most: MOST_TASK_MS,
      },
      {
        figure: '… while it is scrolled and a report is opened',
        value: payment.scrolledMs,
        unit: 'ms',
        most: MOST_TASK_MS,
      },
    ];
  });
}

/** @param {import('playwright-core').Page} page @param {Paybell} paybell */
async function longestOnList(page, paybell) {
  await page.goto(`${paybell.url}/dashboard/payments`);
  await page.getByRole('row').nth(20).waitFor();
  // What loading the program itself takes is not about the rows.
  await longestTaskOf(page);
  await scrollDown(page, TURNS, WHEEL_PX);
  const rows = Number(await page.getByRole('row').last().getAttribute('aria-rowindex')) - 1;
  return { longestMs: await longestTaskOf(page), rows };
}

/** @param {import('playwright-core').Page} page @param {string} url */
async function longestOnPayment(page, url) {
  await page.goto(url);
  await page.getByRole('listitem').nth(EVENTS).waitFor();
  const openedMs = await longestTaskOf(page);
  await scrollDown(page, TURNS / 4, WHEEL_PX);
  await page.getByText('What the report says').last().click();
  await page.getByLabel('Compared with').waitFor();
  return { openedMs, scrolledMs: await longestTaskOf(page) };
}

/** Rounds with and without open dashboards follow each other, so that what else the machine does meets both alike. */
function measureCost(/** @type {import('./scene.js').Place} */ place, /** @type {Browser} */ browser) {
  return onScene(place, SETTINGS, async ({ provider, database, paybell }) => {
    await database.addPayments(1, INTERVAL_MS);
    const context = await signedIn(browser, paybell);
    const dashboards = await OpenDashboards.record(context, paybell.url, await screensOf(paybell));
    await context.close();
    await database.addPayments(PAYMENTS, INTERVAL_MS);
    await pause(WARM_UP_MS);
    const without = async () => {
      const before = paybell.cpuMs();
      const rate = await rateOf(provider, WINDOW_MS);
      return { rate, cpuUs: ((paybell.cpuMs() - before) * 1_000_000) / (rate * WINDOW_MS) };
    };
    const beside = () =>
      dashboards.whileOpen(DASHBOARDS, async () => {
        await pause(SETTLED_MS);
        return without();
      });
    const rounds = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each goes first in every other round.
      const isFirst = round % 2 === 0;
      const [first, second] = [
        await (isFirst ? without() : beside()),
        await (isFirst ? beside() : without()),
      ];
      rounds.push(isFirst ? { without: first, beside: second } : { without: second, beside: first });
    }
    if (dashboards.failures > 0) throw new Error(`${dashboards.failures} requests of dashboards failed`);
    return figuresOf(rounds, dashboards);
  });
}

/**
 * @typedef {{ rate: number, cpuUs: number }} Window
 * @param {{ without: Window, beside: Window }[]} rounds @param {OpenDashboards} dashboards
 */
function figuresOf(rounds, dashboards) {
  const costs = rounds.map((round) => (1 - round.beside.rate / round.without.rate) * 100);
  const dearer = rounds.map((round) => (round.beside.cpuUs / round.without.cpuUs - 1) * 100);
  return [
    {
      figure: `${DASHBOARDS} open dashboards: cost of the polling rate`,
      value: median(costs),
      unit: '%',
      most: MOST_COST,
    },
    {
      figure: '… least and most of a round',
      text: `${shown(Math.min(...costs))} to ${shown(Math.max(...costs))} %`,
    },
    { figure: '… more Paybell processor time a poll', value: median(dearer), unit: '%' },
    { figure: '… polls a second without them', value: median(rounds.map((round) => round.without.rate)) },
    { figure: '… polls a second beside them', value: median(rounds.map((round) => round.beside.rate)) },
    { figure: '… requests a minute of one', value: dashboards.requestsPerMinute },
  ];
}

/** Those that somebody leaves open, the start page first. */
async function screensOf(/** @type {Paybell} */ paybell) {
  const { quoteId } = (await paybell.list('/api/payments'))[0];
  const { id } = (await paybell.list('/api/webhook-endpoints'))[0];
  return [
    '',
    '/payments',
    `/payments/${quoteId}`,
    '/endpoints',
    `/endpoints/${id}`,
    '/deliveries',
    '/provider',
    '/live',
    '/system',
  ];
}

async function signedIn(/** @type {Browser} */ browser, /** @type {Paybell} */ paybell) {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 900 } });
  const answer = await context.request.post(`${paybell.url}/dashboard/session`, {
    form: { key: paybell.apiKey },
    headers: { origin: paybell.url, accept: 'application/json' },
  });
  if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}`);
  return context;
}
