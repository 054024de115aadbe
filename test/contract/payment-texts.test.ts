import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';

import { dataSourceOptions } from '../../src/database/connection/data-source-options.ts';
import { migrate } from '../../src/database/connection/migrate.ts';
import { Space1790600000000 } from '../../src/database/schema/7-space.ts';
import { MIGRATIONS } from '../../src/database/schema/migrations.ts';
import { LOG_START } from '../../src/domain/event/log-position.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { pollResult } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, storesOn, type Stores } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const LEASE_MS = 20_000;
const MOST_SLOTS = 16;

let db: TestDatabase;
let one: Stores;
let endpoint: string;

beforeAll(async () => {
  ({ db, one } = await openReplicas());
});
beforeEach(async () => {
  await db.query('DELETE FROM destination');
  endpoint = await addDestination(db);
});

/** A payment that was added before the endpoint wants anything: its own first event is number 1. */
async function added(report: string | null = null): Promise<string> {
  const quoteId = randomUUID();
  const read = report === null ? null : readReport(JSON.parse(report), report);
  await one.payments.add(paymentToAdd(quoteId, { report: read }));
  return quoteId;
}

async function idOf(quoteId: string): Promise<string> {
  const [row] = await db.query<{ id: string }>('SELECT id FROM payment WHERE quote_id = $1', [quoteId]);
  return row?.id ?? '';
}

/** Events with these bodies, as any recorder writes them, `together` of them in a transaction. */
async function record(quoteId: string, bodies: readonly string[], together = 1): Promise<void> {
  const id = await idOf(quoteId);
  for (let first = 0; first < bodies.length; first += together) {
    const some = bodies.slice(first, first + together);
    await db.query(RECORD, [
      some.map(() => randomUUID()),
      some.map(() => id),
      some.map((_, index) => 2 + first + index),
      some,
    ]);
  }
}

/** An event as release 0.1.0 has left it. */
async function recordOld(quoteId: string, sequence: number, body: string): Promise<void> {
  await db.query(
    `INSERT INTO event_entry (id, payment_id, sequence, type, time, body) VALUES ($1, $2, $3, 'payment.updated', now(), $4)`,
    [randomUUID(), await idOf(quoteId), sequence, body],
  );
}

async function moved(quoteId: string, text: string): Promise<void> {
  const report = readReport(JSON.parse(text), text);
  const claim = await one.schedule.claimNow(quoteId, 0, 6_000);
  if (report === null || typeof claim === 'string') throw new Error('no claim');
  await one.schedule.record([pollResult(claim, { kind: 'report', report })]);
}

async function eventsOf(quoteId: string): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await one.payments.eventsOf(quoteId, cursor);
    texts.push(...(page?.events ?? []));
    cursor = page?.nextCursor ?? null;
    if (cursor === null) return texts;
  }
}

/** By the payment and by its walk through the log. */
async function feedOf(quoteId: string, count: number): Promise<string[][]> {
  const read = async (isByPayment: boolean): Promise<string[]> => {
    const texts: string[] = [];
    for (let after = LOG_START; ;) {
      const page = await one.eventLog.read(after, { types: [], ...(isByPayment ? { quoteId } : {}) }, 500);
      const own = page.events.filter((event) => isByPayment || event.body.includes(quoteId));
      texts.push(...own.map((event) => event.body));
      if (page.last.rank === after.rank && page.last.position === after.position) return texts;
      after = page.last;
    }
  };
  let found: string[][] = [];
  await waitFor(async () => {
    found = [await read(true), await read(false)];
    return found.every(({ length }) => length >= count);
  });
  return found;
}

/** What the endpoint is sent, and what the API shows of each delivery. */
async function deliveredOf(): Promise<{ sent: string[]; shown: string[] }> {
  const [sent, shown]: [string[], string[]] = [[], []];
  for (;;) {
    const owed = await one.deliveries.claim(
      [{ destinationId: endpoint, free: 100, isProbe: false }],
      LEASE_MS,
    );
    if (owed.length === 0) return { sent, shown };
    for (const delivery of owed) {
      sent.push(delivery.body);
      shown.push((await one.deliveryLog.find(delivery.id))?.eventText ?? '');
      const outcome = {
        kind: 'delivered',
        httpStatus: 200,
        trace: { address: null, excerpt: null },
      } as const;
      await one.deliveries.settle([
        {
          delivery,
          outcome,
          retryInMs: null,
          holdsLane: true,
          lanePatienceMs: null,
          ageMs: 1,
          durationMs: 1,
        },
      ]);
    }
  }
}

