import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { createEmptyDatabase } from '../support/database.ts';

/** The statement of docs/webhooks.md that lets no older event overwrite what a newer one said. */
const RECIPE =
  /```sql\n(UPDATE orders SET [^`]+)```/.exec(readFileSync('docs/webhooks.md', 'utf8'))?.[1] ?? '';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;

beforeAll(async () => {
  database = await createEmptyDatabase();
  await database.query(
    'CREATE TABLE orders (id text PRIMARY KEY, payment_status text, payment_sequence int)',
  );
});
afterAll(() => database.drop());

/** How an order ends that gets these, as `STATUS number`. */
async function endsAs(...published: string[]): Promise<string> {
  await database.query(`INSERT INTO orders VALUES ('A-1', NULL, 0)
    ON CONFLICT (id) DO UPDATE SET payment_status = NULL, payment_sequence = 0`);
  for (const [status, sequence] of published.map((word) => word.split(' ')))
    await database.query(RECIPE, ['A-1', status, Number(sequence)]);
  const [order] = await database.query<{ payment_status: string; payment_sequence: number }>(
    'SELECT * FROM orders',
  );
  return `${order?.payment_status} ${order?.payment_sequence}`;
}

describe('the statement for an order', () => {
  it.each([
    [['AWAITING_DEPOSIT 1', 'DEPOSIT_RECEIVED 2', 'EXECUTING 3', 'COMPLETED 4'], 'COMPLETED 4'],
    [['AWAITING_DEPOSIT 1', 'EXECUTING 3', 'DEPOSIT_RECEIVED 2'], 'EXECUTING 3'],
    // A database that went back gives numbers again.
    [['EXECUTING 4', 'COMPLETED 3', 'EXECUTING 5'], 'COMPLETED 3'],
    [['COMPLETED 2', 'AWAITING_DEPOSIT 1', 'FAILED 3', 'COMPLETED 4'], 'COMPLETED 2'],
    [['EXPIRED 2', 'COMPLETED 3'], 'COMPLETED 3'],
  ])('after %j it is %s', async (published, end) => {
    expect(await endsAs(...published)).toBe(end);
  });
});
