/** The three services of the comparison: how each stores payments, refreshes its copy of them, and starts. */
import { Child } from '../child.js';
import { Database } from '../database.js';
import { Paybell } from '../paybell.js';
import { pause } from '../pause.js';
import { adoptionOf } from './payments.js';

const ADOPTIONS_AT_ONCE = 32;
const CHUNK = 2_000;
/** The same number as in the raw loop. */
const WEBHOOKS_AT_ONCE = '50';
/** One key for all runs, whose databases are copies of one. */
const ENCRYPTION_KEY = Buffer.alloc(32, 'beside').toString('base64');

/**
 * @typedef {{ server: import('./postgres.js').BesidePostgres, broker: import('../broker.js').Broker, folder: string }} Place
 * @typedef {{ name: string, providerUrl: string }} Store a database and the provider of its payments
 * @typedef {{ quoteIds: string[], added: string[], former: string | null }} Payments all, and those that `former` lacks
 * @typedef {{ pid: number, kill9: () => Promise<unknown> }} Running
 * @typedef {{
 *   name: string,
 *   load: (place: Place, store: Store, payments: Payments) => Promise<void>,
 *   freshen: (intervalMs: number) => string[],
 *   due: string,
 *   start: (place: Place, store: Store, webhookUrl: string, scene: import('./scenes.js').Scene) => Promise<Running>,
 * }} Service
 */

/** @param {string} name @param {string} file @param {string} table @param {string} column @returns {Service} */
function baseline(name, file, table, column) {
  return {
    name,
    async load({ server }, store, { quoteIds }) {
      await server.client.query(`CREATE DATABASE ${store.name}`);
      const child = await Child.start(file);
      const settings = {
        databaseUrl: server.urlOf(store.name),
        providerUrl: store.providerUrl,
        intervalMs: 1,
      };
      await child.ask({ load: quoteIds, settings });
      await child.stop();
    },
    freshen: (intervalMs) => [
      `UPDATE ${table} SET ${column} = now() + random() * ${intervalMs} * interval '1 millisecond'`,
      `VACUUM (FULL, ANALYZE) ${table}`,
    ],
    due: `SELECT count(*)::int AS due FROM ${table} WHERE ${column} <= now()`,
    async start({ server, broker }, store, webhookUrl, scene) {
      const child = await Child.start(file);
      const settings = {
        databaseUrl: server.urlOf(store.name),
        providerUrl: store.providerUrl,
        webhookUrl,
        brokerUrl: broker.url,
        exchange: broker.exchange,
        ...scene.baseline,
      };
      await child.ask({ settings });
      return child;
    },
  };
}

/** @type {Service} */
const paybell = {
  name: 'Paybell',
  async load(place, store, { added, former }) {
    if (former === null) await migrated(place.server, store.name);
    else await place.server.copy(former, store.name);
    // A copy of the database does not inherit this setting.
    await place.server.client.query(`ALTER DATABASE ${store.name} SET synchronous_commit = off`);
    const settings = { ...settingsOf(place, store), ROLES: 'api', LOG_LEVEL: 'warn' };
    const api = await Paybell.start(place.folder, settings);
    try {
      for (let done = 0; done < added.length; done += CHUNK) {
        const waiting = added.slice(done, done + CHUNK);
        await Promise.all(Array.from({ length: ADOPTIONS_AT_ONCE }, () => adopt(api, waiting)));
        // Ctrl-C ends it here.
        await pause(0);
      }
    } finally {
      await api.stop();
    }
    await place.server.queryIn(store.name, 'VACUUM ANALYZE');
  },
  // The ages of a steady stream of quotes, the same in each round, and the interval of the scene, as if it had always held.
  freshen: (intervalMs) => [
    `UPDATE payment p SET created_at = born, updated_at = born, progress_at = born,
      ended_at = CASE WHEN ended_at IS NOT NULL THEN born END
    FROM (SELECT id, now() - random() * interval '300 seconds' AS born FROM payment) ages WHERE p.id = ages.id`,
    `UPDATE payment_schedule SET due_at = now() + random() * ${intervalMs} * interval '1 millisecond', polled_at = now(),
      interval_ms = CASE WHEN urgency IN ('attended', 'unattended') THEN ${intervalMs} ELSE interval_ms END`,
    'VACUUM (FULL, ANALYZE) payment',
    'VACUUM (FULL, ANALYZE) payment_schedule',
  ],
  due: 'SELECT count(*)::int AS due FROM payment_schedule WHERE due_at <= now()',
  async start(place, store, webhookUrl, scene) {
    const settings = {
      ...settingsOf(place, store),
      ...place.broker.environment,
      WEBHOOK_MAX_CONCURRENCY: WEBHOOKS_AT_ONCE,
      ...scene.paybell,
    };
    const running = await Paybell.start(place.folder, settings);
    await running.addEndpoint(webhookUrl);
    return running;
  },
};

/** @param {Place} place @param {Store} store */
function settingsOf({ server }, { name, providerUrl }) {
  return { DATABASE_URL: server.urlOf(name), PROVIDER_BASE_URL: providerUrl, ENCRYPTION_KEY };
}

async function migrated(/** @type {Place['server']} */ server, /** @type {string} */ name) {
  const database = new Database(server, name);
  await database.create();
  await database.close();
}

async function adopt(/** @type {Paybell} */ api, /** @type {string[]} */ waiting) {
  for (let quoteId = waiting.pop(); quoteId !== undefined; quoteId = waiting.pop()) {
    const answer = await api.fetch('/api/payments', { method: 'POST', body: adoptionOf(quoteId) });
    if (answer.status !== 201) throw new Error(`the payment was refused: ${await answer.text()}`);
    await answer.body?.cancel();
  }
}

export const SERVICES = [
  baseline('raw loop', './baselines/raw-loop/main.js', 'schedule', 'due_at'),
  paybell,
  baseline('usual', '../../build/tools/bench/baselines/usual/main.js', 'payment_entity', '"nextPollAt"'),
];
