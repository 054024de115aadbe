import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresKnownDestinations } from '../../src/database/endpoints/known-destinations.store.ts';
import type { DueDelivery, Outcome } from '../../src/ports/deliveries.ts';
import type { TestDatabase } from '../support/database.ts';
import { DESTINATION_KINDS, EXCHANGE_ID } from '../support/destination-kinds.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { endpointsOn, paymentToAdd, type Stores } from '../support/stores.ts';

const LEASE_MS = 20_000;
const NACK: Outcome = {
  kind: 'failed',
  failure: 'nack',
  httpStatus: null,
  retryAfterMs: null,
  isStored: true,
};
const TAKEN: Outcome = { kind: 'delivered', httpStatus: null };

let db: TestDatabase;
let stores: Stores;
let destinations: PostgresKnownDestinations;
let shop: string;

beforeAll(async () => {
  ({ db, one: stores } = await openReplicas());
  destinations = new PostgresKnownDestinations(stores.database, DESTINATION_KINDS);
});
beforeEach(async () => {
  await db.query('DELETE FROM destination');
  await db.query('DELETE FROM delivery');
  shop = await addDestination(db);
  await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
});

async function publish(outcome: Outcome): Promise<readonly DueDelivery[]> {
  await stores.payments.add(paymentToAdd(randomUUID(), { orderId: 'A-1' }));
  const due = await stores.deliveries.claim(
    [{ destinationId: EXCHANGE_ID, free: 9, isProbe: false }],
    LEASE_MS,
  );
  const common = { holdsLane: true, lanePatienceMs: null, ageMs: 5, durationMs: 3 };
  await stores.deliveries.settle(
    due.map((delivery) => ({
      ...common,
      delivery,
      outcome,
      retryInMs: outcome.kind === 'failed' ? 3_600_000 : null,
    })),
  );
  return due;
}

describe('all destinations', () => {
  it('have the time of the last test that was acknowledged, at the URL that was tried', async () => {
    const endpoints = endpointsOn(stores);
    const testedAt = async () => (await destinations.list()).find(({ id }) => id === shop)?.testedAt;
    const url = (await endpoints.find(shop))?.url ?? '';
    await endpoints.recordTestDelivered({
      id: shop,
      url: 'https://other.example',
      description: null,
      secrets: [],
    });
    expect(await testedAt()).toBeNull();
    await endpoints.recordTestDelivered({ id: shop, url, description: null, secrets: [] });
    expect(await testedAt()).toEqual(expect.any(Date));
  });

  it('are the exchange first, by its name, then the endpoints', async () => {
    const all = await destinations.list();
    expect(all.map(({ id, kind, name, url }) => [id, kind, name, url])).toEqual([
      ['rabbitmq', 'rabbitmq', 'RabbitMQ, exchange shop-payments', null],
      [shop, 'webhook', expect.any(String), expect.any(String)],
    ]);
    expect(all[0]).toMatchObject({ rowId: EXCHANGE_ID, circuit: 'closed', pending: 0, lastFailure: null });
  });

  it('are the endpoints alone while nothing is published to RabbitMQ', async () => {
    await db.query('UPDATE destination SET enabled = false WHERE id = $1', [EXCHANGE_ID]);
    expect((await destinations.list()).map(({ id }) => id)).toEqual([shop]);
  });

  it('have what waits, what was refused and how it failed last, until it is taken', async () => {
    const [refused] = await publish(NACK);
    await publish(TAKEN);
    const [exchange] = await destinations.list();
    expect(exchange).toMatchObject({
      pending: 1,
      isMore: false,
      oldestPendingAt: expect.any(Date),
      refused: {
        payments: 1,
        since: expect.any(Date),
        examples: [{ quoteId: refused?.quoteId, orderId: 'A-1' }],
      },
      lastDeliveredAt: expect.any(Date),
      lastFailure: { at: expect.any(Date), failure: 'nack', httpStatus: null, deliveryId: refused?.id },
    });
    const { lastDeliveredAt, refused: still } = exchange ?? {};
    expect(Number(lastDeliveredAt)).toBeGreaterThan(Number(still?.since));
    await db.query(`UPDATE delivery SET due_at = now() WHERE destination_id = $1 AND state = 'pending'`, [
      EXCHANGE_ID,
    ]);
    await publish(TAKEN);
    expect((await destinations.list())[0]).toMatchObject({
      pending: 0,
      refused: { payments: 0 },
      lastFailure: null,
    });
  });
});
