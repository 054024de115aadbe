/**
 * The raw loop: the performance of one Node process without a framework, as a measure for Paybell. See
 * docs/inside/benchmarks.md.
 */
import { connect } from 'amqplib';
import pg from 'pg';
import { request } from 'undici';

import { answerParent } from '../../child.js';
import { Changes } from './changes.js';
import { Deliveries } from './deliveries.js';
import { digestOf, Poller } from './poller.js';
import { LOAD, SCHEMA } from './statements.js';

const CHUNK = 1_000;
/** The planner would read whole tables for a group of changes, and sort all due payments for a claim. */
const BY_KEY = '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off -c enable_sort=off';
/** For writes that may be repeated after a crash of the database. */
const UNSYNCED = '-c synchronous_commit=off';
const LEASE_MS = 30_000;

/** @typedef {{ databaseUrl: string, providerUrl: string, webhookUrl: string, brokerUrl: string, exchange: string, intervalMs: number, concurrency: number, leaseMs?: number }} Settings */

/** Stores payments with the reports that the provider has of them. @param {Settings} settings @param {string[]} quoteIds */
async function load({ databaseUrl, providerUrl, intervalMs }, quoteIds) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(SCHEMA);
  for (let done = 0; done < quoteIds.length; done += CHUNK) {
    const ids = quoteIds.slice(done, done + CHUNK);
    const answers = await Promise.all(ids.map((id) => request(`${providerUrl}/api/status/${id}`)));
    const bodies = await Promise.all(answers.map(async ({ body }) => Buffer.from(await body.arrayBuffer())));
    const reports = bodies.map((body) => body.toString());
    const statuses = reports.map((report) => JSON.parse(report).status);
    await client.query(LOAD, [ids, statuses, reports, bodies.map(digestOf), intervalMs]);
  }
  await client.query('VACUUM ANALYZE payment, schedule');
  await client.end();
}

/** Runs until it is killed; a failure of the database or the broker ends the process. */
async function run(/** @type {Settings} */ { leaseMs = LEASE_MS, ...settings }) {
  const { databaseUrl: connectionString } = settings;
  const durable = new pg.Pool({ connectionString, max: 4, options: BY_KEY });
  const unsynced = new pg.Pool({ connectionString, max: 4, options: `${BY_KEY} ${UNSYNCED}` });
  const broker = await connect(settings.brokerUrl);
  const channel = await broker.createConfirmChannel();
  await channel.assertExchange(settings.exchange, 'topic', { durable: true });
  broker.on('close', () => process.exit(1));
  const deliveries = new Deliveries(unsynced, channel, { ...settings, leaseMs });
  return new Poller(unsynced, settings, new Changes(durable, deliveries, leaseMs));
}

answerParent(
  '',
  async (/** @type {{ load?: string[], settings: Settings }} */ { load: quoteIds, settings }) => {
    if (quoteIds === undefined) await run(settings);
    else await load(settings, quoteIds);
    return {};
  },
);
