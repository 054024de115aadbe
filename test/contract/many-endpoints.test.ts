import { randomUUID } from 'node:crypto';

import { beforeAll, expect, it } from '@jest/globals';

import { DeliveryWatch } from '../../src/features/delivery/delivery-watch.ts';
import { Dispatcher } from '../../src/features/delivery/dispatcher.ts';
import { DueProbe } from '../../src/features/delivery/due-targets.ts';
import { Destination, type Outcome, type DueDelivery, type Target } from '../../src/ports/deliveries.ts';
import type { TestDatabase } from '../support/database.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const PAYMENTS = 10;

/** Takes everything at once. */
class Shops extends Destination {
  readonly kind = 'webhook';
  readonly limits = { total: 600, perTarget: 10, timeoutMs: 1_000 };
  readonly lanePatienceMs = 60_000;
  readonly got: DueDelivery[] = [];

  constructor(private readonly ids: readonly string[]) {
    super();
  }
  targets(): Promise<readonly Target[]> {
    return Promise.resolve(this.ids.map((id) => ({ id, circuit: 'closed', recoveredForMs: null })));
  }
  deliver(delivery: DueDelivery): Promise<Outcome> {
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
  ({ db, one: here, two: elsewhere } = await openReplicas());
});

it.each([
  ['few endpoints, to which new deliveries are leased at once', 2],
  ['so many endpoints that all deliveries are claimed', 60],
])('%s: each gets every event once, from whatever replica', async (_what, endpoints) => {
  const ids = Array.from({ length: endpoints }, () => randomUUID());
  await db.query('DELETE FROM destination');
  await db.query(
    `INSERT INTO destination (id, kind, enabled, url) SELECT id, 'webhook', true, 'x' FROM unnest($1::uuid[]) AS t (id)`,
    [ids],
  );
  const shops = new Shops(ids);
  const watch = new DeliveryWatch(shops, new FakeMeter(), { now: () => new Date() });
  const dispatcher = new Dispatcher(
    shops,
    here.deliveries,
    here.wakeSignals.of('webhook'),
    watch,
    new DueProbe(here.deliveries),
  );
  here.wakeSignals.join(dispatcher);
  dispatcher.start();
  const got = (events: number): Promise<unknown> =>
    waitFor(() => shops.got.length >= events * endpoints, { what: 'every event at every endpoint' });
  for (let index = 0; index < PAYMENTS; index += 1) {
    await here.payments.add(paymentToAdd(randomUUID()));
    await elsewhere.payments.add(paymentToAdd(randomUUID()));
  }
  await got(2 * PAYMENTS);
  // No signal wakes it, and nothing is under way any more.
  await elsewhere.payments.add(paymentToAdd(randomUUID()));
  await got(2 * PAYMENTS + 1);
  await dispatcher.stop();
  const published = new Set(shops.got.map(({ destinationId, eventId }) => `${destinationId} ${eventId}`));
  expect(published.size).toBe((2 * PAYMENTS + 1) * endpoints);
  expect(shops.got).toHaveLength(published.size);
});
