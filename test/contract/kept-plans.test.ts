import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';

import { dataSourceOptions, migrationOptions } from '../../src/database/connection/data-source-options.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { proven, transferOf } from '../support/proof-answers.ts';
import { claimsOf, inspect, quoted, reported, ScriptedWitness } from '../support/proof-scene.ts';
import { CHAIN_ID, hashOf, RECIPIENT, USDC } from '../support/proof-texts.ts';
import { addDestination } from '../support/replicas.ts';
import { paymentToAdd, type Stores, storesOn } from '../support/stores.ts';
import { done, failed } from '../support/settlements.ts';
import type { AddedPayment } from '../../src/ports/payments.ts';

/** A database and its stores on one connection, which keeps its plans and prepared statements. */
interface Kept {
  readonly db: TestDatabase;
  readonly source: DataSource;
  readonly stores: Stores;
}

async function openKept(): Promise<Kept> {
  const db = await createTestDatabase();
  const source = await new DataSource(dataSourceOptions(db.directUrl, 1)).initialize();
  db.beforeDrop(() => source.destroy());
  return { db, source, stores: storesOn(source) };
}

/**
 * How many rows this connection and others have read of these tables; the server may count the reads of others a little later.
 */
async function rowsRead(source: DataSource, tables: readonly string[]): Promise<number> {
  await source.query(`SELECT pg_stat_force_next_flush()`);
  const [row] = await source.query<{ read: string }[]>(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS read FROM pg_stat_user_tables WHERE relname = ANY ($1)`,
    [tables],
  );
  return Number(row?.read);
}

/** Before PostgreSQL 15, the server counts rows only now and then. */
async function countsRowsRead(source: DataSource): Promise<boolean> {
  const [row] = await source.query<{ version: string }[]>(
    `SELECT current_setting('server_version_num') AS version`,
  );
  return Number(row?.version) >= 150_000;
}

describe('the plans that a connection keeps', () => {
  /** Rows of other payments, for which the plans were not made. */
  const ROWS = 20_000;
  /** The most rows that the server reads to insert and settle a group of eight payments with their deliveries. */
  const MOST_READ = 600;
  const READ = ['delivery', 'event_entry', 'payment', 'idempotency', 'payment_text', 'payment_quote'];

  let db: TestDatabase;
  let source: DataSource;
  let stores: Stores;

  beforeAll(async () => {
    ({ db, source, stores } = await openKept());
    await addDestination(db);
    await addDestination(db, { kind: 'rabbitmq' });
  });
  afterAll(() => db.drop());

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

  /** Claims and settles everything that is due at both destinations; one attempt fails. */
  async function settle(): Promise<void> {
    const destinations = await db.query<{ id: string }>(`SELECT id FROM destination`);
    const slots = destinations.map(({ id }) => ({ destinationId: id, free: 20, isProbe: false }));
    const owed = await stores.deliveries.claim(slots, 60_000);
    await stores.deliveries.settle(
      owed.map((delivery, index) => (index === 0 ? failed(delivery, 3_600_000) : done(delivery))),
    );
  }

  /** Makes the heads of the payment's lanes wait for a retry, which a new event brings forward. */
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
});

describe('the plans of a replay', () => {
  const TABLES = ['payment', 'event_entry', 'delivery'];
  const EVENTS = 3_000;
  /**
   * The most rows read for one event of a replay, which looks up the event, its payment and its delivery; a plan that scans
   * reads thousands.
   */
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
  let stores: Stores;

  beforeAll(async () => {
    ({ db, source, stores } = await openKept());
  });
  afterAll(() => db.drop());

  it('reads each event a few times, also while statistics say that all tables are empty', async () => {
    if (!(await countsRowsRead(source))) return;
    const { replays } = stores;
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
});

describe('the plans of proofs', () => {
  const PROVEN = 20_000;

  it('read few of all outputs that one wallet has got, and of all proofs', async () => {
    const { db, source } = await openKept();
    if (!(await countsRowsRead(source))) return;
    const stores = storesOn(source, { proof: { isRequired: false, chainIds: new Set([CHAIN_ID]) } });
    await db.query(ADD_PROVEN, [PROVEN, CHAIN_ID, RECIPIENT, USDC]);
    await db.query('ANALYZE');
    const witness = new ScriptedWitness();
    const before = await rowsRead(source, ['proven_output', 'payment_proof']);
    for (const [n, shown] of [{ logIndex: null, byBalance: true } as const, { logIndex: 3 }].entries()) {
      const quoteId = await quoted(stores);
      await reported(stores, quoteId, 'COMPLETED', { txHash: hashOf(n) });
      witness.say(proven(transferOf(hashOf(n), { ...shown, income: 24_900_000n })));
      for (const claim of await claimsOf(stores)) await inspect(stores, claim, witness);
      expect((await stores.payments.find(quoteId))?.verification?.state).toBe('proven');
    }
    expect(await stores.withheld.leaveRequire()).toEqual({ completing: 0, contradicted: 0, resolved: 0 });
    expect((await rowsRead(source, ['proven_output', 'payment_proof'])) - before).toBeLessThan(100);
  });

  /** Payments whose outputs one wallet got long ago; half of the completed ones are unverified. */
  const ADD_PROVEN = `
    WITH added AS (
      INSERT INTO payment (quote_id, provider, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
        report_digest, stalls, contradictions)
      SELECT gen_random_uuid(), 'http', CASE n % 10 WHEN 0 THEN 'FAILED' ELSE 'COMPLETED' END, false, 3, 'closed', now(), now(), now(), '', n, '{}', '{}'
      FROM generate_series(1, $1::int) n RETURNING id, report_digest, status
    ), proofs AS (
      INSERT INTO payment_proof (payment_id, state, report_digest, due_at)
      SELECT id, CASE id % 2 WHEN 0 THEN 'proven' ELSE 'unverified' END, report_digest, NULL FROM added WHERE status = 'COMPLETED'
    )
    INSERT INTO proven_output (payment_id, chain_id, tx_hash, ordinal, block_hash, recipient, token, taken, is_named, reserved_at)
    SELECT id, $2::bigint, md5(id::text), 0, md5(id::text), lower($3), lower($4), 1, true, now() - interval '1 day' FROM added`;
});

describe('the statement that adds payments', () => {
  let db: TestDatabase;
  let source: DataSource;
  let stores: Stores;

  beforeAll(async () => {
    ({ db, source, stores } = await openKept());
  });
  afterAll(() => db.drop());

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
    const { extra, ...options } = migrationOptions(db.directUrl);
    const pipelining = { ...(extra as object), pipeline: true };
    const pooled = await new DataSource({ ...options, extra: pipelining }).initialize();
    const payments = storesOn(pooled).payments;
    expect(await payments.add(paymentToAdd(randomUUID()))).toMatchObject({ isNew: true });
    expect(await pooled.query('SELECT name FROM pg_prepared_statements')).toEqual([]);
    await pooled.destroy();
  });
});
