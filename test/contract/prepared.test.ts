import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dataSourceOptions, migrationOptions } from '../../src/database/connection/data-source-options.ts';
import type { AddedPayment } from '../../src/ports/payments.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { paymentToAdd, storesOn, type Stores } from '../support/stores.ts';

let db: TestDatabase;
let source: DataSource;
let stores: Stores;

beforeAll(async () => {
  db = await createTestDatabase();
  // One connection: each statement meets what it has prepared.
  source = await new DataSource(dataSourceOptions(db.directUrl, 1)).initialize();
  stores = storesOn(source);
});
afterAll(async () => {
  await source.destroy();
  await db.drop();
});

function add(): Promise<AddedPayment> {
  return stores.payments.add(paymentToAdd(randomUUID()));
}

async function preparedCalls(): Promise<number> {
  const rows = await source.query<{ statement: string }[]>('SELECT statement FROM pg_prepared_statements');
  return rows.filter(({ statement }) => statement.includes('FROM add_payments(')).length;
}

it('is prepared once by a connection of the server', async () => {
  for (let times = 0; times < 8; times += 1) expect(await add()).toMatchObject({ isNew: true });
  expect(await preparedCalls()).toBe(1);
});

it('is planned anew where its function was dropped and made again', async () => {
  const [row] = await db.query<{ text: string }>(
    `SELECT pg_get_functiondef('add_payments'::regproc) AS text`,
  );
  await db.query('DROP FUNCTION add_payments');
  await expect(add()).rejects.toMatchObject({ code: '42883' });
  await db.query(row?.text ?? '');
  expect(await add()).toMatchObject({ isNew: true });
});

it('is prepared by another connection where something has cleared the session', async () => {
  await add();
  await source.query('DISCARD ALL');
  expect(await add()).toMatchObject({ isNew: true });
  expect(await preparedCalls()).toBe(1);
});

it('is not prepared by a connection that may be a pooler’s', async () => {
  const pooled = await new DataSource(migrationOptions(db.directUrl)).initialize();
  const payments = storesOn(pooled).payments;
  expect(await payments.add(paymentToAdd(randomUUID()))).toMatchObject({ isNew: true });
  expect(await pooled.query('SELECT name FROM pg_prepared_statements')).toEqual([]);
  await pooled.destroy();
});
