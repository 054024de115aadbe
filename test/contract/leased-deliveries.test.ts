import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  Destination,
  type DueDelivery,
  type Outcome,
  type Settlement,
  type Target,
} from '../../src/ports/deliveries.ts';
import type { Poll } from '../../src/ports/schedule.ts';
import type { TestDatabase } from '../support/database.ts';
import { OfferingTaker } from '../support/offering-taker.ts';
import { claimed, moved, pollResult, says } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';
import { done, failed, settled } from '../support/settlements.ts';
import { DeliveryWatch } from '../../src/features/delivery/delivery-watch.ts';
import { Dispatcher } from '../../src/features/delivery/dispatcher.ts';
import { DueProbe } from '../../src/features/delivery/due-targets.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const LEASE_MS = 20_000;

let endpoint: string;
const takers = [new OfferingTaker(LEASE_MS), new OfferingTaker(LEASE_MS)] as const;
const [taker] = takers;

const { db, one, two } = await openReplicas();
beforeAll(async () => {
  for (const [index, { wakeSignals }] of replicas().entries())
    wakeSignals.join(takers[index] as OfferingTaker);
});
beforeEach(async () => {
  await db.query('DELETE FROM destination');
  endpoint = await addDestination(db);
  taker.endpoint = endpoint;
  taker.free = 10;
  taker.takeAll();
  taker.noted.length = 0;
});

async function added(orderId: string | null = null): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add({ ...paymentToAdd(quoteId), orderId });
  return quoteId;
}

function claim(stores = two): Promise<DueDelivery[]> {
  return stores.deliveries.claim([{ destinationId: endpoint, free: 10, isProbe: false }], LEASE_MS);
}

/** Lets every lease become older by this time. */
function pass(ms: number): Promise<unknown> {
  return db.query(`UPDATE delivery SET due_at = due_at - $1 * interval '1 millisecond' WHERE leased`, [ms]);
}

function settle(delivery: DueDelivery, settlement = done(delivery)): Promise<unknown> {
  return one.deliveries.settle([settlement]);
}

/** A delivery without the parts that the database's clock decides. */
function withoutTime({ token: _token, resumeInMs: _resume, ...delivery }: DueDelivery): object {
  return delivery;
}

describe('a delivery that is inserted leased', () => {
  it('is given to the process that recorded the event, as a claim would read it, and is claimed by nobody', async () => {
    const quoteId = await added('order-7 \ud83d\ude00');
    const [leased, ...more] = taker.takeAll();
    expect(leased).toMatchObject({ destinationId: endpoint, quoteId, type: 'payment.created', sequence: 1 });
    expect([more, taker.noted, await claim()]).toEqual([[], [], []]);
    await pass(LEASE_MS);
    const [claimed] = await claim();
    expect(withoutTime(leased as DueDelivery)).toEqual(withoutTime(claimed as DueDelivery));
  });

  it('is so for quotes, polls and what a shop changes', async () => {
    const quoteId = await added();
    const types: string[] = [];
    const deliver = async (): Promise<void> => {
      for (const each of taker.takeAll()) {
        types.push(each.type);
        await settle(each);
      }
    };
    await deliver();
    await moved(one, quoteId, 'EXECUTING');
    await deliver();
    await one.payments.label(quoteId, { orderId: 'A-17', metadata: null });
    const [updated] = taker.takeAll();
    expect(updated).toMatchObject({ type: 'payment.updated', orderId: 'A-17', sequence: 3 });
    expect(types).toEqual(['payment.created', 'payment.executing']);
  });

  it('waits in its lane behind a pending one, and becomes due when that is settled', async () => {
    const quoteId = await added();
    const [first] = taker.takeAll();
    await moved(one, quoteId, 'EXECUTING');
    expect([taker.takeAll(), taker.noted, await claim()]).toEqual([[], [], []]);
    expect(await settle(first as DueDelivery)).toMatchObject({ dueTargets: [endpoint] });
    expect((await claim()).map(({ sequence }) => sequence)).toEqual([2]);
  });

  it('keeps its first failure and its attempts as one that was claimed does', async () => {
    await added();
    const [leased] = taker.takeAll();
    await settle(leased as DueDelivery, failed(leased as DueDelivery, 0));
    const [again] = await claim();
    expect(again).toMatchObject({ attempts: 1, retries: 1 });
    expect(await db.query('SELECT 1 FROM delivery WHERE first_attempt_at IS NOT NULL')).toHaveLength(1);
  });

  it('is due at once for all when it is returned', async () => {
    await added();
    const [leased] = taker.takeAll();
    await settle(leased as DueDelivery, settled(leased as DueDelivery, { kind: 'held', retryInMs: 0 }));
    expect(await claim()).toMatchObject([{ id: leased?.id, attempts: 0, retries: 0 }]);
  });
});

