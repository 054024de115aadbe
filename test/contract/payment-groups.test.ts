import { randomUUID } from 'node:crypto';

import { beforeAll, expect, it } from '@jest/globals';

import type { IdempotencyClaim } from '../../src/ports/idempotency.ts';
import { openDataSource } from '../support/data-source.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, storesOn } from '../support/stores.ts';
import { reportOf } from '../support/poll-results.ts';

const AT_ONCE = 32;

const { db, one, two } = await openReplicas();
beforeAll(async () => {
  await addDestination(db);
});

function ids(count = AT_ONCE): string[] {
  return Array.from({ length: count }, () => randomUUID());
}

async function claimOf(key: string, stores = one): Promise<IdempotencyClaim> {
  const begun = await stores.idempotency.begin('shop', key, 'hash', 60_000);
  if (begun.kind !== 'claimed') throw new Error(begun.kind);
  return begun.claim;
}

/** The stored parts of each payment: its events and their deliveries, its quote and its place in the schedule. */
async function whole(quoteIds: readonly string[]): Promise<Record<string, unknown>[]> {
  return db.query(
    `SELECT p.quote_id, count(*)::int AS events, count(DISTINCT d.id)::int AS deliveries, bool_and(d.lane_state = 'head') AS heads,
       count(DISTINCT q.payment_id)::int AS quotes, count(DISTINCT s.payment_id)::int AS schedules
     FROM payment p LEFT JOIN event e ON e.payment_id = p.id LEFT JOIN delivery d ON d.event_position = e.position
       LEFT JOIN payment_quote q ON q.payment_id = p.id LEFT JOIN payment_schedule s ON s.payment_id = p.id
     WHERE p.quote_id = ANY ($1) GROUP BY p.quote_id ORDER BY p.quote_id`,
    [quoteIds],
  );
}

function allOf(quoteIds: readonly string[]): Record<string, unknown>[] {
  const each = { events: 1, deliveries: 1, heads: true, quotes: 1, schedules: 1 };
  return quoteIds.toSorted().map((quoteId) => ({ quote_id: quoteId, ...each }));
}

it('stores what comes at once in one transaction, each payment with all that belongs to it', async () => {
  const quoteIds = ids();
  const claims = await Promise.all(quoteIds.map((key) => claimOf(key)));
  const added = await Promise.all(
    quoteIds.map((quoteId, index) => one.payments.add(paymentToAdd(quoteId), claims[index])),
  );
  expect(added).toMatchObject(quoteIds.map(() => ({ isNew: true })));
  expect(await whole(quoteIds)).toEqual(allOf(quoteIds));
  const [row] = await db.query<{ transactions: number }>(
    `SELECT count(DISTINCT e.log_rank)::int AS transactions FROM event e JOIN payment p ON p.id = e.payment_id
     WHERE p.quote_id = ANY ($1)`,
    [quoteIds],
  );
  expect(row).toEqual({ transactions: 1 });
  const again = await Promise.all(quoteIds.map((key) => two.idempotency.begin('shop', key, 'hash', 60_000)));
  expect(again).toEqual(
    quoteIds.map((quoteId) => ({ kind: 'done', quoteId, quoteText: `{"quoteId":"${quoteId}"}` })),
  );
});

it('stores with each adopted payment its own report, and polls one that has ended more rarely', async () => {
  const quoteIds = ids(8);
  const ended = new Set(quoteIds.filter((_id, index) => index % 2 === 0));
  const reports = quoteIds.map((quoteId) => {
    const status = ended.has(quoteId) ? 'COMPLETED' : 'DEPOSIT_RECEIVED';
    const text = `{"quoteId":"${quoteId}","status":"${status}","note":"\ud83d"}`;
    return reportOf(text);
  });
  await Promise.all(
    quoteIds.map((quoteId, index) =>
      one.payments.add(paymentToAdd(quoteId, { quoteText: null, report: reports[index] ?? null })),
    ),
  );
  for (const [index, quoteId] of quoteIds.entries()) {
    const found = await two.payments.find(quoteId);
    expect(found?.reportText).toBe(reports[index]?.text.toWellFormed());
    expect(found?.tracking).toBe(ended.has(quoteId) ? 'watching' : 'active');
    const inMs = (found?.nextPollAt?.getTime() ?? 0) - (found?.createdAt.getTime() ?? 0);
    expect(inMs > 30_000).toBe(ended.has(quoteId));
    const { events = [] } = (await two.payments.eventsOf(quoteId)) ?? {};
    expect(events.map((body) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'payment.created',
      ended.has(quoteId) ? 'payment.completed' : 'payment.deposit_received',
    ]);
  }
});

it('lets only the faulty ones of a group fail: a text that is none, a removed payment, a claim that was taken over', async () => {
  const quoteIds = ids();
  const [faulty = '', removed = '', overtaken = '', ...others] = quoteIds;
  await db.query('INSERT INTO removed_payment (quote_uuid) VALUES ($1)', [removed]);
  const claim = await claimOf(overtaken);
  const add = (quoteId: string): Promise<unknown> => {
    const more = quoteId === faulty ? { orderId: 'nul \u0000' } : {};
    const lost = { ...claim, token: randomUUID() };
    return one.payments.add(paymentToAdd(quoteId, more), quoteId === overtaken ? lost : null);
  };
  const ended = await Promise.allSettled(quoteIds.map(add));
  const codes = ended.map((each) =>
    each.status === 'fulfilled' ? 'added' : (each.reason as { code: string }).code,
  );
  expect(codes).toEqual(['22P05', 'payment_removed', 'idempotency_busy', ...others.map(() => 'added')]);
  expect(await whole(quoteIds)).toEqual(allOf(others));
});

