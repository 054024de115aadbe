import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { createEmptyDatabase } from '../support/database.ts';
import { lostFutures } from '../support/lost-futures.ts';

const DOC = readFileSync('docs/using/receive-webhooks.md', 'utf8');
/** The statement of docs/using/receive-webhooks.md that lets no older event overwrite what a newer one said. */
const RECIPE = /```sql\n(UPDATE orders SET [^`]+)```/.exec(DOC)?.[1] ?? '';
/** The statement of docs/using/receive-webhooks.md that inserts no row for an event that was here before. */
const DEDUPLICATE = /```sql\n(INSERT INTO paybell_event [^;]+);/.exec(DOC)?.[1] ?? '';
const RUNS = 60;

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;

beforeAll(async () => {
  database = await createEmptyDatabase();
  await database.query(
    'CREATE TABLE orders (id text PRIMARY KEY, payment_status text, payment_sequence int)',
  );
  await database.query('CREATE TABLE paybell_event (id text PRIMARY KEY)');
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

  it('ends right, and fulfils once, whatever came of the events that a database that went back has lost', async () => {
    const property = fc.asyncProperty(lostFutures(), async ({ arrivals, end }) => {
      const words: string[] = [];
      let fulfilled = 0;
      for (const { id, type, data } of arrivals) {
        const [isNew] = await database.query(`${DEDUPLICATE} RETURNING id`, [id]);
        if (isNew === undefined) continue;
        words.push(`${data.status} ${data.sequence}`);
        if (type === 'payment.completed') fulfilled += 1;
      }
      expect(await endsAs(...words)).toMatch(new RegExp(`^${end} `));
      expect(fulfilled).toBe(end === 'COMPLETED' ? 1 : 0);
    });
    await fc.assert(property, { numRuns: RUNS });
  });
});
