import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { DeliveryWatch } from '../../src/dispatch/delivery-watch.ts';
import { Dispatcher } from '../../src/dispatch/dispatcher.ts';
import { Destination, type Outcome, type OwedDelivery, type Target } from '../../src/ports/deliveries.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { paymentToAdd, storesOn, type Stores } from '../support/stores.ts';
import { waitFor } from '../support/wait-for.ts';

const ENDPOINTS = 60;
const PAYMENTS = 10;

/** Takes everything at once. */
class Shops extends Destination {
  readonly kind = 'webhook';
  readonly limits = { total: 600, perTarget: 10, timeoutMs: 1_000 };
  readonly lanePatienceMs = 60_000;
  readonly got: OwedDelivery[] = [];

  constructor(private readonly ids: readonly string[]) {
    super();
  }
  targets(): Promise<readonly Target[]> {
    return Promise.resolve(this.ids.map((id) => ({ id, circuit: 'closed', recoveredForMs: null })));
  }
  heard(): void {
    // Nothing fails.
  }
  deliver(delivery: OwedDelivery): Promise<Outcome> {
    this.got.push(delivery);
    return Promise.resolve({ kind: 'delivered', httpStatus: 204 });
  }
  retryInMs(): number {
    return 1_000;
  }
}

let db: TestDatabase;
let here: Stores;
let elsewhere: Stores;

beforeAll(async () => {
  db = await createTestDatabase();
  here = storesOn(await db.dataSource());
  elsewhere = storesOn(await db.dataSource());
});
afterAll(() => db.drop());

it('so many endpoints that not all are asked for: each gets every event once, from whatever replica', async () => {
  const ids = Array.from({ length: ENDPOINTS }, () => randomUUID());
  await db.query(
    `INSERT INTO destination (id, kind, enabled, url) SELECT id, 'webhook', true, 'x' FROM unnest($1::uuid[]) AS t (id)`,
    [ids],
  );
  const shops = new Shops(ids);
  const watch = new DeliveryWatch('webhook', new FakeMeter(), { now: () => new Date() });
  const dispatcher = new Dispatcher(shops, here.deliveries, here.bells.webhook, watch);
  dispatcher.start();
  for (let index = 0; index < PAYMENTS; index += 1) {
    await here.payments.add(paymentToAdd(randomUUID()));
    await elsewhere.payments.add(paymentToAdd(randomUUID()));
  }
  await waitFor(() => shops.got.length >= 2 * PAYMENTS * ENDPOINTS, {
    what: 'every event at every endpoint',
  });
  await dispatcher.stop();
  expect(new Set(shops.got.map(({ destinationId, eventId }) => `${destinationId} ${eventId}`)).size).toBe(
    2 * PAYMENTS * ENDPOINTS,
  );
  expect(shops.got).toHaveLength(2 * PAYMENTS * ENDPOINTS);
});
