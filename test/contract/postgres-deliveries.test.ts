import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import type { DueDelivery, Outcome, Settlement, Slots } from '../../src/ports/deliveries.ts';
import { moved } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { endpointsOn, paymentToAdd } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { done, failed, settled } from '../support/settlements.ts';
import type { DeliveryDetail, LoggedAttempt } from '../../src/ports/delivery-log.ts';

const LEASE_MS = 20_000;
const STEPS = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'] as const;

let endpoint: string;

const { db, one, two } = await openReplicas();
beforeEach(async () => {
  await db.query('DELETE FROM destination');
  endpoint = await addDestination(db);
});

async function added(): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add(paymentToAdd(quoteId));
  return quoteId;
}

async function claim(stores = one, destinationId = endpoint, free = 10): Promise<DueDelivery[]> {
  return stores.deliveries.claim([{ destinationId, free, isProbe: false }], LEASE_MS);
}

const PATIENCE_MS = 20_000;

/** A failed attempt, whose lane waits with the patience of an endpoint. */
function refused(delivery: DueDelivery, retryInMs: number | null = 3_600_000): Settlement {
  return { ...failed(delivery, retryInMs), lanePatienceMs: PATIENCE_MS };
}

/** Moves the last attempts, and the times that follow from them, back by this interval. */
async function triedAgo(interval: string): Promise<void> {
  await db.query(
    `UPDATE delivery SET last_attempt_at = last_attempt_at - $1::interval, lane_due_at = lane_due_at - $1::interval,
       due_at = CASE WHEN lane_state = 'waiting' THEN due_at - $1::interval ELSE due_at END`,
    [interval],
  );
}

const numbers = (owed: readonly DueDelivery[]): number[] => owed.map((delivery) => delivery.sequence);

async function laneOf(quoteId: string): Promise<Record<string, unknown>[]> {
  return db.query(
    `SELECT d.sequence, d.state, d.lane_state, d.attempts, d.retries, d.due_at FROM delivery d JOIN payment p ON p.id = d.payment_id
     WHERE p.quote_id = $1 AND d.destination_id = $2 ORDER BY d.sequence`,
    [quoteId, endpoint],
  );
}

describe('the patience of a lane', () => {
  const PATIENCE = `${PATIENCE_MS} ms`;

  it('is over for all that wait at once, in order, whatever became of the first', async () => {
    const quoteId = await added();
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    await moved(one, quoteId, 'EXECUTING');
    await one.deliveries.settle((await claim()).map((each) => refused(each)));
    expect(await claim()).toEqual([]);
    expect(await one.deliveries.dueWithin([endpoint], PATIENCE_MS)).toHaveLength(1);
    await moved(one, quoteId, 'COMPLETED');
    await triedAgo(PATIENCE);
    expect(numbers(await claim())).toEqual([2, 3, 4]);
  });

  it('is the same for a lane whose first event has recovered or was given up meanwhile', async () => {
    const quoteId = await added();
    for (const step of STEPS) await moved(one, quoteId, step);
    await one.deliveries.settle((await claim()).map((each) => refused(each, 0)));
    await triedAgo('12 s');
    await one.deliveries.settle((await claim()).map(done));
    const second = await claim();
    expect(numbers(second)).toEqual([2]);
    await one.deliveries.settle(second.map((each) => refused(each, null)));
    const third = await claim();
    expect(numbers(third)).toEqual([3]);
    await one.deliveries.settle(third.map((each) => refused(each)));
    expect(await claim()).toEqual([]);
    await triedAgo('8 s');
    expect(numbers(await claim())).toEqual([4]);
  });

  it('stays over until the lane is empty: each keeps its own retries, and a later event joins without waiting', async () => {
    const quoteId = await added();
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    await one.deliveries.settle((await claim()).map((each) => refused(each)));
    await triedAgo(PATIENCE);
    await one.deliveries.settle((await claim()).map((each) => refused(each, 1_800_000)));
    await moved(one, quoteId, 'EXECUTING');
    const owed = await claim();
    // The new event brings the first delivery forward. The second delivery holds nothing back, and stays.
    expect(numbers(owed)).toEqual([1, 3]);
    await one.deliveries.settle(owed.map((each) => refused(each)));
    const lane = await laneOf(quoteId);
    expect(lane.map((row) => row['attempts'])).toEqual([2, 1, 1]);
    await moved(one, quoteId, 'COMPLETED');
    expect(numbers(await claim())).toEqual([4]);
    await db.query(`UPDATE delivery SET due_at = now() WHERE sequence = 1`);
    const first = await claim();
    expect(numbers(first)).toEqual([1]);
    await one.deliveries.settle(first.map(done));
    expect(await claim()).toEqual([]);
  });

  it('begins anew once the lane is empty', async () => {
    const quoteId = await added();
    await one.deliveries.settle((await claim()).map((each) => refused(each, 0)));
    await triedAgo(PATIENCE);
    await one.deliveries.settle((await claim()).map(done));
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    await moved(one, quoteId, 'EXECUTING');
    await one.deliveries.settle((await claim()).map((each) => refused(each)));
    expect(await claim()).toEqual([]);
    const [due] = await one.deliveries.dueWithin([endpoint], PATIENCE_MS);
    expect(due?.inMs).toBeGreaterThan(PATIENCE_MS - 5_000);
  });

  it('is claimed by no probe before it is over', async () => {
    const quoteId = await added();
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    const [first] = await claim();
    if (first === undefined) throw new Error('nothing is owed');
    await one.deliveries.settle([refused(first)]);
    const probe = await one.deliveries.claim([{ destinationId: endpoint, free: 5, isProbe: true }], LEASE_MS);
    expect(numbers(probe)).toEqual([1]);
    expect(
      await one.deliveries.claim([{ destinationId: endpoint, free: 5, isProbe: true }], LEASE_MS),
    ).toEqual([]);
  });
});

