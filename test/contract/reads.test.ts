import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { Database } from '../../src/database/connection/database.ts';
import type { Reads } from '../../src/database/connection/reads.ts';
import { RecordSettings } from '../../src/database/events/record-settings.ts';
import { PostgresUnansweredQuotes } from '../../src/database/payments/unanswered-quotes.store.ts';
import { PostgresProviderRateLimit } from '../../src/database/polling/provider-rate-limit.store.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { API_KEY } from '../support/app-process.ts';
import { createEmptyDatabase, createTestDatabase, onServer, type TestDatabase } from '../support/database.ts';
import { FakeProvider } from '../support/fakes/provider.fake.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { OwnApp } from '../support/own-app.ts';
import { QUOTE_BODY } from '../support/quotes-app.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';

const AN_HOUR = 'SELECT pg_sleep(3600)';
const LEAST_WAIT_MS = 300;

describe('reads', () => {
  let empty: TestDatabase;
  let source: DataSource;
  let database: Database;

  beforeAll(async () => {
    empty = await createEmptyDatabase();
  });
  afterAll(async () => {
    await empty.drop();
    await onServer(`DROP ROLE IF EXISTS ${empty.name}_few`);
  });

  async function open(poolSize: number, url = empty.directUrl): Promise<void> {
    source = await new DataSource(dataSourceOptions(url, poolSize)).initialize();
    database = new Database(source);
    database.open();
  }
  afterEach(async () => {
    // A read that waits for its place begins when another read ends, until the pool is closed.
    const closed = source.destroy();
    await waitFor(async () => {
      await empty.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = $1 AND datname = $2`,
        [AN_HOUR, empty.name],
      );
      return (await sleepers()) === 0;
    });
    await closed;
  });

  const sleepers = async (): Promise<number> => {
    const rows = await empty.query(`SELECT FROM pg_stat_activity WHERE query = $1 AND datname = $2`, [
      AN_HOUR,
      empty.name,
    ]);
    return rows.length;
  };
  const begin = (reads: Reads, count: number): void => {
    for (let begun = 0; begun < count; begun += 1) reads.query(AN_HOUR).catch(() => undefined);
  };
  const others = (): Promise<unknown> =>
    Promise.all(
      Array.from({ length: 20 }, () =>
        database.transaction((session) => session.query('SELECT pg_sleep(0.02)')),
      ),
    );

  it.each([
    { poolSize: 2, places: 1 },
    { poolSize: 3, places: 1 },
    { poolSize: 10, places: 3 },
  ])('take $places of $poolSize connections, and leave the others', async ({ poolSize, places }) => {
    await open(poolSize);
    begin(database.reads, poolSize);
    begin(database.looks, poolSize);
    await waitFor(async () => (await sleepers()) === places);
    await others();
    expect(await sleepers()).toBe(places);
  });

  it('take a third of the connections that the server allows, when the pool asks for more again too', async () => {
    const role = `${empty.name}_few`;
    await onServer(`CREATE ROLE ${role} LOGIN PASSWORD '${role}' CONNECTION LIMIT 3`);
    const url = new URL(empty.directUrl);
    [url.username, url.password] = [role, role];
    await open(10, url.href);
    await others();
    // Lets the pool grow again, which the service does ten seconds after a refusal.
    (source.driver as unknown as { master: { options: { max: number } } }).master.options.max = 10;
    begin(database.reads, 10);
    await waitFor(async () => (await sleepers()) > 0);
    await others();
    expect(await sleepers()).toBe(1);
  });

  const rateLimit = (): PostgresProviderRateLimit =>
    new PostgresProviderRateLimit(
      database,
      new FakeProvider(),
      new RecordSettings(900_000, URGENCY_RULES, 'paybell'),
    );
  it.each([
    ['the counts of unanswered quotes', () => new PostgresUnansweredQuotes(database).recent()],
    ["a provider's demand for a page", () => rateLimit().demand('page')],
    ["the time of a provider's circuit", () => rateLimit().circuitSince()],
  ])('are %s too', async (_name, read) => {
    await open(2);
    begin(database.reads, 1);
    const rows = read();
    await database.query('SELECT 1');
    await expect(rows).rejects.toMatchObject({ code: 'busy' });
  });

  it('wait for their place, those of one thing first, and say that the service is busy after too long', async () => {
    await open(2);
    const order: string[] = [];
    const ask = (name: string, reads: Reads): Promise<unknown> =>
      reads.query(`SELECT pg_sleep(0.05), '${name}'`).then(() => order.push(name));
    await Promise.all([
      ask('first', database.reads),
      ask('list', database.reads),
      ask('count', database.reads),
      ask('look', database.looks),
    ]);
    expect(order).toEqual(['first', 'look', 'list', 'count']);
    begin(database.reads, 1);
    const late = database.reads.query('SELECT 1', [], LEAST_WAIT_MS);
    await database.query('SELECT 1');
    await expect(late).rejects.toMatchObject({ code: 'busy' });
  });

  it('say that the database is away where it answers nobody meanwhile, and busy where a statement takes too long', async () => {
    await open(2);
    begin(database.reads, 1);
    const away = { code: 'database_unavailable' };
    await expect(database.reads.query('SELECT 1', [], LEAST_WAIT_MS)).rejects.toMatchObject(away);
    const slow = database.query(AN_HOUR, [], LEAST_WAIT_MS);
    await expect(slow).rejects.toMatchObject(away);
  });

  it('give their place back when they fail', async () => {
    await open(2);
    await expect(database.reads.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await database.reads.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('beside reads that take all their connections', () => {
  const [SHOP, VIEWER] = ['shop-key-0123456789', 'viewer-key-0123456789'];
  let db: TestDatabase;
  let app: OwnApp;

  beforeAll(async () => {
    db = await createTestDatabase();
    app = await OwnApp.startReady({
      DATABASE_URL: db.url,
      DATABASE_POOL_SIZE: '2',
      PROVIDER: 'sandbox',
      SANDBOX_SPEED: '50',
      API_KEYS: `shop:${SHOP}:shop,viewer:${VIEWER}:viewer,admin:${API_KEY}:admin`,
    });
  });
  afterAll(async () => {
    await app.stop();
    await db.drop();
  });

  const asked = (path: string, key: string): Promise<Response> =>
    app.fetch(path, { headers: { 'x-api-key': key } });

  const complete = async (): Promise<void> => {
    const headers = { 'x-api-key': SHOP };
    const quote = await app.fetch('/api/quote', { method: 'POST', body: QUOTE_BODY, headers });
    expect(quote.status).toBe(200);
    const { quoteId } = (await quote.json()) as { quoteId: string };
    const status = async (): Promise<unknown> => (await asked(`/api/status/${quoteId}`, SHOP)).json();
    await waitFor(async () => ((await status()) as { status: string }).status === 'COMPLETED');
  };

  it('quotes and polls go on, and the other reads hear that it is busy', async () => {
    const audits: Promise<Response>[] = [];
    await whileHeld(db, ['LOCK TABLE audit_entry'], async () => {
      for (let sent = 0; sent < 20; sent += 1) audits.push(asked('/api/audit', API_KEY));
      await untilLocked(db);
      const list = asked('/api/payments', VIEWER);
      await complete();
      expect(await (await list).json()).toMatchObject({
        code: 'busy',
        status: 503,
        detail: expect.stringMatching(/^The service is busy.* The database is well\. Try again soon\.$/),
      });
      expect((await app.fetch('/health/ready')).status).toBe(200);
    });
    await Promise.all(audits);
    expect((await asked('/api/payments', VIEWER)).status).toBe(200);
  });
});
