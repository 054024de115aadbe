import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { DueDelivery, Settlement } from '../../src/ports/deliveries.ts';
import type { TestDatabase } from '../support/database.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { closed, moved } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';
import { settled } from '../support/settlements.ts';

const LEASE_MS = 20_000;
const HOUR_MS = 3_600_000;
/** The only target of another kind than RabbitMQ; PostgreSQL finds its row first. */
const ANOTHER_ID = '0193a0c4-7c1e-7b6e-9d0e-000000000001';

describe('how far payments are', () => {
  let db: TestDatabase;
  let stores: Stores;
  let shop: string;

  beforeAll(async () => {
    ({ db, one: stores } = await openReplicas());
  });
  beforeEach(async () => {
    await db.query('DELETE FROM destination');
    shop = await addDestination(db);
  });

  async function added(): Promise<string> {
    const quoteId = randomUUID();
    await stores.payments.add(paymentToAdd(quoteId));
    return quoteId;
  }

  /** The endpoint answers all of its due deliveries. */
  async function answer(destinationId: string, httpStatus: number): Promise<void> {
    const due = await stores.deliveries.claim([{ destinationId, free: 100, isProbe: false }], LEASE_MS);
    await stores.deliveries.settle(due.map((delivery) => settlementOf(delivery, httpStatus)));
  }

  async function deliveriesOf(quoteId: string): Promise<unknown[]> {
    const [progress] = await stores.progresses.of([quoteId]);
    return (progress?.deliveries ?? []).map((each) => [
      each.endpointId,
      each.sequence,
      each.state,
      each.lastHttpStatus,
    ]);
  }

  it('have the last delivery of each endpoint that acknowledged everything', async () => {
    const quoteId = await added();
    await moved(stores, quoteId, 'DEPOSIT_RECEIVED');
    await answer(shop, 200);
    await answer(shop, 202);
    expect(await deliveriesOf(quoteId)).toEqual([[shop, 2, 'delivered', 202]]);
  });

  it('have the first delivery that is not acknowledged, whatever came after it', async () => {
    const quoteId = await added();
    await answer(shop, 200);
    await moved(stores, quoteId, 'DEPOSIT_RECEIVED');
    await moved(stores, quoteId, 'EXECUTING');
    await answer(shop, 503);
    expect(await deliveriesOf(quoteId)).toEqual([[shop, 2, 'pending', 503]]);
  });

  it('have one for each present endpoint, and none for a deleted one or for RabbitMQ', async () => {
    const warehouse = await addDestination(db);
    const former = await addDestination(db);
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    const quoteId = await added();
    await db.query('DELETE FROM destination WHERE id = $1', [former]);
    await answer(warehouse, 200);
    expect(new Set(await deliveriesOf(quoteId))).toEqual(
      new Set([
        [shop, 1, 'pending', null],
        [warehouse, 1, 'delivered', 200],
      ]),
    );
  });

  it('have the exchange’s first delivery that is not acknowledged, tried or not, or else the last', async () => {
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    const quoteId = await added();
    await moved(stores, quoteId, 'DEPOSIT_RECEIVED');
    const exchange = async (): Promise<unknown> => (await stores.progresses.of([quoteId]))[0]?.exchange;
    expect(await exchange()).toMatchObject({
      sequence: 1,
      type: 'payment.created',
      state: 'pending',
      attemptCount: 0,
      lastFailure: null,
      createdAt: expect.any(Date),
      nextAttemptAt: expect.any(Date),
      waitingFor: null,
    });
    await answer(EXCHANGE_ID, 200);
    expect(await exchange()).toMatchObject({ sequence: 2, state: 'pending', attemptCount: 0 });
    await answer(EXCHANGE_ID, 200);
    expect(await exchange()).toMatchObject({ sequence: 2, state: 'delivered', waitingFor: null });
  });

  it('have the exchange’s, whichever other kind has one target too', async () => {
    await addDestination(db, { id: ANOTHER_ID, kind: 'another' });
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    const quoteId = await added();
    await answer(ANOTHER_ID, 200);
    const [progress] = await stores.progresses.of([quoteId]);
    expect(progress?.exchange).toMatchObject({ destination: { kind: 'rabbitmq' }, state: 'pending' });
    expect(progress?.deliveries).toHaveLength(1);
  });

  it('have none of the exchange without RabbitMQ, or before it got an event', async () => {
    const before = await added();
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    const after = await added();
    const exchanges = async (): Promise<unknown[]> =>
      (await stores.progresses.of([before, after])).map(({ exchange }) => exchange?.sequence ?? null);
    expect(await exchanges()).toEqual([null, 1]);
    await db.query('UPDATE destination SET enabled = false WHERE id = $1', [EXCHANGE_ID]);
    expect(await exchanges()).toEqual([null, null]);
  });

  it('say when each is polled next, and that one that is over is not', async () => {
    const open = await added();
    const over = await added();
    await closed(stores, over);
    const [first, second, ...others] = await stores.progresses.of([over, 'nobody', open]);
    expect(first).toMatchObject({ quoteId: over, lastPolledAt: expect.any(Date), nextPollAt: null });
    expect(second).toMatchObject({ quoteId: open, lastPolledAt: null, nextPollAt: expect.any(Date) });
    expect(others).toEqual([]);
  });
});

function settlementOf(delivery: DueDelivery, httpStatus: number): Settlement {
  const trace = { address: '127.0.0.1:80', excerpt: null };
  if (httpStatus < 300) return settled(delivery, { kind: 'delivered', httpStatus, trace });
  const outcome = { kind: 'failed', failure: 'status', httpStatus, retryAfterMs: null, trace } as const;
  return settled(delivery, outcome, HOUR_MS);
}