describe('a lane', () => {
  it('waits for a failing event, never for another payment or another endpoint', async () => {
    const other = await addDestination(db);
    const [slow, fast] = [await added(), await added()];
    await moved(one, slow, 'EXECUTING');
    const owed = await claim();
    await one.deliveries.settle(
      owed.filter((each) => each.quoteId === slow).map((each) => failed(each, 60_000)),
    );
    await one.deliveries.settle(owed.filter((each) => each.quoteId === fast).map(done));
    await moved(one, fast, 'EXECUTING');
    expect((await claim()).map((each) => [each.quoteId === fast, each.sequence])).toEqual([[true, 2]]);
    expect((await claim(one, other)).map((each) => each.sequence)).toEqual([1, 1]);
  });

  it('tries the waiting event at once when a new one comes, and not one that is being tried', async () => {
    const quoteId = await added();
    await one.deliveries.settle((await claim()).map((each) => failed(each, 3_600_000)));
    expect(await claim()).toEqual([]);
    await triedAgo('5 s');
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    const again = await claim();
    expect(again).toMatchObject([{ sequence: 1, isUnscheduled: true }]);
    await moved(one, quoteId, 'EXECUTING');
    expect(await claim()).toEqual([]);
  });

  it('tries it again 5 s after its last attempt at the earliest, however many events come', async () => {
    const quoteId = await added();
    await one.deliveries.settle((await claim()).map((each) => failed(each, 3_600_000)));
    for (const step of STEPS) await moved(one, quoteId, step);
    expect(await claim()).toEqual([]);
    const [head] = await laneOf(quoteId);
    expect(head).toMatchObject({ retries: 0 });
    const [due] = await one.deliveries.dueWithin([endpoint], 60_000);
    expect(due?.inMs).toBeGreaterThan(2_000);
    expect(due?.inMs).toBeLessThanOrEqual(5_000);
  });

  it('uses up none of the retry schedule by attempts that a new event brought forward', async () => {
    const quoteId = await added();
    for (const step of STEPS) {
      await one.deliveries.settle((await claim()).map((each) => failed(each, 3_600_000)));
      await triedAgo('5 s');
      await moved(one, quoteId, step);
    }
    const [head] = await claim();
    expect(head).toMatchObject({ sequence: 1, attempts: 3, retries: 0 });
  });

  it('goes on behind an event that is given up, or that has failed for too long and keeps its own schedule', async () => {
    const quoteId = await added();
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    await moved(one, quoteId, 'EXECUTING');
    await one.deliveries.settle((await claim()).map((each) => failed(each, 0, false)));
    const both = await claim();
    expect(numbers(both).toSorted((a, b) => a - b)).toEqual([1, 2]);
    await one.deliveries.settle(
      both.map((each) => (each.sequence === 2 ? failed(each, null) : failed(each, 60_000, false))),
    );
    expect(numbers(await claim())).toEqual([3]);
    expect((await laneOf(quoteId)).map((row) => row['state'])).toEqual(['pending', 'failed', 'pending']);
  });

  it('is taken over after the lease, and the outcome that comes late is dropped', async () => {
    const quoteId = await added();
    const stale = await claim();
    await db.query(`UPDATE delivery SET due_at = now() - interval '1 second' WHERE id = $1`, [stale[0]?.id]);
    const fresh = await claim(two);
    expect(numbers(fresh)).toEqual([1]);
    await one.deliveries.settle(stale.map((each) => failed(each, null)));
    expect((await laneOf(quoteId))[0]).toMatchObject({ state: 'pending' });
    await two.deliveries.settle(fresh.map(done));
    expect((await laneOf(quoteId))[0]).toMatchObject({ state: 'delivered', due_at: null });
  });

  it('owes only what the endpoint asked for', async () => {
    const only = await addDestination(db, { eventTypes: ['payment.completed'] });
    const quoteId = await added();
    await moved(one, quoteId, 'COMPLETED');
    expect((await claim(one, only)).map((each) => each.type)).toEqual(['payment.completed']);
  });

  it('gives each destination its share, however much another has waiting', async () => {
    const busy = await addDestination(db);
    for (let index = 0; index < 30; index += 1) await added();
    const owed = await one.deliveries.claim(
      [
        { destinationId: busy, free: 3, isProbe: false },
        { destinationId: endpoint, free: 2, isProbe: false },
      ],
      LEASE_MS,
    );
    expect(owed.filter((each) => each.destinationId === busy)).toHaveLength(3);
    expect(owed.filter((each) => each.destinationId === endpoint)).toHaveLength(2);
    expect(await one.deliveries.dueWithin([endpoint, randomUUID()], 0)).toEqual([
      { targetId: endpoint, inMs: 0 },
    ]);
  });
});

