import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresUntoldPayments } from '../../src/database/attention/untold.store.ts';
import type { UntoldPayments } from '../../src/ports/untold-payments.ts';
import { NOBODY } from '../../src/domain/event/told.ts';
import { DESTINATION_KINDS, EXCHANGE_ID } from '../support/destination-kinds.ts';
import { addDestination, emptyTables, OF_PAYMENTS, openReplicas } from '../support/replicas.ts';
import { moved } from '../support/poll-results.ts';
import { endpointsOn, paymentToAdd } from '../support/stores.ts';

let untold: UntoldPayments;

const { db, one: stores } = await openReplicas();
beforeAll(async () => {
  untold = new PostgresUntoldPayments(stores.database, DESTINATION_KINDS);
});
beforeEach(() => emptyTables(db, ...OF_PAYMENTS));

async function payment(): Promise<string> {
  const quoteId = randomUUID();
  await stores.payments.add(paymentToAdd(quoteId));
  return quoteId;
}

const age = (seconds = 31): Promise<unknown> =>
  db.query(`UPDATE delivery SET created_at = now() - $1 * interval '1 second'`, [seconds]);

/** The number of payments in all, and of each destination by its name. */
async function seen(): Promise<unknown[]> {
  const { count, destinations } = await untold.now();
  const { payments } = await stores.payments.list({ undelivered: true, limit: 100 });
  expect(payments).toHaveLength(count);
  return [count, Object.fromEntries(destinations.map((each) => [each.destination.name, each.count]))];
}

