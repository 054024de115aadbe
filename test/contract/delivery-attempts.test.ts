import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { DueDelivery, Outcome } from '../../src/ports/deliveries.ts';
import type { DeliveryDetail, LoggedAttempt } from '../../src/ports/delivery-log.ts';
import type { TestDatabase } from '../support/database.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { endpointsOn, paymentToAdd, type Stores } from '../support/stores.ts';
import { settled } from '../support/settlements.ts';

const LEASE_MS = 20_000;

let db: TestDatabase;
let one: Stores;
let endpoint: string;
let made: LoggedAttempt[];

beforeAll(async () => {
  ({ db, one } = await openReplicas());
});
beforeEach(async () => {
  await db.query('DELETE FROM destination');
  endpoint = await addDestination(db);
  await one.payments.add(paymentToAdd(randomUUID()));
  made = [];
});

async function claim(): Promise<DueDelivery> {
  await db.query(`UPDATE delivery SET due_at = now() WHERE destination_id = $1 AND due_at IS NOT NULL`, [
    endpoint,
  ]);
  const [delivery] = await one.deliveries.claim(
    [{ destinationId: endpoint, free: 1, isProbe: false }],
    LEASE_MS,
  );
  if (delivery === undefined) throw new Error('nothing is due');
  return delivery;
}

/** The n-th attempt: each is another in all that is kept of it. */
function outcomeOf(n: number, isGood = false): Outcome {
  const trace = {
    address: n === 2 ? null : `203.0.113.${n}:443`,
    excerpt: n === 3 ? null : Buffer.from(`no ${n}\0\xff`, 'latin1'),
  };
  return isGood
    ? { kind: 'delivered', httpStatus: 200 + n, trace }
    : {
        kind: 'failed',
        failure: n === 2 ? 'timeout' : 'status',
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
    excerpt: outcome.trace?.excerpt ?? null,
  });
}

async function attempt(n: number, isGood = false): Promise<string> {
  const delivery = await claim();
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

describe('the attempts of a delivery', () => {
  it('are listed before the first, while each is under way, and after each; the newest one has no row of its own', async () => {
    const { id } = await claim();
    await expectMade(id);
    for (const n of [1, 2, 3]) {
      await attempt(n);
      await expectMade(id);
      expect(await rows(id)).toBe(n - 1);
      const before = await detail(id);
      await claim();
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
    const delivery = await claim();
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