async function expectEverywhere(quoteId: string, bodies: readonly string[]): Promise<void> {
  expect(await eventsOf(quoteId)).toEqual(bodies);
  const [byPayment, byWalk] = await feedOf(quoteId, bodies.length);
  expect(byPayment).toEqual(bodies);
  expect(byWalk).toEqual(bodies);
}

async function placesOf(quoteId: string): Promise<(number | null)[]> {
  const rows = await db.query<{ slot: number | null }>(
    `SELECT e.slot FROM event_entry e JOIN payment p ON p.id = e.payment_id WHERE p.quote_id = $1 ORDER BY e.sequence`,
    [quoteId],
  );
  return rows.map(({ slot }) => slot);
}

describe('the bodies of events', () => {
  it.each([1, 2, 15, 16, 17, 40])('come back byte for byte: %i of one payment', async (count) => {
    const quoteId = await added();
    const more = Array.from(
      { length: count - 1 },
      (_, n) => `{"n":${n},"of":"${quoteId}","ä":"${'x'.repeat(n)}"}`,
    );
    await record(quoteId, more, count === 40 ? 7 : 1);
    const bodies = await eventsOf(quoteId);
    expect(bodies.slice(1)).toEqual(more);
    await expectEverywhere(quoteId, bodies);
    expect(await deliveredOf()).toEqual({ sent: bodies, shown: bodies });
    const slots = await placesOf(quoteId);
    expect(slots).toEqual(bodies.map((_, n) => (n + 2 <= MOST_SLOTS ? n + 2 : null)));
  });

  it('come back byte for byte when they are too long for one row', async () => {
    const quoteId = await added();
    const long = (letter: string, length: number): string => `${letter.repeat(length)} ${quoteId}`;
    const more = [
      long('a', 200_000),
      long('b', 9_000),
      long('ü', 2_500),
      long('c', 3_000),
      long('d', 200_000),
      long('e', 10),
    ];
    await record(quoteId, more);
    await expectEverywhere(quoteId, [(await eventsOf(quoteId))[0] ?? '', ...more]);
    expect(await placesOf(quoteId)).toEqual([2, null, 3, 4, null, null, 5]);
  });

  it.each([
    ['what an array would quote', `{"a":"\\"b\\",{}","c":"\\\\"} , NULL`],
    ['NULL', 'NULL'],
    ['braces', '{NULL,""}'],
    ['other scripts', '{"a":"支付 دفع 🧾 e\u0301 \u2028 \u200b \ufeff"}'],
    ['control characters', '{"a":"\u0001\u007f\t\r\n"}'],
    ['nothing', ''],
  ])('come back byte for byte with %s', async (_what, text) => {
    const quoteId = await added();
    await record(quoteId, [text, quoteId, text], 2);
    expect((await eventsOf(quoteId)).slice(1)).toEqual([text, quoteId, text]);
    const { sent } = await deliveredOf();
    expect(sent.slice(1)).toEqual([text, quoteId, text]);
  });

  it('come back byte for byte where release 0.1.0 has written some of them', async () => {
    const quoteId = await added();
    const id = await idOf(quoteId);
    const bodies = ['created', 'old', 'older', 'new', 'newer', 'newest'].map((word) => `${word} ${quoteId}`);
    await db.query(`UPDATE event_entry SET slot = NULL, body = $2 WHERE payment_id = $1`, [id, bodies[0]]);
    await db.query(
      `UPDATE payment_text SET texts = NULL, body = '{"status":"EXECUTING"}', reported_at = now() WHERE payment_id = $1`,
      [id],
    );
    await recordOld(quoteId, 2, bodies[1] ?? '');
    await recordOld(quoteId, 3, bodies[2] ?? '');
    await db.query(`UPDATE payment SET sequence = 3 WHERE id = $1`, [id]);
    expect((await one.payments.find(quoteId))?.reportText).toBe('{"status":"EXECUTING"}');
    for (const [n, body] of bodies.slice(3).entries())
      await db.query(RECORD, [[randomUUID()], [id], [4 + n], [body]]);
    await expectEverywhere(quoteId, bodies);
    expect(await placesOf(quoteId)).toEqual([null, null, null, 2, 3, 4]);
    expect((await one.payments.find(quoteId))?.reportText).toBe('{"status":"EXECUTING"}');
    await db.query(`SELECT keep_texts(ARRAY[$1::bigint], ARRAY['{"n":2}'], '{}', '{}', now())`, [id]);
    expect((await one.payments.find(quoteId))?.reportText).toBe('{"n":2}');
    await expectEverywhere(quoteId, bodies);
  });

  it('stay when an event beside them is gone, and while reports of any length come and go', async () => {
    const quoteId = await added('{"status":"AWAITING_DEPOSIT"}');
    const id = await idOf(quoteId);
    await record(quoteId, [`a ${quoteId}`, `b ${quoteId}`]);
    const [first = ''] = await eventsOf(quoteId);
    for (const length of [10, 15_000, 200_000, 16_500, 0, 14_000]) {
      const report = `{"text":"${'x'.repeat(length)}"}`;
      await db.query(`SELECT keep_texts(ARRAY[$1::bigint], ARRAY[$2::text], '{}', '{}', now())`, [
        id,
        report,
      ]);
      expect((await one.payments.find(quoteId))?.reportText).toBe(report);
      expect(await eventsOf(quoteId)).toEqual([first, `a ${quoteId}`, `b ${quoteId}`]);
    }
    await db.query(`DELETE FROM event WHERE payment_id = $1 AND sequence = 2`, [id]);
    await db.query(RECORD, [[randomUUID()], [id], [4], [`c ${quoteId}`]]);
    expect(await eventsOf(quoteId)).toEqual([first, `b ${quoteId}`, `c ${quoteId}`]);
  });

  it('are never without their text: an event that has none is refused', async () => {
    const quoteId = await added();
    await expect(record(quoteId, [null as unknown as string])).rejects.toThrow('event_has_body');
  });
});

