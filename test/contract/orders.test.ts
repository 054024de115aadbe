import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { PostgresAttentionCounts } from '../../src/database/attention/attention.store.ts';
import { EVENT_SCHEMAS, schemaDocument } from '../../src/domain/event/event-schemas.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { moved, reportOf } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { schemaCheck } from '../support/schema-check.ts';
import { paymentToAdd } from '../support/stores.ts';

const DUPLICATE = { reason: 'duplicate', note: null, by: 'ops' } as const;

const { db, one, two } = await openReplicas();

async function added(orderId: string | null, status = 'AWAITING_DEPOSIT', stores = one): Promise<string> {
  const quoteId = randomUUID();
  const report = status === 'AWAITING_DEPOSIT' ? null : reportOf({ status });
  await stores.payments.add({ ...paymentToAdd(quoteId), orderId, report });
  return quoteId;
}

/** The newest event of a payment. */
async function lastOf(quoteId: string, stores = one): Promise<string> {
  return (await stores.payments.eventsOf(quoteId))?.events.at(-1) ?? '';
}

async function orderIn(quoteId: string): Promise<unknown> {
  return (JSON.parse(await lastOf(quoteId)) as { data: { order?: unknown } }).data.order;
}

describe('a completion of an order', () => {
  it.each([
    ['awaits its deposit', 'AWAITING_DEPOSIT', 'open'],
    ['is under way', 'EXECUTING', 'open'],
    ['completed', 'COMPLETED', 'completed'],
    ['expired', 'EXPIRED', null],
    ['failed', 'FAILED', null],
  ])('names another payment that %s', async (_, status, list) => {
    const orderId = randomUUID();
    const other = await added(orderId, status);
    const quoteId = await added(orderId);
    await moved(one, quoteId, 'COMPLETED');
    const named = { completed: [], open: [] };
    expect(await orderIn(quoteId)).toEqual(list === null ? undefined : { ...named, [list]: [other] });
  });

  it('names them, the newest first, where it was adopted as completed, and fits its schema', async () => {
    const orderId = `A "1",${randomUUID()},"metadata":`;
    const others = [await added(orderId), await added(orderId), await added(orderId, 'COMPLETED')];
    const quoteId = await added(orderId, 'COMPLETED');
    expect(await orderIn(quoteId)).toEqual({ completed: [others[2]], open: [others[1], others[0]] });
    expect(schemaCheck(EVENT_SCHEMAS.map(schemaDocument))(await lastOf(quoteId))).toBeNull();
  });

  it('names no payment of another order, of none, or that a person resolved as a duplicate', async () => {
    const orderId = randomUUID();
    await added(randomUUID(), 'COMPLETED');
    await added(null, 'COMPLETED');
    await one.payments.resolve(await added(orderId, 'COMPLETED'), DUPLICATE, []);
    expect(await orderIn(await added(orderId, 'COMPLETED'))).toBeUndefined();
    expect(await orderIn(await added(null, 'COMPLETED'))).toBeUndefined();
  });

  it('is named where a completed payment gets its order afterwards', async () => {
    const orderId = randomUUID();
    const [first, second] = [await added(orderId, 'COMPLETED'), await added(null, 'COMPLETED')];
    await one.payments.label(second, { orderId, metadata: null }, []);
    expect(await orderIn(second)).toEqual({ completed: [first], open: [] });
  });

  it('is seen by the later of two that complete at once', async () => {
    const orderId = randomUUID();
    const quoteIds = [await added(orderId), await added(orderId)] as const;
    let both: Promise<unknown> = Promise.resolve();
    await whileHeld(
      db,
      [`SELECT pg_advisory_xact_lock(hashtextextended('paybell order ' || $1, 0))`, [orderId]],
      async () => {
        both = Promise.all([moved(one, quoteIds[0], 'COMPLETED'), moved(two, quoteIds[1], 'COMPLETED')]);
        await untilLocked(db, 2);
      },
    );
    await both;
    const [first, second] = [await orderIn(quoteIds[0]), await orderIn(quoteIds[1])];
    const seen = [
      { completed: [], open: [quoteIds[1]] },
      { completed: [quoteIds[0]], open: [] },
    ];
    const other = [
      { completed: [quoteIds[1]], open: [] },
      { completed: [], open: [quoteIds[0]] },
    ];
    expect([seen, other]).toContainEqual([first, second]);
  });

  it('is a payment that a new quote of the order is warned of, unless it is a duplicate', async () => {
    const [paid, under, expired, orderId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await added(paid, 'COMPLETED');
    await added(under, 'EXECUTING');
    await added(expired, 'EXPIRED');
    await one.payments.resolve(await added(orderId, 'COMPLETED'), DUPLICATE, []);
    const warned = await Promise.all(
      [paid, under, expired, orderId, 'nobody'].map((id) => one.payments.hasPayment(id)),
    );
    expect(warned).toEqual([true, true, false, false, false]);
  });

  it('needs a person where another was completed, until all but one are resolved as duplicates', async () => {
    const attention = new PostgresAttentionCounts(one.database, one.rules);
    const open = async (): Promise<unknown> => {
      const { payments } = await one.payments.list({ paidTwice: true, limit: 10 });
      const { count, sums } = await attention.sums('paidTwice');
      return [
        (await attention.payments()).troubles.paidTwice.count,
        count,
        sums.length,
        payments.map(({ quoteId }) => quoteId),
      ];
    };
    await db.query('DELETE FROM payment');
    const orderId = randomUUID();
    const [first, second, third] = [
      await added(orderId),
      await added(orderId),
      await added(orderId),
    ] as const;
    await moved(one, second, 'COMPLETED');
    expect(await open()).toEqual([0, 0, 0, []]);
    await moved(one, first, 'COMPLETED');
    expect(await open()).toEqual([1, 2, 0, [second, first]]);
    await moved(one, third, 'COMPLETED');
    expect(await open()).toEqual([1, 3, 0, [third, second, first]]);
    await one.payments.resolve(third, DUPLICATE, []);
    await one.payments.resolve(first, { ...DUPLICATE, reason: 'other' }, []);
    expect(await open()).toEqual([1, 2, 0, [second, first]]);
    await one.payments.resolve(second, DUPLICATE, []);
    expect(await open()).toEqual([0, 0, 0, []]);
    await one.payments.resolve(third, null, []);
    expect(await open()).toEqual([1, 2, 0, [third, first]]);
  });

  it('is sent from memory with the same words', async () => {
    const orderId = randomUUID();
    const other = await added(orderId, 'COMPLETED');
    const destinationId = await addDestination(db, { eventTypes: ['payment.completed'] });
    const offers = [{ destinationId, free: 10, leaseMs: 1_000 }];
    const payment = { ...paymentToAdd(randomUUID()), orderId, report: reportOf({ status: 'COMPLETED' }) };
    const { deliveries } = await one.payments.add(payment, null, offers);
    await db.query('DELETE FROM delivery; DELETE FROM destination');
    expect(deliveries?.leased.at(-1)?.body).toContain(other);
  });

  it('names none where an id stands for many orders', async () => {
    const shared = (await openReplicas({ ordersAreUnique: false })).one;
    const orderId = randomUUID();
    await added(orderId, 'COMPLETED', shared);
    const quoteId = await added(orderId, 'COMPLETED', shared);
    expect(await lastOf(quoteId, shared)).not.toContain('"order":');
    const attention = new PostgresAttentionCounts(shared.database, shared.rules);
    expect([
      (await attention.payments()).troubles.paidTwice.count,
      await shared.payments.hasPayment(orderId),
    ]).toEqual([0, false]);
  });
});
