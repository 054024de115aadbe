import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { readReport } from '../../src/domain/payment/report.ts';
import type { DueDelivery, Settlement } from '../../src/ports/deliveries.ts';
import type { Poll } from '../../src/ports/schedule.ts';
import type { TestDatabase } from '../support/database.ts';
import { OfferingTaker } from '../support/offering-taker.ts';
import { pollResult } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';

const LEASE_MS = 20_000;

let db: TestDatabase;
let one: Stores;
let two: Stores;
let endpoint: string;
const taker = new OfferingTaker(LEASE_MS);

beforeAll(async () => {
  ({ db, one, two } = await openReplicas());
  one.wakeSignals.join(taker);
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

async function moved(quoteId: string, status: string): Promise<void> {
  const text = `{"status":"${status}"}`;
  const report = readReport(JSON.parse(text), text);
  const claim = await one.schedule.claimNow(quoteId, 0, 6_000);
  if (report === null || typeof claim === 'string') throw new Error('no claim');
  await one.schedule.record([pollResult(claim, { kind: 'report', report })]);
}

function claim(stores = two): Promise<DueDelivery[]> {
  return stores.deliveries.claim([{ destinationId: endpoint, free: 10, isProbe: false }], LEASE_MS);
}

/** As if so much of every lease had passed. */
function pass(ms: number): Promise<unknown> {
  return db.query(`UPDATE delivery SET due_at = due_at - $1 * interval '1 millisecond' WHERE leased`, [ms]);
}

function settle(
  delivery: DueDelivery,
  kind: 'delivered' | 'failed' | 'held' = 'delivered',
): Promise<unknown> {
  const outcomes = {
    delivered: { kind: 'delivered', httpStatus: 200 },
    failed: { kind: 'failed', failure: 'status', httpStatus: 500, retryAfterMs: null },
    held: { kind: 'held', retryInMs: 0 },
  } as const;
  const settlement: Settlement = {
    delivery,
    outcome: outcomes[kind],
    retryInMs: kind === 'failed' ? 0 : null,
    holdsLane: true,
    lanePatienceMs: null,
    ageMs: 5,
    durationMs: 3,
  };
  return one.deliveries.settle([settlement]);
}

/** All of a delivery that the database's clock does not decide. */
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
    await moved(quoteId, 'EXECUTING');
    await deliver();
    await one.payments.label(quoteId, { orderId: 'A-17', metadata: null });
    const [updated] = taker.takeAll();
    expect(updated).toMatchObject({ type: 'payment.updated', orderId: 'A-17', sequence: 3 });
    expect(types).toEqual(['payment.created', 'payment.executing']);
  });

  it('waits in its lane behind a pending one, and becomes due when that is settled', async () => {
    const quoteId = await added();
    const [first] = taker.takeAll();
    await moved(quoteId, 'EXECUTING');
    expect([taker.takeAll(), taker.noted, await claim()]).toEqual([[], [], []]);
    expect(await settle(first as DueDelivery)).toMatchObject({ dueTargets: [endpoint] });
    expect((await claim()).map(({ sequence }) => sequence)).toEqual([2]);
  });

  it('is claimed by another process once the lease is over, and the outcome that comes late is dropped', async () => {
    await added();
    const [leased] = taker.takeAll();
    await pass(LEASE_MS);
    const [claimed] = await claim();
    await settle(leased as DueDelivery);
    expect(await db.query('SELECT state FROM delivery WHERE id = $1', [leased?.id])).toEqual([
      { state: 'pending' },
    ]);
    await settle(claimed as DueDelivery);
    expect(await db.query('SELECT state FROM delivery WHERE id = $1', [leased?.id])).toEqual([
      { state: 'delivered' },
    ]);
  });

  it('keeps its first failure and its attempts as one that was claimed does', async () => {
    await added();
    const [leased] = taker.takeAll();
    await settle(leased as DueDelivery, 'failed');
    const [again] = await claim();
    expect(again).toMatchObject({ attempts: 1, retries: 1 });
    expect(await db.query('SELECT 1 FROM delivery WHERE first_attempt_at IS NOT NULL')).toHaveLength(1);
  });

  it('is due at once for all when it is returned', async () => {
    await added();
    const [leased] = taker.takeAll();
    await settle(leased as DueDelivery, 'held');
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
      // One after another: of two claims at once, the one that began first may find that the payment was just polled.
      for (const txHash of ['overtaken', 'kept']) {
        const text = JSON.stringify({ status: 'COMPLETED', txHash });
        const report = readReport(JSON.parse(text), text);
        const claimed = await one.schedule.claimNow(quoteId, 0, 6_000);
        if (report === null || typeof claimed === 'string') throw new Error('no claim');
        polls.push(pollResult(claimed, { kind: 'report', report }));
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
    await one.deliveries.settle([
      {
        delivery: leased as DueDelivery,
        outcome: { kind: 'failed', failure: 'status', httpStatus: 500, retryAfterMs: null },
        retryInMs: 3_600_000,
        holdsLane: true,
        lanePatienceMs: null,
        ageMs: 5,
        durationMs: 3,
      },
    ]);
    taker.noted.length = 0;
    await db.query(`UPDATE delivery SET last_attempt_at = last_attempt_at - interval '5 s'`);
    await moved(quoteId, 'EXECUTING');
    expect([taker.takeAll(), taker.noted]).toEqual([[], [endpoint]]);
    expect((await claim()).map(({ sequence }) => sequence)).toEqual([1]);
  });
});