describe('an event that nobody is bound for at the exchange', () => {
  beforeEach(async () => {
    await db.query('DELETE FROM destination');
    endpoint = await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
  });

  const unroutable = (delivery: DueDelivery): Settlement => {
    const outcome = { kind: 'failed', failure: 'unroutable', httpStatus: null, retryAfterMs: null } as const;
    return settled(delivery, outcome, 60_000, { holdsLane: false });
  };

  const routed = (delivery: DueDelivery): Settlement => ({
    ...done(delivery),
    outcome: { kind: 'delivered', httpStatus: null, isRouted: true },
  });

  it('holds back nothing, and comes first again, in order, when there is a new one', async () => {
    const quoteId = await added();
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    await one.deliveries.settle((await claim()).map(unroutable));
    await one.deliveries.settle((await claim()).map(unroutable));
    expect(await claim()).toEqual([]);
    await moved(one, quoteId, 'EXECUTING');
    const all = await claim();
    expect(numbers(all)).toEqual([1, 2, 3]);
    await one.deliveries.settle(all.map(routed));
    expect((await laneOf(quoteId)).map((row) => row['state'])).toEqual([
      'delivered',
      'delivered',
      'delivered',
    ]);
  });

  it.each([
    [
      'passed over once a later one was routed: it would only come out of order',
      unroutable,
      routed,
      ['failed', 'delivered'],
    ],
    ['tried again where only an earlier one was routed', routed, unroutable, ['delivered', 'pending']],
  ])('is %s', async (_what, endsFirst, endsSecond, states) => {
    const quoteId = await added();
    await one.deliveries.settle((await claim()).map(unroutable));
    await moved(one, quoteId, 'COMPLETED');
    const [first, second] = await claim();
    if (first === undefined || second === undefined) throw new Error('nothing is owed');
    await one.deliveries.settle([endsFirst(first), endsSecond(second)]);
    expect((await laneOf(quoteId)).map((row) => row['state'])).toEqual(states);
    expect(await claim()).toEqual([]);
  });
});

describe('a claim that goes on where the last one ended', () => {
  it('finds within a second what was made due long before', async () => {
    await added();
    const [head] = await claim();
    await one.deliveries.settle(head === undefined ? [] : [failed(head, 60_000)]);
    // The claim has drained the endpoint: from now on this replica reads only deliveries that became due lately.
    expect(await claim()).toEqual([]);
    await db.query(`UPDATE delivery SET due_at = now() - interval '1 hour' WHERE id = $1`, [head?.id]);
    const found = await waitFor(async () => (await claim())[0], { timeoutMs: 5_000, what: 'the old one' });
    expect(found.id).toBe(head?.id);
  });

  it.each<[string, Partial<Slots>]>([
    ['deliveries that were never tried', { untried: 'only' }],
    ['a probe', { isProbe: true }],
  ])('goes on from nowhere after a claim of %s only', async (_what, more) => {
    await added();
    const [head] = await claim(one, endpoint, 1);
    await claim(one, randomUUID());
    const slot = { destinationId: endpoint, free: 1, isProbe: false, ...more };
    expect(await one.deliveries.claim([slot], LEASE_MS)).toEqual([]);
    await db.query(`UPDATE delivery SET due_at = now() - interval '1 hour' WHERE id = $1`, [head?.id]);
    expect(await claim()).toMatchObject([{ id: head?.id }]);
  });
});

