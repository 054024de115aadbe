import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { Database } from '../../src/database/connection/database.ts';
import { PostgresQuoteBudget } from '../../src/database/polling/quote-budget.store.ts';
import type { PaymentProvider } from '../../src/ports/payment-provider.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const LIMIT = 20;

let db: TestDatabase;
let one: PostgresQuoteBudget;
let two: PostgresQuoteBudget;

async function budget(maxQuotesPerMinute?: number): Promise<PostgresQuoteBudget> {
  const database = new Database(await openDataSource(db));
  database.open();
  const limits = { maxConcurrency: 1, batchSize: 1, timeoutMs: 1_000, maxRpm: 0 };
  const stated = maxQuotesPerMinute === undefined ? limits : { ...limits, maxQuotesPerMinute };
  return new PostgresQuoteBudget(database, { limits: stated } as PaymentProvider);
}

beforeAll(async () => {
  db = await createTestDatabase();
  one = await budget(LIMIT);
  two = await budget(LIMIT);
});
afterAll(() => db.drop());
beforeEach(() => db.query(`UPDATE quote_window SET taken_at = '{}', paused_until = 0`));

describe('the budget of quotes that two replicas share', () => {
  it('gives exactly the limit, however many ask at the same time', async () => {
    const asked = Array.from({ length: 3 * LIMIT }, (_, index) => (index % 2 === 0 ? one : two).take());
    const published = await Promise.allSettled(asked);
    expect(published.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT);
    const refused = published.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
    expect(refused.reason).toMatchObject({ code: 'provider_unavailable' });
    expect((refused.reason as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(50_000);
  });

  it('stops all replicas when the provider said to one that it were too many', async () => {
    await one.pause(30_000);
    await expect(two.take()).rejects.toMatchObject({ code: 'provider_unavailable' });
  });

  it('asks nothing of the database where the provider states no limit', async () => {
    await db.query(`UPDATE quote_window SET paused_until = 9e15`);
    const free = await budget();
    await free.pause(30_000);
    await expect(free.take()).resolves.toBeUndefined();
    expect(await db.query(`SELECT taken_at FROM quote_window`)).toEqual([{ taken_at: [] }]);
  });
});
