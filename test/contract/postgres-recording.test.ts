import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';

import { NO_SCALE, type IntervalScale } from '../../src/domain/polling/interval-scale.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim } from '../../src/ports/schedule.ts';
import { openDataSource } from '../support/data-source.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { claimed, closed, pollResult, reportOf, says } from '../support/poll-results.ts';
import { addDestination, emptyTables, OF_PAYMENTS, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';

let source: DataSource;

const { db, one, two } = await openReplicas();
beforeAll(async () => {
  source = await openDataSource(db);
});

async function added(stores = one): Promise<string> {
  const quoteId = randomUUID();
  await stores.payments.add(paymentToAdd(quoteId));
  return quoteId;
}

async function poll(stores: Stores, claim: Claim, answer: StatusAnswer): Promise<void> {
  await stores.schedule.record([pollResult(claim, answer)]);
}

async function typesOf(quoteId: string): Promise<string[]> {
  const bodies = (await one.payments.eventsOf(quoteId))?.events ?? [];
  return bodies.map((body) => {
    const event = JSON.parse(body) as { type: string; data: { sequence: number } };
    return `${event.data.sequence} ${event.type}`;
  });
}

describe('a scale that shrinks', () => {
  const PUT_OFF: IntervalScale = [1, 1, 1, 100];
  const putOffBy = async (queries: Pick<DataSource, 'query'>, quoteId: string): Promise<void> => {
    await queries.query(
      `UPDATE payment_schedule SET urgency = 'watching', interval_ms = 30000, polled_at = now(),
        due_at = now() + scaled_interval(30000, 100, 1e12) WHERE quote_id = $1`,
      [quoteId],
    );
  };
  const dueInS = async (quoteId: string): Promise<number> => {
    const [row] = await source.query<{ s: number }[]>(
      `SELECT extract(epoch FROM due_at - now())::float8 AS s FROM payment_schedule WHERE quote_id = $1`,
      [quoteId],
    );
    return row?.s ?? Number.NaN;
  };
  const putOff = async (): Promise<number> =>
    (await one.rateLimit.demand()).reduce((sum, each) => sum + each.putOff, 0);

  it('finds a poll that was being committed meanwhile, at the next look', async () => {
    await one.rateLimit.setScale(PUT_OFF);
    const quoteId = await added();
    const recording = source.createQueryRunner();
    await recording.startTransaction();
    await putOffBy(recording, quoteId);
    await one.rateLimit.setScale(NO_SCALE);
    await recording.commitTransaction();
    await recording.release();
    expect(await dueInS(quoteId)).toBeGreaterThan(2_900);
    expect(await putOff()).toBe(1);
    await two.rateLimit.setScale(NO_SCALE);
    expect(await dueInS(quoteId)).toBeLessThanOrEqual(30);
    expect(await putOff()).toBe(0);
  });

  it('is not written without the payments that it brings forward', async () => {
    await one.rateLimit.setScale(PUT_OFF);
    const quoteId = await added();
    await putOffBy(source, quoteId);
    await source.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'the process has ended'; END $$`);
    await source.query(`CREATE TRIGGER refuse BEFORE UPDATE ON payment_schedule EXECUTE FUNCTION refuse()`);
    await expect(one.rateLimit.setScale(NO_SCALE)).rejects.toThrow('the process has ended');
    await source.query(`DROP FUNCTION refuse CASCADE`);
    expect((await one.rateLimit.state()).scale).toEqual(PUT_OFF);
    await two.rateLimit.setScale(NO_SCALE);
    expect(await dueInS(quoteId)).toBeLessThanOrEqual(30);
  });
});

describe('a report of any text', () => {
  it.each([
    ['quotes, backslashes, braces and commas', String.raw`"a\"b\\{x,\"y\"}',(null)"`],
    ['an escaped NUL, and half a character that is escaped', String.raw`"\u0000 \ud83d"`],
    ['characters of every length', JSON.stringify('aé€😀\u2028')],
    ['half a character', '"\ud83d"'],
  ])('is recorded, and its event with it: %s', async (_what, note) => {
    const quoteId = await added();
    const text = `{"status": "DEPOSIT_RECEIVED", "note": ${note}}`;
    await poll(one, await claimed(one, quoteId), { kind: 'report', report: reportOf(text) });
    // PostgreSQL stores no lone surrogates: U+FFFD replaces them, as in every UTF-8 text.
    const { reportText } = (await one.payments.find(quoteId)) ?? {};
    expect(reportText).toBe(text.replace('\ud83d"', '\ufffd"'));
    expect(await typesOf(quoteId)).toEqual(['1 payment.created', '2 payment.deposit_received']);
  });
});

describe('the clock', () => {
  it('is measured by each claim and each reading of the schedule', async () => {
    const { clock } = one.database;
    for (const measured of [
      async () => one.schedule.claimDue(1, 6_000),
      async () => one.schedule.claimNow(await added(), 0, 6_000),
      async () => one.schedule.nextDueInMs(),
      async () => one.rateLimit.state(),
    ]) {
      await added();
      await db.query(`UPDATE payment_schedule SET due_at = now() - interval '1 hour'`);
      const before = performance.now();
      await measured();
      const agoMs = clock.measuredAgoMs;
      expect(performance.now() - agoMs).toBeGreaterThanOrEqual(before);
    }
    const [row] = await db.query<{ ms: number }>(
      `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
    );
    expect(Math.abs(clock.now().getTime() - (row?.ms ?? 0))).toBeLessThan(100);
  });
});