describe('two polls of one payment that are recorded together', () => {
  it.each([[0, 1] as const, [1, 0] as const])(
    'send the event of the one that counts, with the bytes that are stored (in the order %i, %i)',
    async (...order) => {
      const quoteId = await added();
      await settle(taker.takeAll()[0] as DueDelivery);
      const polls: Poll[] = [];
      // One after the other: of two concurrent claims, the earlier one may find that the payment was just polled.
      for (const txHash of ['overtaken', 'kept']) {
        polls.push(pollResult(await claimed(one, quoteId), says('COMPLETED', { txHash })));
      }
      await one.schedule.record(order.map((index) => polls[index] as Poll));
      const [leased] = taker.takeAll();
      expect(leased?.type).toBe('payment.completed');
      expect(await db.query('SELECT body FROM event WHERE id = $1', [leased?.eventId])).toEqual([
        { body: leased?.body },
      ]);
    },
  );
});

describe('the others', () => {
  it('are due: those beyond the offer, of other endpoints, and without an offer', async () => {
    const other = await addDestination(db);
    taker.free = 2;
    const quoteIds = Array.from({ length: 5 }, () => randomUUID());
    const settled = await Promise.all(quoteIds.map((id) => one.payments.add(paymentToAdd(id))));
    expect(settled.every(({ isNew }) => isNew)).toBe(true);
    const leased = taker.takeAll();
    const due = await claim();
    expect(leased.length + due.length).toBe(5);
    expect(new Set(leased.map(({ destinationId }) => destinationId))).toEqual(new Set([endpoint]));
    expect(new Set([...leased, ...due].map((each) => each.quoteId)).size).toBe(5);
    expect(taker.noted).toContain(other);
    taker.free = 0;
    taker.noted.length = 0;
    await added();
    expect(taker.takeAll()).toEqual([]);
    expect(new Set(taker.noted)).toEqual(new Set([endpoint, other]));
  });

  it('stay leased to nobody when the endpoint is disabled or does not want the event', async () => {
    await db.query('UPDATE destination SET enabled = false WHERE id = $1', [endpoint]);
    await added();
    await db.query(
      `UPDATE destination SET enabled = true, event_types = '{payment.completed}' WHERE id = $1`,
      [endpoint],
    );
    await added();
    expect([taker.takeAll(), taker.noted]).toEqual([[], []]);
  });

  it('that wait for a retry are due when a new event comes into their lane', async () => {
    const quoteId = await added();
    const [leased] = taker.takeAll();
    await settle(leased as DueDelivery, failed(leased as DueDelivery, 3_600_000));
    taker.noted.length = 0;
    await db.query(`UPDATE delivery SET last_attempt_at = last_attempt_at - interval '5 s'`);
    await moved(one, quoteId, 'EXECUTING');
    expect([taker.takeAll(), taker.noted]).toEqual([[], [endpoint]]);
    expect((await claim()).map(({ sequence }) => sequence)).toEqual([1]);
  });
});

const STEPS = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'] as const;
const PAYMENTS = 6;
const MAX_ROUNDS = 60;

/** How an attempt ends: `late` fails and no longer holds its lane, `lost` is given up, `back` was not tried. */
type End = 'delivered' | 'again' | 'late' | 'lost' | 'back';
const ENDS: readonly End[] = ['delivered', 'delivered', 'again', 'late', 'lost', 'back'];

interface Published {
  readonly sequence: number;
  readonly end: End;
}

/** The stores of each replica. */
const replicas = (): Stores[] => [one, two];

/** Two replicas, an endpoint, some payments, and the results of the attempts in the order of their claims. */
class World {
  readonly endpoint = randomUUID();
  readonly published = new Map<string, Published[]>();
  private readonly ends: End[];