describe("the row of a payment's texts", () => {
  it('is written once for a payment that comes with a report, and once for a poll', async () => {
    await db.query(`CREATE TABLE text_write (payment_id bigint)`);
    await db.query(`CREATE FUNCTION count_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO text_write VALUES (NEW.payment_id); RETURN NULL; END $$`);
    await db.query(
      `CREATE TRIGGER counted AFTER INSERT OR UPDATE ON payment_text FOR EACH ROW EXECUTE FUNCTION count_write()`,
    );
    const writes = async (quoteId: string): Promise<number> =>
      (await db.query('SELECT 1 FROM text_write WHERE payment_id = $1', [await idOf(quoteId)])).length;
    const quoteId = await added('{"status":"DEPOSIT_RECEIVED"}');
    expect(await writes(quoteId)).toBe(1);
    await moved(quoteId, '{"status":"EXECUTING"}');
    expect(await writes(quoteId)).toBe(2);
    await moved(quoteId, '{"status":"COMPLETED"}');
    expect(await writes(quoteId)).toBe(3);
    await one.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    expect(await writes(quoteId)).toBe(4);
    expect(await placesOf(quoteId)).toEqual([2, 3, 4, 5, 6]);
    const found = await one.payments.find(quoteId);
    expect(found?.reportText).toBe('{"status":"COMPLETED"}');
    expect((await eventsOf(quoteId)).at(-1)).toContain('{"status":"COMPLETED"}');
    await db.query(`DROP TRIGGER counted ON payment_text`);
  });

  it('is compressed and stands in the table itself', async () => {
    const quoteId = await added();
    const text = `{"recipient":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913","status":"EXECUTING","quoteId":"${quoteId}"}`;
    await record(
      quoteId,
      Array.from({ length: 6 }, (_, n) => `{"n":${n},"a":${text},"b":${text},"c":${text},"d":${text}}`),
    );
    const [row] = await db.query<{ size: number; outside: number }>(
      `SELECT pg_column_size(t.texts) AS size, pg_relation_size(c.reltoastrelid)::int AS outside
       FROM payment_text t JOIN pg_class c ON c.oid = 'payment_text'::regclass WHERE t.payment_id = $1`,
      [await idOf(quoteId)],
    );
    expect(row?.size).toBeLessThan(1_000);
  });
});

