import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EmbeddedPostgres } from '../../src/platform/embedded-postgres/embedded-postgres.ts';
import { findBroker } from './broker-chain.ts';
import { createTemplate, dropTemplate } from './database.ts';

const QUIET = { log: () => undefined, warn: () => undefined, error: () => undefined };

/** What is undone after the run, last made first. */
export type Undo = () => void | Promise<void>;

/** One PostgreSQL with a migrated template and one RabbitMQ for the whole run; workers find them in the environment. */
export default async function globalSetup(): Promise<void> {
  const undo: Undo[] = [];
  (globalThis as { paybellUndo?: Undo[] }).paybellUndo = undo;
  endWithTheRun(undo);
  try {
    const server = process.env['TEST_DATABASE_URL'] ?? '';
    process.env['PAYBELL_TEST_PG'] = server === '' ? await startPostgres(undo) : server;
    const template = await createTemplate();
    undo.unshift(() => dropTemplate(template));
    process.env['PAYBELL_TEST_PG_TEMPLATE'] = template;
    await startBroker(undo);
  } catch (error) {
    for (const step of undo) await step();
    throw error;
  }
}

async function startPostgres(undo: Undo[]): Promise<string> {
  const dataDir = mkdtempSync(join(realpathSync(tmpdir()), 'paybell-test-pg-'));
  undo.unshift(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const postgres = new EmbeddedPostgres({ dataDir, log: QUIET });
  undo.unshift(() => postgres.stop());
  await postgres.start();
  return postgres.adminUrl;
}

async function startBroker(undo: Undo[]): Promise<void> {
  const broker = await findBroker();
  undo.unshift(broker.close);
  if (broker.url === null) process.env['PAYBELL_TEST_NO_AMQP'] = broker.reason;
  else process.env['PAYBELL_TEST_AMQP'] = broker.url;
}

/** Jest ends without teardown on Ctrl-C; what was started must not outlive it. */
function endWithTheRun(undo: Undo[]): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      const steps = undo.splice(0).reduce((done, step) => done.then(step), Promise.resolve());
      void steps.catch(() => undefined).then(() => process.exit(130));
    });
  }
}