describe('payments that a destination has not been told of', () => {
  it('are those with an event older than 30 s that it has not acknowledged, whatever the reason', async () => {
    const shop = await addDestination(db);
    await payment();
    expect(await seen()).toEqual([0, {}]);
    await age(29);
    expect(await seen()).toEqual([0, {}]);
    await age();
    expect(await seen()).toEqual([1, { x: 1 }]);
    for (const state of [`lane_state = 'waiting'`, `last_failure = 'status'`, `state = 'failed'`]) {
      await db.query(`UPDATE delivery SET ${state}`);
      expect(await seen()).toEqual([1, { x: 1 }]);
    }
    await db.query(`UPDATE delivery SET state = 'delivered' WHERE destination_id = $1`, [shop]);
    expect(await seen()).toEqual([0, {}]);
  });

  it('are counted once in all, and at each destination, with the time of the oldest event', async () => {
    await addDestination(db);
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    await payment();
    await age(60);
    const quoteId = await payment();
    await age(60);
    await db.query(
      `UPDATE delivery SET state = 'delivered' WHERE destination_id = $1
      AND payment_id = (SELECT id FROM payment WHERE quote_id = $2)`,
      [EXCHANGE_ID, quoteId],
    );
    expect(await seen()).toEqual([2, { x: 2, 'RabbitMQ (exchange shop-payments)': 1 }]);
    const { since, destinations } = await untold.now();
    expect(Date.now() - (since?.getTime() ?? 0)).toBeGreaterThan(59_000);
    expect(destinations.map(({ destination }) => [destination.kind, destination.id])).toEqual([
      ['webhook', expect.any(String)],
      ['rabbitmq', 'rabbitmq'],
    ]);
  });

  it('are also those whose events a disabled endpoint did not get, until it has acknowledged them', async () => {
    const shop = await addDestination(db, { enabled: false });
    await addDestination(db, { eventTypes: ['payment.failed'] });
    await payment();
    await age();
    expect(await seen()).toEqual([1, { x: 1 }]);
    await db.query(`UPDATE destination SET enabled = true WHERE id = $1`, [shop]);
    expect(await seen()).toEqual([1, { x: 1 }]);
    await db.query(`UPDATE delivery SET state = 'delivered'`);
    expect(await seen()).toEqual([0, {}]);
  });

  it.each([
    ['pending', true, '2 pending head due'],
    ['failed', true, '2 pending head due'],
    ['discarded', false, '2 discarded waiting'],
  ])(
    'are not those with a %s event of a type that its endpoint no longer wants, and its lane goes on',
    async (state, enabled, next) => {
      const shop = await addDestination(db, { enabled });
      const quoteId = await payment();
      await moved(stores, quoteId, 'COMPLETED');
      await db.query(`UPDATE delivery SET state = $1, due_at = NULL WHERE sequence = 1`, [state]);
      await age();
      expect(await seen()).toEqual([1, { x: 1 }]);
      const endpoints = endpointsOn(stores);
      await endpoints.change(shop, { eventTypes: ['payment.completed'] });
      const left = await db.query<{ it: string }>(
        `SELECT concat_ws(' ', sequence, state, lane_state, CASE WHEN due_at <= now() THEN 'due' END) AS it FROM delivery`,
      );
      expect(left).toEqual([{ it: next }]);
      await endpoints.change(shop, { eventTypes: ['payment.failed'] });
      expect(await seen()).toEqual([0, {}]);
      expect(await endpoints.find(shop)).toMatchObject({ unsent: { count: 0 }, pending: 0 });
    },
  );

  it('are not those whose event was recorded while its type was taken from the endpoint, once an hour is over', async () => {
    const shop = await addDestination(db, { enabled: false });
    await payment();
    await age();
    await db.query(`UPDATE destination SET event_types = '{payment.failed}' WHERE id = $1`, [shop]);
    expect(await seen()).toEqual([1, { x: 1 }]);
    expect(await stores.retention.removeUnwanted()).toBe(1);
    expect(await seen()).toEqual([0, {}]);
  });

  it('begin with the time of an event, from which a recovery sends all of them', async () => {
    const quoteId = await payment();
    await db.query(`UPDATE event SET time = time - interval '32 s'`);
    await age();
    const [events] = (await untold.of([quoteId])).get(quoteId) ?? [];
    const shop = await addDestination(db);
    expect(await stores.replays.count(shop, events?.since ?? new Date())).toEqual({ count: 1, exact: true });
  });

  it('are not those whose events no endpoint asked for', async () => {
    await addDestination(db, { enabled: false, eventTypes: ['payment.failed'] });
    await addDestination(db, { eventTypes: ['payment.failed'] });
    await payment();
    await age();
    expect(await seen()).toEqual([0, {}]);
    expect(await db.query('SELECT 1 FROM delivery')).toEqual([]);
  });

  it('are those whose only endpoints ask for operational events: they are no receiver', async () => {
    await addDestination(db, { eventTypes: ['attention.opened', 'attention.closed'] });
    const quoteId = await payment();
    await age();
    expect(await untold.of([quoteId])).toEqual(
      new Map([
        [quoteId, [expect.objectContaining({ destination: expect.objectContaining({ kind: 'nobody' }) })]],
      ]),
    );
  });

  it('are those with events that had no receiver, until some destination has acknowledged them', async () => {
    const quoteId = await payment();
    expect(await untold.withoutReceiver()).toBe(1);
    await age();
    expect(await seen()).toEqual([1, { 'no receiver': 1 }]);
    expect([...(await untold.of([quoteId])).values()]).toMatchObject([
      [{ destination: { id: null, kind: 'nobody' }, events: 1, sequence: 1 }],
    ]);
    const shop = await addDestination(db);
    expect(await seen()).toEqual([1, { 'no receiver': 1 }]);
    await db.query(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state)
       SELECT $1, payment_id, event_position, sequence, 'delivered', 'head' FROM delivery WHERE destination_id = $2`,
      [shop, NOBODY],
    );
    expect(await seen()).toEqual([0, {}]);
    expect((await untold.of([quoteId])).size).toBe(0);
  });

  it('are those of a deleted endpoint too, until another has acknowledged the events', async () => {
    const [gone, other] = [await addDestination(db), await addDestination(db)];
    await payment();
    await age();
    await db.query(`DELETE FROM destination WHERE id = $1`, [gone]);
    await db.query(`UPDATE delivery SET state = 'discarded' WHERE destination_id = $1`, [gone]);
    expect(await seen()).toEqual([1, { x: 1, 'a deleted webhook endpoint': 1 }]);
    await db.query(`UPDATE delivery SET state = 'delivered' WHERE destination_id = $1`, [other]);
    expect(await seen()).toEqual([0, {}]);
  });

  it('are not those of the exchange once publishing is off and another has acknowledged the events', async () => {
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    const shop = await addDestination(db);
    await payment();
    await age();
    await db.query(`UPDATE destination SET enabled = false WHERE id = $1`, [EXCHANGE_ID]);
    await db.query(`UPDATE delivery SET state = 'delivered' WHERE destination_id = $1`, [shop]);
    expect(await seen()).toEqual([0, {}]);
  });

  it.each(['none', 'shop', 'exchange'] as const)(
    'are not those that a person has settled otherwise, but those that one has released, where %s is the destination',
    async (which) => {
      if (which === 'shop') await addDestination(db);
      if (which === 'exchange') await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
      const quoteId = await payment();
      await age();
      for (const [reason, count] of [
        ['refunded', 0],
        ['released', 1],
      ] as const) {
        await db.query(`UPDATE payment SET resolution = $1`, [JSON.stringify({ reason })]);
        expect([reason, (await seen())[0]]).toEqual([reason, count]);
        expect((await untold.of([quoteId])).size).toBe(count);
      }
    },
  );
});

describe('the count of untold payments', () => {
  async function fill(payments: number, events: number, state: string): Promise<void> {
    await db.query(
      `INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
         report_digest, stalls, contradictions)
       SELECT 'http', gen_random_uuid(), 'COMPLETED', false, $2, 'closed', now() - interval '1 hour', now(), now(), '', '', '{}', '{}'
       FROM generate_series(1, $1) n`,
      [payments, events],
    );
    await db.query(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, created_at)
       SELECT x.id, p.id, p.id * 10 + n, n, $2, 'waiting', now() - interval '1 hour'
       FROM payment p, generate_series(1, $1) n, destination x`,
      [events, state],
    );
  }

  it('is exact up to ten thousand at each destination, and says then that there are more', async () => {
    await addDestination(db);
    await fill(10_000, 2, 'pending');
    expect(await untold.now()).toMatchObject({
      count: 10_000,
      isMore: false,
      destinations: [{ count: 10_000, isMore: false }],
    });
    await payment();
    await age();
    expect(await untold.now()).toMatchObject({
      count: 10_000,
      isMore: true,
      destinations: [{ count: 10_000, isMore: true }],
    });
  });

  it('is the same whatever the statistics say', async () => {
    await addDestination(db);
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    await fill(3_000, 4, 'delivered');
    await db.query(
      `UPDATE delivery SET state = 'pending' WHERE destination_id <> $1 AND payment_id % 2 = 0`,
      [EXCHANGE_ID],
    );
    for (const analyze of [false, true]) {
      if (analyze) await db.query('VACUUM ANALYZE delivery, payment, event_entry');
      expect((await untold.now()).count).toBe(1_500);
    }
  });
});