describe('the attempts of a delivery', () => {
  let made: LoggedAttempt[];

  beforeEach(async () => {
    await added();
    made = [];
  });

  /** Claims the delivery as if it were due now. */
  async function claimNow(): Promise<DueDelivery> {
    await db.query(`UPDATE delivery SET due_at = now() WHERE destination_id = $1 AND due_at IS NOT NULL`, [
      endpoint,
    ]);
    const [delivery] = await claim();
    if (delivery === undefined) throw new Error('nothing is due');
    return delivery;
  }

  /** The n-th attempt, which differs from all others in every stored part. */
  function outcomeOf(n: number, isGood = false): Outcome {
    const trace = {
      address: n === 2 ? null : `203.0.113.${n}:443`,
      excerpt: n === 3 ? null : `no ${n} \ufffd`,
    };
    return isGood
      ? { kind: 'delivered', httpStatus: 200 + n, trace }
      : {
          kind: 'failed',
          failure: n === 2 ? 'timeout' : 'status',
          code: n === 2 ? null : `CODE_${n}`,
          httpStatus: n === 2 ? null : 500 + n,
          retryAfterMs: null,
          trace,
        };
  }

  function noted(n: number, outcome: Outcome): void {
    if (outcome.kind === 'held') return;
    made.push({
      number: n,
      madeAt: expect.any(Date) as unknown as Date,
      durationMs: n * 10,
      address: outcome.trace?.address ?? null,
      httpStatus: outcome.httpStatus,
      failure: outcome.kind === 'failed' ? outcome.failure : null,
      code: outcome.kind === 'failed' ? (outcome.code ?? null) : null,
      excerpt: outcome.trace?.excerpt ?? null,
    });
  }

  async function attempt(n: number, isGood = false): Promise<string> {
    const delivery = await claimNow();
    const outcome = outcomeOf(n, isGood);
    const made = { ageMs: 1_000, durationMs: n * 10 };
    await one.deliveries.settle([settled(delivery, outcome, isGood ? null : 0, made)]);
    noted(n, outcome);
    return delivery.id;
  }

  async function detail(id: string): Promise<DeliveryDetail> {
    const found = await one.deliveryLog.find(id);
    if (found === null) throw new Error('no such delivery');
    return found;
  }

  async function expectMade(id: string): Promise<void> {
    const { attempts, attemptCount } = await detail(id);
    expect(attempts).toEqual(made);
    expect(attemptCount).toBe(made.length);
  }

  async function rows(id: string): Promise<number> {
    return (await db.query('SELECT 1 FROM earlier_attempt WHERE delivery_id = $1', [id])).length;
  }

  it('are listed before the first, while each is under way, and after each; the newest one has no row of its own', async () => {
    const { id } = await claimNow();
    await expectMade(id);
    for (const n of [1, 2, 3]) {
      await attempt(n);
      await expectMade(id);
      expect(await rows(id)).toBe(n - 1);
      const before = await detail(id);
      await claimNow();
      await expectMade(id);
      expect((await detail(id)).lastAttemptAt).toEqual(before.lastAttemptAt);
    }
    await attempt(4, true);
    await expectMade(id);
    expect(await detail(id)).toMatchObject({ state: 'delivered', lastHttpStatus: 204, lastFailure: null });
    expect((await detail(id)).lastAttemptAt).toEqual((await detail(id)).attempts.at(-1)?.madeAt);
  });

  it('were made when they were made, and not when they were claimed or settled', async () => {
    const id = await attempt(1);
    const [first] = (await detail(id)).attempts;
    const age = Date.now() - (first?.madeAt.getTime() ?? 0);
    expect(age).toBeGreaterThanOrEqual(990);
    await attempt(2);
    expect((await detail(id)).attempts[0]).toEqual(first);
  });

  it('stay as they are while one is held', async () => {
    const id = await attempt(1);
    const before = await detail(id);
    const delivery = await claimNow();
    await one.deliveries.settle([settled(delivery, { kind: 'held', retryInMs: 0 }, 0)]);
    expect((await detail(id)).attempts).toEqual(before.attempts);
    await attempt(2);
    await expectMade(id);
  });

  it('tell when the endpoint took an event last', async () => {
    await attempt(1, true);
    await db.query('UPDATE destination SET delivered_at = NULL');
    const endpoints = endpointsOn(one);
    const ageMs = Date.now() - ((await endpoints.find(endpoint))?.lastDeliveredAt?.getTime() ?? 0);
    expect(ageMs).toBeGreaterThanOrEqual(980);
    expect(ageMs).toBeLessThan(20_000);
  });
});