describe('a claim', () => {
  it('survives whatever word the provider uses', async () => {
    const quoteId = await added();
    await poll(one, await claimed(one, quoteId), says('AWAITING_DEPOSIT', { depositAddress: '0x1' }));
    for (const word of ['a\u0000', 'b\ud800', `${'x'.repeat(184)}😀😀`, '"}{', 'ß'.repeat(10_000)])
      await poll(one, await claimed(one, quoteId), says('AWAITING_DEPOSIT', { depositAddress: word }));
    expect(await typesOf(quoteId)).toHaveLength(6);
  });

  it('keeps the newest report while it holds its noise back, and when it last told of some', async () => {
    const quoteId = await added();
    for (const usd of [1, 2, 3])
      await poll(one, await claimed(one, quoteId), says('AWAITING_DEPOSIT', { gas: { usd } }));
    expect(await typesOf(quoteId)).toEqual(['1 payment.created', '2 payment.updated']);
    expect((await one.payments.find(quoteId))?.reportText).toContain('"usd":3');
    await poll(
      one,
      await claimed(one, quoteId),
      says('AWAITING_DEPOSIT', { gas: { usd: 3 }, error: 'slow' }),
    );
    expect(await typesOf(quoteId)).toHaveLength(3);
  });
});

describe('recording', () => {
  it('shows the stored report in a stall, and keeps a report that changed without an event', async () => {
    const quoteId = await added();
    await poll(one, await claimed(one, quoteId), says('EXECUTING', { a: 1 }));
    await poll(one, await claimed(one, quoteId), says('EXECUTING', { a: 2 }));
    expect((await one.payments.find(quoteId))?.reportText).toBe('{"status":"EXECUTING","a":2}');
    await db.query(`UPDATE payment SET progress_at = now() - interval '1 hour' WHERE quote_id = $1`, [
      quoteId,
    ]);
    await poll(one, await claimed(one, quoteId), says('EXECUTING', { a: 2 }));
    const stalled = JSON.parse((await one.payments.eventsOf(quoteId))?.events.at(-1) ?? '{}') as {
      data: unknown;
    };
    expect(stalled).toMatchObject({
      type: 'payment.stalled',
      data: { reason: 'no_progress', payment: { status: 'EXECUTING', a: 2 } },
    });
  });
});

