import { randomUUID } from 'node:crypto';

import { afterAll } from '@jest/globals';

import type { SubscribedType } from '../../src/domain/event/operational-event.ts';
import { openDataSource } from './data-source.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { storesOn, TEST_BOX, type StoreOptions, type Stores } from './stores.ts';

const opened: TestDatabase[] = [];
afterAll(async () => {
  for (const db of opened.splice(0)) await db.drop();
});

/** The stores of two replicas on their own migrated database, which is dropped with the test file. */
export async function openReplicas(
  options: StoreOptions = {},
): Promise<{ db: TestDatabase; one: Stores; two: Stores }> {
  const db = await createTestDatabase();
  opened.push(db);
  return {
    db,
    one: storesOn(await openDataSource(db), options),
    two: storesOn(await openDataSource(db), options),
  };
}

interface NewDestination {
  readonly id?: string;
  readonly kind?: string;
  readonly enabled?: boolean;
  /** None: every type. */
  readonly eventTypes?: readonly SubscribedType[];
}

/** Adds a destination, by default a webhook endpoint for every event; returns its id. */
export async function addDestination(
  db: TestDatabase,
  { id = randomUUID(), kind = 'webhook', enabled = true, eventTypes = [] }: NewDestination = {},
): Promise<string> {
  await db.query(
    `INSERT INTO destination (id, kind, enabled, url, event_types, secrets) VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, kind, enabled, kind === 'webhook' ? 'x' : null, eventTypes, TEST_BOX.seal('[]', id)],
  );
  return id;
}

/** DELETE and not TRUNCATE, which makes new files for each table and index: a hundred times the work on small tables. */
export async function emptyTables(db: TestDatabase, ...tables: readonly string[]): Promise<void> {
  await db.query(tables.map((table) => `DELETE FROM ${table}`).join(';'));
}

/** The tables of payments and their deliveries. */
export const OF_PAYMENTS = [
  'delivery',
  'event_replay',
  'endpoint_circuit',
  'destination',
  'event',
  'payment',
];