  constructor(
    ends: readonly End[],
    private readonly free: number,
  ) {
    this.ends = [...ends];
  }

  async open(): Promise<void> {
    await db.query('DELETE FROM destination');
    await addDestination(db, { id: this.endpoint });
    for (const each of takers) Object.assign(each, { endpoint: this.endpoint, free: this.free });
    for (let index = 0; index < PAYMENTS; index += 1) {
      const quoteId = randomUUID();
      this.published.set(quoteId, []);
      await one.payments.add(paymentToAdd(quoteId));
    }
  }

  async record(stores: Stores, status: string): Promise<void> {
    const polls = await Promise.all(
      [...this.published.keys()].map(async (quoteId) =>
        pollResult(await claimed(stores, quoteId), says(status)),
      ),
    );
    await stores.schedule.record(polls);
  }

  /**
   * Claims deliveries, and settles them together with those that were leased at once. When no choices are left, every attempt
   * succeeds.
   */
  async deliver(stores: Stores): Promise<number> {
    const owed = await stores.deliveries.claim(
      [{ destinationId: this.endpoint, free: 3, isProbe: false }],
      LEASE_MS,
    );
    owed.push(...(takers[replicas().indexOf(stores)]?.takeAll() ?? []));
    await stores.deliveries.settle(owed.map((delivery) => this.settlement(delivery)));
    return owed.length;
  }

  private settlement(delivery: DueDelivery): Settlement {
    const end = this.ends.pop() ?? 'delivered';
    this.published.get(delivery.quoteId)?.push({ sequence: delivery.sequence, end });
    if (end === 'delivered') return done(delivery);
    if (end === 'back') return settled(delivery, { kind: 'held', retryInMs: 0 });
    return failed(delivery, end === 'lost' ? null : 0, end !== 'late');
  }
}

/** Event n+1 comes only after event n was delivered, given up or let go; every event comes that is not given up. */
function checkOrder(published: readonly Published[]): void {
  const over = new Set<number>();
  const ended = new Set<number>();
  for (const { sequence, end } of published) {
    for (let before = 1; before < sequence; before += 1) expect([...over]).toContain(before);
    expect([...ended]).not.toContain(sequence);
    if (end === 'delivered' || end === 'lost') ended.add(sequence);
    if (end !== 'again' && end !== 'back') over.add(sequence);
  }
  expect([...ended].toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
}

describe('the lanes of an endpoint, with two replicas that record and deliver at the same time', () => {
  it.each([
    ['claims them all', 0],
    ['gets two of each new group', 2],
    ['gets all new ones', PAYMENTS],
  ])(
    'keep the order of each payment and strand nothing, however attempts end, when it %s',
    async (_what, free) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom(...ENDS), { maxLength: 60 }),
          fc.array(fc.array(fc.nat(2), { maxLength: 4 }), { minLength: 3, maxLength: 3 }),
          async (ends, plan) => {
            const world = new World(ends, free);
            await world.open();
            for (const [step, deliveries] of plan.entries()) {
              const [recorder, other] = step % 2 === 0 ? [one, two] : [two, one];
              await Promise.all([
                world.record(recorder, STEPS[step] ?? 'COMPLETED'),
                ...deliveries.map((which) => world.deliver(which === 0 ? recorder : other)),
              ]);
            }
            for (let round = 0, idle = 0; idle < 2; round += 1) {
              if (round > MAX_ROUNDS) throw new Error('it never ends');
              const counts = await Promise.all(replicas().map((stores) => world.deliver(stores)));
              idle = counts.every((count) => count === 0) ? idle + 1 : 0;
            }
            for (const published of world.published.values()) checkOrder(published);
          },
        ),
        { numRuns: 8 },
      );
    },
    120_000,
  );
});

describe('a dispatcher', () => {
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
    // No signal wakes the dispatcher, and it has no attempt in flight.
    await elsewhere.payments.add(paymentToAdd(randomUUID()));
    await got(2 * PAYMENTS + 1);
    await dispatcher.stop();
    const published = new Set(shops.got.map(({ destinationId, eventId }) => `${destinationId} ${eventId}`));
    expect(published.size).toBe((2 * PAYMENTS + 1) * endpoints);
    expect(shops.got).toHaveLength(published.size);
  });
});
