import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresEndpointFailures } from '../../src/database/deliveries/endpoint-failures.store.ts';
import type { DueDelivery, Settlement } from '../../src/ports/deliveries.ts';
import type { TestDatabase } from '../support/database.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';

let db: TestDatabase;
let stores: Stores;
let failures: PostgresEndpointFailures;
let endpoint: string;

beforeAll(async () => {
  ({ db, one: stores } = await openReplicas());
  failures = new PostgresEndpointFailures(stores.database);
});
beforeEach(async () => {
  await db.query('TRUNCATE payment, delivery, earlier_attempt, event_entry, destination CASCADE');
  endpoint = await addDestination(db);
});

/** One round of attempts at all that is pending. */
async function attempts(failure: string | null, httpStatus: number | null, body: string): Promise<void> {
  await db.query(`UPDATE delivery SET due_at = now() WHERE state = 'pending'`);
  const due = await stores.deliveries.claim([{ destinationId: endpoint, free: 50, isProbe: false }], 20_000);
  const settled = (delivery: DueDelivery): Settlement => {
    const trace = { address: '127.0.0.1:80', excerpt: Buffer.from(body) };
    const outcome =
      failure === null
        ? ({ kind: 'delivered', httpStatus, trace } as const)
        : ({ kind: 'failed', failure, httpStatus, retryAfterMs: null, trace } as const);
    const retryInMs = failure === null ? null : 60_000;
    return { delivery, outcome, retryInMs, holdsLane: true, lanePatienceMs: null, ageMs: 5, durationMs: 3 };
  };
  await stores.deliveries.settle(due.map(settled));
}

async function payments(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await stores.payments.add(paymentToAdd(randomUUID()));
}

const shown = async (id = endpoint): Promise<unknown[]> =>
  (await failures.of(id)).failures.map(({ failure, httpStatus, attempts: made, payments: of, excerpt }) => [
    failure,
    httpStatus,
    made,
    of,
    excerpt?.toString(),
  ]);

describe('how an endpoint fails', () => {
  it('is added up by class over all attempts, with the last answer', async () => {
    expect(await shown()).toEqual([]);
    await payments(2);
    await attempts('status', 500, 'out of stock');
    await attempts('status', 500, 'still out of stock');
    await payments(1);
    await attempts('timeout', null, '');
    expect(await shown()).toEqual([
      ['timeout', null, 3, 3, ''],
      ['status', 500, 4, 2, 'still out of stock'],
    ]);
    const [timeout, status] = (await failures.of(endpoint)).failures;
    expect(timeout?.firstAt.getTime()).toBeGreaterThanOrEqual(status?.lastAt.getTime() ?? Infinity);
    expect(status?.firstAt.getTime()).toBeLessThan(status?.lastAt.getTime() ?? 0);
  });

  it('leaves out what was acknowledged, and other endpoints; what was given up counts', async () => {
    await payments(1);
    await attempts('status', 503, 'busy');
    await attempts(null, 200, 'thanks');
    expect(await shown()).toEqual([]);
    await payments(1);
    await attempts('status', 404, 'gone');
    await db.query(`UPDATE delivery SET state = 'failed', due_at = NULL WHERE state = 'pending'`);
    expect(await shown()).toEqual([['status', 404, 1, 1, 'gone']]);
    expect(await shown(await addDestination(db))).toEqual([]);
  });
});
