import { rmSync } from 'node:fs';

import { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { findBroker } from './broker-chain.ts';
import { POOLER_VARIABLE, queryAt, SERVER_VARIABLE, TEMPLATE_VARIABLE } from './database.ts';
import { PgBouncer, type PoolMode } from './pgbouncer.ts';
import { createTemplate, dropTemplate } from './database-template.ts';
import { makeDataFolder } from '../../tools/testkit/data-folder.ts';

const QUIET = { log: () => undefined, warn: () => undefined, error: () => undefined };

/** The connections for each test database: its tests may hold as many at once. */
const SHARED_CONNECTIONS = 20;

/** Steps that run after the run, the last one first. */
export type Cleanup = () => void | Promise<void>;

/** One PostgreSQL with a migrated template and one RabbitMQ for the whole run; workers find them in the environment. */
export default async function globalSetup(): Promise<void> {
  const cleanup: Cleanup[] = [];
  (globalThis as { paybellCleanup?: Cleanup[] }).paybellCleanup = cleanup;
  endWithTheRun(cleanup);
  try {
    const server = process.env['TEST_DATABASE_URL'] ?? '';
    process.env[SERVER_VARIABLE] = server === '' ? await startPostgres(cleanup) : server;
    const template = await createTemplate();
    cleanup.unshift(() => dropTemplate(template));
    process.env[TEMPLATE_VARIABLE] = template;
    await startPooler(cleanup, process.env[SERVER_VARIABLE]);
    await startBroker(cleanup);
  } catch (error) {
    for (const step of cleanup) await step();
    throw error;
  }
}

async function startPostgres(cleanup: Cleanup[]): Promise<string> {
  const dataDir = makeDataFolder();
  cleanup.unshift(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const postgres = new EmbeddedPostgres({ dataDir, log: QUIET });
  cleanup.unshift(() => postgres.stop());
  await postgres.start();
  await forgoDurability(postgres.adminUrl);
  return postgres.adminUrl;
}

/** The server and its data end with the run, and the machine stays on: no data has to reach the disk. */
async function forgoDurability(url: string): Promise<void> {
  for (const setting of ['fsync', 'full_page_writes'])
    await queryAt(url, `ALTER SYSTEM SET ${setting} = off`);
  await queryAt(url, 'SELECT pg_reload_conf()');
}

/** `TEST_PGBOUNCER=transaction npm test` puts a PgBouncer before every test database. */
async function startPooler(cleanup: Cleanup[], server: string): Promise<void> {
  const mode = process.env['TEST_PGBOUNCER'] ?? '';
  if (mode === '') return;
  const bouncer = await PgBouncer.start(server, mode as PoolMode, SHARED_CONNECTIONS);
  cleanup.unshift(() => bouncer.stop());
  process.env[POOLER_VARIABLE] = new URL(bouncer.urlOf(server)).host;
}

async function startBroker(cleanup: Cleanup[]): Promise<void> {
  const broker = await findBroker();
  cleanup.unshift(broker.close);
  if (broker.url === null) process.env['PAYBELL_TEST_NO_AMQP'] = broker.reason;
  else process.env['PAYBELL_TEST_AMQP'] = broker.url;
}

/** On Ctrl-C, Jest ends without a teardown; the started servers must not outlive it. */
function endWithTheRun(cleanup: Cleanup[]): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      const steps = cleanup.splice(0).reduce((done, step) => done.then(step), Promise.resolve());
      void steps.catch(() => undefined).then(() => process.exit(130));
    });
  }
}