describe('the statements of release 0.1.0', () => {
  it('store, read and delete a payment with its report and events', async () => {
    const quoteId = await added();
    const id = await idOf(quoteId);
    await db.query(`DELETE FROM payment_text WHERE payment_id = $1`, [id]);
    await db.query(`DELETE FROM event WHERE payment_id = $1`, [id]);
    const report = '{"status":"EXECUTING"}';
    await db.query(`INSERT INTO payment_report (payment_id, body, reported_at) VALUES ($1, $2, $3)`, [
      id,
      report,
      new Date(0),
    ]);
    await db.query(
      `SELECT record_events($1::uuid[], $2::bigint[], $3::int[], $4::text[], $5::text[], $6::timestamptz)`,
      [
        [randomUUID(), randomUUID()],
        [id, id],
        [1, 2],
        ['payment.created', 'payment.executing'],
        ['one', 'two'],
        new Date(),
      ],
    );
    expect(
      await db.query('SELECT body, reported_at FROM payment_report WHERE payment_id = $1', [id]),
    ).toEqual([{ body: report, reported_at: new Date(0) }]);
    const events = await db.query<{ position: string; body: string }>(
      'SELECT * FROM event WHERE payment_id = $1 ORDER BY sequence',
      [id],
    );
    expect(events.map(({ body }) => body)).toEqual(['one', 'two']);
    await db.query(`DELETE FROM event WHERE position = ANY ($1::bigint[])`, [[events[0]?.position]]);
    expect(await db.query('SELECT body FROM event WHERE payment_id = $1', [id])).toEqual([{ body: 'two' }]);
    expect(await db.query('SELECT slot FROM event_entry WHERE payment_id = $1', [id])).toEqual([{ slot: 3 }]);
  });

  it('are run again where a function began with its former text before the tables were changed', async () => {
    const calls = [
      `SELECT pg_temp.record_polls()`,
      `INSERT INTO event (id, payment_id, sequence, type, time, body)
       SELECT gen_random_uuid(), id, 99, 'payment.updated', now(), '{}' FROM payment LIMIT 1 RETURNING position`,
      `INSERT INTO attempt (delivery_id, number, made_at, duration_ms) VALUES (1, 1, now(), 1)`,
    ];
    for (const call of calls)
      await expect(db.query(`${FORMER_RECORD_POLLS}; ${call}`)).rejects.toMatchObject({ code: '40P01' });
    await db.query(`UPDATE payment_schedule SET due_at = now()`);
    const quoteId = await added();
    await moved(quoteId, '{"status":"EXECUTING"}');
  });

  it('see by a lock on the events who is recording one', async () => {
    const quoteId = await added();
    const client = await one.database.transaction(async (queries) => {
      await queries.query(RECORD, [[randomUUID()], [await idOf(quoteId)], [2], ['body']]);
      return db.query(
        `SELECT 1 FROM pg_locks l WHERE l.locktype = 'relation' AND l.relation = 'event'::regclass
           AND l.mode = 'RowExclusiveLock' AND l.granted
           AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
    });
    expect(client).toHaveLength(1);
  });
});

describe('an upgrade from the schema before, and the way back', () => {
  /** This migration and all that came after it. */
  const sinceSpace = MIGRATIONS.length - MIGRATIONS.indexOf(Space1790600000000);
  let old: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    old = await createEmptyDatabase();
    source = await new DataSource({ ...dataSourceOptions(old.url, 4), migrations: MIGRATIONS }).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await old.drop();
  });

  it('keeps every body, report and attempt, of payments that go on meanwhile too', async () => {
    const read = (): Promise<object[]> =>
      old.query(`SELECT
        ARRAY(SELECT body FROM event ORDER BY position) AS bodies, ARRAY(SELECT body FROM payment_report ORDER BY payment_id) AS reports,
        ARRAY(SELECT (delivery_id, number, made_at, duration_ms, address, http_status, failure, excerpt)::text
          FROM attempt WHERE number IS NOT NULL ORDER BY delivery_id, number) AS attempts`);
    await migrate(source);
    await undo(sinceSpace);
    await old.query(OLD_ROWS);
    const before = await read();
    await migrate(source);
    expect(await read()).toEqual(before);
    const stores = storesOn(source);
    await moveOn(stores);
    const after = await read();
    expect(after).not.toEqual(before);
    await undo(sinceSpace);
    expect(await read()).toEqual(after);
    await migrate(source);
    expect(await read()).toEqual(after);
  });

  it.each([
    ['event', 'the schema before', sinceSpace],
    ['payment', 'release 0.1.0', MIGRATIONS.length - 1],
  ])('fails no statement of a running replica that waits for %s: from %s', async (table, _from, undone) => {
    await undo(undone);
    // A function stays, which no database of 0.1.0 has.
    if (undone > sinceSpace) await old.query('DROP FUNCTION log_epoch');
    const [recorder, reader] = [await open(), await open()];
    await recorder.query('BEGIN');
    await recorder.query(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
    const migrated = migrate(source);
    await waitFor(async () => (await old.query(WAITING)).length === 1);
    await reader.query('BEGIN');
    await reader.query('SELECT 1 FROM delivery');
    // Behind the migration, which gets its lock next and then waits for the reader.
    const read = reader.query(`SELECT 1 FROM ${table}`);
    await recorder.query('COMMIT');
    await read;
    await reader.query('COMMIT');
    expect((await migrated).migrations).toHaveLength(undone);
    await Promise.all([recorder.end(), reader.end()]);
  });

  async function undo(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) await source.undoLastMigration();
  }

  async function open(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: old.directUrl });
    await client.connect();
    return client;
  }

  async function moveOn(stores: Stores): Promise<void> {
    const [endpointId = ''] = (await old.query<{ id: string }>('SELECT id FROM destination')).map(
      ({ id }) => id,
    );
    await stores.payments.label('q1', { orderId: 'B', metadata: null });
    await stores.payments.add(paymentToAdd('q2'));
    const owed = await stores.deliveries.claim(
      [{ destinationId: endpointId, free: 9, isProbe: false }],
      LEASE_MS,
    );
    const trace = { address: '203.0.113.7:443', excerpt: Buffer.from('no') };
    const outcome = {
      kind: 'failed',
      failure: 'status',
      httpStatus: 500,
      retryAfterMs: null,
      trace,
    } as const;
    await stores.deliveries.settle(
      owed.map((delivery) => ({
        delivery,
        outcome,
        retryInMs: 5,
        holdsLane: true,
        lanePatienceMs: null,
        ageMs: 5,
        durationMs: 3,
      })),
    );
    expect(owed).toHaveLength(2);
  }
});

const RECORD = `
  SELECT record_events_v3($1::uuid[], $2::bigint[], $3::int[], array_fill('payment.updated'::text, ARRAY[cardinality($1::uuid[])]),
    $4::text[], now(), '{}', '{}', '[]')
  FROM (SELECT 1 FROM payment WHERE id = ANY ($2::bigint[]) FOR UPDATE) locked`;

const FORMER_RECORD_POLLS = `
  CREATE OR REPLACE FUNCTION pg_temp.record_polls() RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE payment_schedule SET due_at = now() WHERE false;
    INSERT INTO payment_report (payment_id, body, reported_at) VALUES (1, '{}', now())
    ON CONFLICT (payment_id) DO UPDATE SET body = excluded.body;
  END $$`;

const WAITING = `
  SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%LOCK TABLE%'`;

const OLD_ROWS = `
  WITH paid AS (
    INSERT INTO payment (quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
      report_digest, stalls, contradictions)
    VALUES ('q1', 'EXECUTING', false, 2, 'active', now(), now(), now(), '|||', '', '{}', '{}') RETURNING id
  ), reported AS (
    INSERT INTO payment_report SELECT id, '{"status":"EXECUTING"}', now() FROM paid
  ), made AS (
    INSERT INTO event (id, payment_id, sequence, type, time, body)
    SELECT gen_random_uuid(), id, n, 'payment.updated', now(), 'body ' || n FROM paid, generate_series(1, 2) n
    RETURNING position, payment_id, sequence
  ), target AS (
    INSERT INTO destination (id, kind, enabled, url) VALUES (gen_random_uuid(), 'webhook', true, 'x') RETURNING id
  ), owed AS (
    INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane_state, due_at, attempts, retries,
      last_attempt_at, last_failure)
    SELECT t.id, m.payment_id, m.position, m.sequence, CASE m.sequence WHEN 1 THEN 'head' ELSE 'waiting' END::lane_state,
      CASE m.sequence WHEN 1 THEN now() END, CASE m.sequence WHEN 1 THEN 2 ELSE 0 END, 2, now(), 'timeout'
    FROM made m, target t ORDER BY m.sequence
    RETURNING id, sequence
  )
  INSERT INTO attempt (delivery_id, number, made_at, duration_ms, failure)
  SELECT id, n, now() + n * interval '1 second', n, 'timeout' FROM owed, generate_series(1, 2) n WHERE sequence = 1`;
