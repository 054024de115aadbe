import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { addDestination } from '../support/replicas.ts';
import { countsRowsRead, rowsRead } from '../support/rows-read.ts';
import { storesOn } from '../support/stores.ts';

const TABLES = ['payment', 'event_entry', 'delivery'];
const EVENTS = 3_000;
/** Each step of a replay looks up the event, its payment or its delivery; a plan that scans reads thousands. */
const MOST_READ_AN_EVENT = 20;

const ADD_EVENTS = `
  WITH paid AS (
    INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
      report_digest, stalls, contradictions)
    SELECT 'http', gen_random_uuid(), 'AWAITING_DEPOSIT', false, 1, 'closed', now(), now(), now(), '|||', '', '{}', '{}'
    FROM generate_series(1, $1::int)
    RETURNING id
  )
  INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
  SELECT gen_random_uuid(), id, 1, 'payment.created', now(), '{}' FROM paid`;
const ADD_DELIVERIES = `
  INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane_state)
  SELECT $1, payment_id, position, 1, 'waiting' FROM event`;

let db: TestDatabase;
let source: DataSource;

beforeAll(async () => {
  db = await createTestDatabase();
  source = await new DataSource(dataSourceOptions(db.directUrl, 1)).initialize();
});
afterAll(async () => {
  await source.destroy();
  await db.drop();
});

it('reads each event a few times, also while statistics say that all tables are empty', async () => {
  if (!(await countsRowsRead(source))) return;
  const { replays } = storesOn(source);
  const endpoint = await addDestination(db);
  for (const table of TABLES) await db.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
  await db.query(ADD_EVENTS, [10]);
  await db.query(ADD_DELIVERIES, [endpoint]);
  for (const table of TABLES.toReversed()) await db.query(`DELETE FROM ${table}`);
  await db.query('ANALYZE');
  await source.query(ADD_EVENTS, [EVENTS]);
  const before = await rowsRead(source, TABLES);
  const replay = await replays.start(endpoint, new Date('2000-01-01T00:00:00.000Z'));
  while ((await replays.runBatch()) !== null);
  expect(await replays.find(endpoint, String(replay?.id))).toMatchObject({ state: 'done', done: EVENTS });
  const after = await rowsRead(source, TABLES);
  expect((after - before) / EVENTS).toBeLessThan(MOST_READ_AN_EVENT);
});
