import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addDestination } from '../support/replicas.ts';
import { countsRowsRead, rowsRead } from '../support/rows-read.ts';
import { paymentToAdd, storesOn, type Stores } from '../support/stores.ts';
import { done, failed } from '../support/settlements.ts';

/** Of others, which the plans know nothing of. */
const ROWS = 20_000;
/** Of a group of eight payments and what it owes, with what the server reads to insert and settle it. */
const MOST_READ = 600;
const READ = ['delivery', 'event_entry', 'payment', 'idempotency', 'payment_text', 'payment_quote'];

let db: TestDatabase;
let source: DataSource;
let stores: Stores;

beforeAll(async () => {
  db = await createTestDatabase();
  // One connection: what it has planned is kept.
  source = await new DataSource(dataSourceOptions(db.directUrl, 1)).initialize();
  stores = storesOn(source);
  await addDestination(db);
  await addDestination(db, { kind: 'rabbitmq' });
});
afterAll(async () => {
  await source.destroy();
  await db.drop();
});

async function addEight(): Promise<string[]> {
  const quoteIds = Array.from({ length: 8 }, () => randomUUID());
  const begun = await Promise.all(
    quoteIds.map((key) => stores.idempotency.begin('shop', key, 'hash', 60_000)),
  );
  await Promise.all(
    quoteIds.map((quoteId, index) => {
      const state = begun[index];
      return stores.payments.add(paymentToAdd(quoteId), state?.kind === 'claimed' ? state.claim : null);
    }),
  );
  return quoteIds;
}

/** Everything that is due at both destinations: one attempt fails. */
async function settle(): Promise<void> {
  const destinations = await db.query<{ id: string }>(`SELECT id FROM destination`);
  const slots = destinations.map(({ id }) => ({ destinationId: id, free: 20, isProbe: false }));
  const owed = await stores.deliveries.claim(slots, 60_000);
  await stores.deliveries.settle(
    owed.map((delivery, index) => (index === 0 ? failed(delivery, 3_600_000) : done(delivery))),
  );
}

/** Lets the heads of its lanes wait for a retry: a new event brings it forward. */
async function retryOf(quoteId: string): Promise<void> {
  await source.query(
    `UPDATE delivery d SET retries = 3, is_unscheduled = false, due_at = now() + interval '1 hour'
     FROM payment p WHERE p.id = d.payment_id AND p.quote_id = $1 AND d.lane_state = 'head'`,
    [quoteId],
  );
}

it('look up rows by keys, also those that were made while the tables were empty', async () => {
  if (!(await countsRowsRead(source))) return;
  const quoteIds = await addEight();
  const [other = ''] = quoteIds;
  await stores.payments.label(other, { orderId: 'A-1', metadata: null });
  for (const table of ['delivery', 'event_entry', 'payment', 'idempotency', 'payment_text'])
    await db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  // The settings of the tables made the server plan anew.
  await addEight();
  await settle();
  await retryOf(other);
  await stores.payments.label(other, { orderId: 'A-2', metadata: null });
  await db.query(
    `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane_state)
     SELECT id, 1000000 + n, 1000000 + n, 1, 'waiting' FROM generate_series(1, $1::int) n, destination`,
    [ROWS],
  );
  await db.query(
    `INSERT INTO idempotency (scope, key, body_hash, token, held_until)
     SELECT 'shop', n::text, 'hash', gen_random_uuid(), now() FROM generate_series(1, $1::int) n`,
    [ROWS],
  );
  await retryOf(other);
  const before = await rowsRead(source, READ);
  await addEight();
  await settle();
  await stores.payments.label(other, { orderId: 'A-3', metadata: null });
  const after = await rowsRead(source, READ);
  const retries = await db.query(
    `SELECT DISTINCT d.retries FROM delivery d JOIN payment p ON p.id = d.payment_id
     WHERE p.quote_id = $1 AND d.state = 'pending' AND d.lane_state = 'head'`,
    [other],
  );
  expect(retries).toEqual([{ retries: 2 }]);
  expect(after - before).toBeLessThan(MOST_READ);
});