describe('a poll on demand', () => {
  it('that waited for another poll to be committed sees what that one wrote', async () => {
    const quoteId = await added();
    const first = await claimed(one, quoteId);
    let recording: Promise<void> | undefined;
    let claiming: ReturnType<Stores['schedule']['claimNow']> | undefined;
    await whileHeld(db, [`LOCK TABLE event IN ACCESS EXCLUSIVE MODE`], async () => {
      recording = poll(one, first, says('EXECUTING'));
      await untilLocked(db);
      claiming = two.schedule.claimNow(quoteId, 0, 6_000);
      await untilLocked(db, 2);
    });
    await recording;
    const claim = (await claiming) ?? 'unknown';
    if (typeof claim === 'string') throw new Error(claim);
    expect(claim.payment).toMatchObject({ status: 'EXECUTING', sequence: 2 });
    await poll(two, claim, says('COMPLETED'));
    expect(await typesOf(quoteId)).toEqual([
      '1 payment.created',
      '2 payment.executing',
      '3 payment.completed',
    ]);
  });
});

describe('retention', () => {
  it('removes closed payments with all that belongs to them, and nothing that is still to be published', async () => {
    const [old, owed, orphaned, open] = [await added(), await added(), await added(), await added()];
    for (const quoteId of [old, owed, orphaned]) await closed(one, quoteId);
    await db.query(`UPDATE payment SET updated_at = now() - interval '1 year' WHERE quote_id = ANY ($1)`, [
      [old, owed, orphaned, open],
    ]);
    const [endpoint, gone] = [randomUUID(), randomUUID()];
    await addDestination(db, { id: endpoint });
    await owe(owed, endpoint);
    await owe(orphaned, gone);
    await owe(open, gone);
    await one.retention.removeClosedBefore(new Date(Date.now() - 86_400_000), 1000);
    const left = await Promise.all([old, owed, orphaned, open].map((quoteId) => one.payments.find(quoteId)));
    expect(left.map((payment) => payment !== null)).toEqual([false, true, false, true]);
    expect(await one.retention.discardOrphans(10)).toEqual({ count: 1, isMore: false });
    await db.query(`DELETE FROM destination`);
  });

  it('removes payments with very many deliveries in several batches, each with its attempts and events', async () => {
    await db.query(`DELETE FROM delivery`);
    const endpoint = randomUUID();
    await addDestination(db, { id: endpoint, enabled: false });
    const quoteIds = [await added(), await added()];
    for (const quoteId of quoteIds) await closed(one, quoteId);
    await db.query(`UPDATE payment SET updated_at = now() - interval '2 years' WHERE quote_id = ANY ($1)`, [
      quoteIds,
    ]);
    await db.query(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state)
       SELECT CASE n WHEN 1 THEN $2 ELSE gen_random_uuid() END, e.payment_id, e.position, e.sequence, 'delivered', 'head'
       FROM event e JOIN payment p ON p.id = e.payment_id, generate_series(1, 2000) AS n
       WHERE p.quote_id = ANY ($1)`,
      [quoteIds, endpoint],
    );
    await db.query(`DELETE FROM delivery WHERE state = 'discarded'`);
    await db.query(
      `INSERT INTO earlier_attempt (delivery_id, number, made_at, duration_ms)
       SELECT id, n, now(), 1 FROM delivery, generate_series(1, 2) AS n`,
    );
    await db.query(
      `DELETE FROM earlier_attempt a WHERE NOT EXISTS (SELECT 1 FROM delivery d WHERE d.id = a.delivery_id)`,
    );
    const left = async (): Promise<unknown> => {
      const [row] = await db.query(
        `SELECT (SELECT count(*)::int FROM payment WHERE quote_id = ANY ($1)) AS payments,
           (SELECT count(*)::int FROM delivery) AS deliveries, (SELECT count(*)::int FROM earlier_attempt) AS attempts`,
        [quoteIds],
      );
      return row;
    };
    expect(await left()).toEqual({ payments: 2, deliveries: 8_000, attempts: 16_000 });
    const before = new Date(Date.now() - 500 * 86_400_000);
    const missed = await one.replays.count(endpoint, new Date(0));
    expect(await one.retention.removeClosedBefore(before, 10)).toEqual({ count: 0, isMore: true });
    expect(await left()).toEqual({ payments: 2, deliveries: 4_000, attempts: 8_000 });
    // An event whose acknowledgement retention has removed does not count as missed.
    expect(await one.replays.count(endpoint, new Date(0))).toEqual(missed);
    expect(await one.retention.removeClosedBefore(before, 10)).toEqual({ count: 2, isMore: false });
    expect(await left()).toEqual({ payments: 0, deliveries: 0, attempts: 0 });
    expect(await one.retention.removeClosedBefore(before, 10)).toEqual({ count: 0, isMore: false });
    await db.query(`DELETE FROM destination`);
  });

  it('says that there may be more after a full batch of payments', async () => {
    for (let count = 0; count < 3; count += 1) await closed(one, await added());
    await db.query(`UPDATE payment SET updated_at = now() - interval '3 years' WHERE tracking = 'closed'`);
    const before = new Date(Date.now() - 900 * 86_400_000);
    expect(await one.retention.removeClosedBefore(before, 2)).toEqual({ count: 2, isMore: true });
  });

  it('removes the circuits of endpoints that are gone, and no others', async () => {
    const [kept, gone] = [randomUUID(), randomUUID()];
    await addDestination(db, { id: kept, enabled: false });
    await db.query(
      `INSERT INTO endpoint_circuit (destination_id, state, failures) SELECT unnest($1::uuid[]), 'open', 10`,
      [[kept, gone]],
    );
    expect(await one.retention.removeOrphanCircuits()).toBe(1);
    const rows = await db.query(`SELECT destination_id AS id FROM endpoint_circuit`);
    expect(rows).toEqual([{ id: kept }]);
    await db.query(`DELETE FROM endpoint_circuit`);
    await db.query(`DELETE FROM destination`);
  });

  async function owe(quoteId: string, destinationId: string): Promise<void> {
    await db.query(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane_state)
       SELECT $2::uuid, p.id, e.position, 1, 'head' FROM payment p
       JOIN event e ON e.payment_id = p.id AND e.sequence = 1 WHERE p.quote_id = $1`,
      [quoteId, destinationId],
    );
  }
});