it('stores no quote whose claim a crash of the database has undone', async () => {
  const [quoteId = ''] = ids(1);
  const claim = await claimOf(quoteId);
  await db.query('DELETE FROM idempotency WHERE key = $1', [quoteId]);
  await expect(one.payments.add(paymentToAdd(quoteId), claim)).rejects.toMatchObject({
    code: 'idempotency_busy',
  });
  expect(await one.payments.find(quoteId)).toBeNull();
  expect(await two.payments.add(paymentToAdd(quoteId), await claimOf(quoteId, two))).toMatchObject({
    isNew: true,
  });
});

it('keeps nobody waiting for a row that another session holds but who needs it', async () => {
  const quoteIds = ids(6);
  const [held = '', ...others] = quoteIds;
  const hold = `INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at,
      part_digests, report_digest, stalls, contradictions)
    VALUES ('http', $1, 'AWAITING_DEPOSIT', false, 0, 'active', now(), now(), now(), '', '', '{}', '{}')`;
  let isOver = false;
  let waiting: Promise<unknown> | undefined;
  const work = async (): Promise<void> => {
    waiting = one.payments.add(paymentToAdd(held)).finally(() => {
      isOver = true;
    });
    await Promise.all(others.map((quoteId) => one.payments.add(paymentToAdd(quoteId))));
    // Later groups do not wait either.
    await one.payments.add(paymentToAdd(randomUUID()));
    expect(isOver).toBe(false);
    expect(await whole(others)).toEqual(allOf(others));
  };
  await whileHeld(db, [hold, [held]], work, 'ROLLBACK');
  expect(await waiting).toMatchObject({ isNew: true });
  expect(await whole([held])).toEqual(allOf([held]));
});

it('finds each of many payments that are asked for at once, and none that is not stored', async () => {
  const quoteIds = ids(5);
  const [missing = '', ...stored] = quoteIds;
  await Promise.all(stored.map((quoteId) => one.payments.add(paymentToAdd(quoteId))));
  await db.query('INSERT INTO removed_payment (quote_uuid) VALUES ($1)', [missing]);
  const asked = [randomUUID(), ...quoteIds, ...stored];
  const read = await Promise.all(asked.map((quoteId) => two.payments.read(quoteId)));
  const payments = stored.map((quoteId) => expect.objectContaining({ quoteId }));
  expect(read).toEqual(['unknown', 'removed', ...payments, ...payments]);
});

it('answers each of a group with its own first poll, where some are stored already or are not polled', async () => {
  const unwatched = storesOn(await openDataSource(db), { lateWatchMs: 0 });
  const quoteIds = ids(9);
  await Promise.all([1, 4].map((index) => one.payments.add(paymentToAdd(quoteIds[index] ?? ''))));
  const given = quoteIds.map((quoteId, index) => {
    const text = JSON.stringify({ quoteId, status: index % 3 === 0 ? 'FAILED' : 'EXECUTING' });
    return paymentToAdd(quoteId, { quoteText: null, report: reportOf(text) });
  });
  const added = await Promise.all(given.map((payment) => unwatched.payments.add(payment)));
  const read = await Promise.all(quoteIds.map((quoteId) => two.payments.read(quoteId)));
  const isNew = (index: number) => index !== 1 && index !== 4;
  expect(added).toMatchObject(
    read.map((payment, index) => (isNew(index) ? { isNew: true, payment } : { isNew: false })),
  );
  expect(read[0]).toMatchObject({ status: 'FAILED', tracking: 'closed', nextPollAt: null });
});

const HOLD_KEY = `SELECT FROM idempotency WHERE key = $1 FOR UPDATE`;

function begin(key: string): Promise<{ readonly kind: string }> {
  return one.idempotency.begin('shop', key, 'hash', 60_000);
}

it('begins with other keys while one that came alone waits for its row', async () => {
  const held = randomUUID();
  await begin(held);
  let waiting: Promise<unknown> | undefined;
  await whileHeld(db, [HOLD_KEY, [held]], async () => {
    waiting = begin(held);
    await untilLocked(db);
    expect(await begin(randomUUID())).toMatchObject({ kind: 'claimed' });
  });
  expect(await waiting).toEqual({ kind: 'busy' });
});

it('begins with other keys of a group of which one has to wait for its row', async () => {
  const held = randomUUID();
  await begin(held);
  let waiting: Promise<unknown> | undefined;
  await whileHeld(db, [HOLD_KEY, [held]], async () => {
    waiting = begin(held);
    const others = await Promise.all([begin(randomUUID()), begin(randomUUID())]);
    expect(others.map(({ kind }) => kind)).toEqual(['claimed', 'claimed']);
  });
  expect(await waiting).toEqual({ kind: 'busy' });
});

it('locks the rows of keys in one order, whoever came first', async () => {
  const [first = '', last = ''] = [randomUUID(), randomUUID()].toSorted();
  const [claimOfFirst, claimOfLast] = [await claimOf(first), await claimOf(last)];
  let waiting: Promise<unknown> | undefined;
  await whileHeld(db, [HOLD_KEY, [first]], async () => {
    waiting = Promise.all([
      one.payments.add(paymentToAdd(randomUUID()), claimOfLast),
      one.payments.add(paymentToAdd(randomUUID()), claimOfFirst),
    ]);
    await untilLocked(db);
    const [free] = await db.query(`SELECT FROM idempotency WHERE key = $1 FOR UPDATE SKIP LOCKED`, [last]);
    expect(free).toBeDefined();
  });
  expect(await waiting).toMatchObject([{ isNew: true }, { isNew: true }]);
});
