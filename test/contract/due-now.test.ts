import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { pollRequestsOn } from '../support/poll-requests.ts';
import { paymentToAdd, storesOn, type Stores } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

let db: TestDatabase;
let one: Stores;
beforeAll(async () => {
  db = await createTestDatabase();
  one = storesOn(await openDataSource(db));
});
afterAll(() => db.drop());
beforeEach(async () => {
  await db.query('DELETE FROM payment');
});

/** A payment that is due in a while. */
async function resting(): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add(paymentToAdd(quoteId));
  await db.query(`UPDATE payment_schedule SET due_at = now() + interval '60 s'`);
  return quoteId;
}

describe('a flood of notices', () => {
  it('of ten thousand about one payment is one write, and a second later one more', async () => {
    const quoteId = await resting();
    const requests = pollRequestsOn(one);
    const writes = async (): Promise<number> => {
      const [row] = await db.query<{ noticed_at: Date }>('SELECT noticed_at FROM payment_schedule');
      return row?.noticed_at?.getTime() ?? 0;
    };
    for (let published = 0; published < 10_000; published += 1) requests.makeDue([quoteId]);
    const first = await waitFor(writes, { what: 'the first write' });
    for (let published = 0; published < 10_000; published += 1) requests.makeDue([quoteId]);
    const second = await waitFor(async () => ((await writes()) > first ? writes() : 0), {
      what: 'the second write',
    });
    expect(second - first).toBeGreaterThanOrEqual(990);
    await requests.writeRest();
    requests.stop();
    expect(await writes()).toBe(second);
  });
});