describe('an endpoint that is enabled or disabled while an event is recorded', () => {
  /** Runs `sql` between the insertion of deliveries to enabled endpoints and that of deliveries that are never sent. */
  const recordedAround = async (sql: string): Promise<string[]> => {
    const [other, id] = [
      await addDestination(db),
      await addDestination(db, { enabled: sql.includes('false') }),
    ];
    await db.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NULL; END $$;
      CREATE TRIGGER hold AFTER INSERT ON delivery FOR EACH STATEMENT EXECUTE FUNCTION hold()`);
    let recording: Promise<string> = Promise.resolve('');
    await whileHeld(db, ['SELECT pg_advisory_xact_lock(7)'], async () => {
      recording = added();
      await untilLocked(db);
      await db.query(sql, [id]);
    });
    const quoteId = await recording;
    await db.query(`DROP FUNCTION hold CASCADE`);
    const rows = await db.query<{ shown: string }>(
      `SELECT CASE d.destination_id WHEN $2 THEN 'it ' ELSE 'other ' END || d.state AS shown FROM delivery d
       JOIN payment p ON p.id = d.payment_id WHERE p.quote_id = $1 AND d.destination_id IN ($2, $3) ORDER BY 1`,
      [quoteId, id, other],
    );
    await emptyTables(db, ...OF_PAYMENTS);
    return rows.map(({ shown }) => shown);
  };

  it.each([
    ['enabled: its event counts as not sent', 'true', 'it discarded'],
    ['disabled: its event is sent once it is enabled', 'false', 'it pending'],
  ])('%s', async (_what, enabled, shown) => {
    expect(await recordedAround(`UPDATE destination SET enabled = ${enabled} WHERE id = $1`)).toEqual([
      shown,
      'other pending',
    ]);
  });
});
