import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresKnownDestinations } from '../../src/database/endpoints/known-destinations.store.ts';
import type { DueDelivery, Outcome } from '../../src/ports/deliveries.ts';
import type { TestDatabase } from '../support/database.ts';
import { DESTINATION_KINDS, EXCHANGE_ID } from '../support/destination-kinds.ts';
import { addDestination, emptyTables, OF_PAYMENTS, openReplicas } from '../support/replicas.ts';
import { endpointsOn, paymentToAdd, type Stores } from '../support/stores.ts';
import { settled } from '../support/settlements.ts';
import { PostgresEndpointFailures } from '../../src/database/deliveries/endpoint-failures.store.ts';
import { changesOf } from '../../src/domain/attention/attention-changes.ts';
import { PostgresOperationalEvents } from '../../src/database/endpoints/operational-events.store.ts';
import type { OperationalEvents, Telling } from '../../src/ports/operational-events.ts';

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
let failures: PostgresEndpointFailures;
let shop: string;
let one: OperationalEvents;
let two: OperationalEvents;

beforeAll(async () => {
  const replicas = await openReplicas();
  ({ db, one: stores } = replicas);
  one = new PostgresOperationalEvents(stores.database);
  two = new PostgresOperationalEvents(replicas.two.database);
  failures = new PostgresEndpointFailures(stores.database);
  destinations = new PostgresKnownDestinations(stores.database, DESTINATION_KINDS);
});
beforeEach(async () => {
  await emptyTables(db, ...OF_PAYMENTS);
  shop = await addDestination(db);
  await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
});

async function publish(outcome: Outcome): Promise<readonly DueDelivery[]> {
  await stores.payments.add(paymentToAdd(randomUUID(), { orderId: 'A-1' }));
  const due = await stores.deliveries.claim(
    [{ destinationId: EXCHANGE_ID, free: 9, isProbe: false }],
    LEASE_MS,
  );
  const retryInMs = outcome.kind === 'failed' ? 3_600_000 : null;
  await stores.deliveries.settle(due.map((delivery) => settled(delivery, outcome, retryInMs)));
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
      ['rabbitmq', 'rabbitmq', 'RabbitMQ (exchange shop-payments)', null],
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

/** Makes one attempt at every pending delivery. */
async function attempts(
  failure: string | null,
  httpStatus: number | null,
  body: string,
  code: string | null = null,
): Promise<void> {
  await db.query(`UPDATE delivery SET due_at = now() WHERE state = 'pending'`);
  const due = await stores.deliveries.claim([{ destinationId: shop, free: 50, isProbe: false }], 20_000);
  const trace = { address: '127.0.0.1:80', excerpt: body };
  const outcome =
    failure === null
      ? ({ kind: 'delivered', httpStatus, trace } as const)
      : ({ kind: 'failed', failure, code, httpStatus, retryAfterMs: null, trace } as const);
  const retryInMs = failure === null ? null : 60_000;
  await stores.deliveries.settle(due.map((delivery) => settled(delivery, outcome, retryInMs)));
}

async function payments(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await stores.payments.add(paymentToAdd(randomUUID()));
}

const shown = async (id = shop): Promise<unknown[]> =>
  (await failures.of(id)).failures.map(({ failure, httpStatus, attempts: made, payments: of, excerpt }) => [
    failure,
    httpStatus,
    made,
    of,
    excerpt,
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
    const [timeout, status] = (await failures.of(shop)).failures;
    expect(timeout?.firstAt.getTime()).toBeGreaterThanOrEqual(status?.lastAt.getTime() ?? Infinity);
    expect(status?.firstAt.getTime()).toBeLessThan(status?.lastAt.getTime() ?? 0);
  });

  it('is added up by code within a class', async () => {
    await payments(1);
    await attempts('tls', null, '', 'CERT_NOT_YET_VALID');
    await attempts('tls', null, '', 'CERT_HAS_EXPIRED');
    await attempts('tls', null, '', 'CERT_HAS_EXPIRED');
    expect((await failures.of(shop)).failures).toMatchObject([
      { failure: 'tls', code: 'CERT_HAS_EXPIRED', attempts: 2 },
      { failure: 'tls', code: 'CERT_NOT_YET_VALID', attempts: 1 },
    ]);
    const listed = (await destinations.list()).find(({ id }) => id === shop);
    expect(listed?.lastFailure).toMatchObject({ failure: 'tls', code: 'CERT_HAS_EXPIRED' });
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

describe('the one destination of a kind', () => {
  it('is found by its kind, and no endpoint is', async () => {
    expect(await stores.singleTargets.idOf('webhook')).toBeNull();
    expect(await stores.singleTargets.idOf('rabbitmq')).toBe(EXCHANGE_ID);
    expect(await stores.singleTargets.idOf('other')).toBeNull();
  });

  it('can have no second row: the table refuses it, whichever replica adds it', async () => {
    await expect(addDestination(db, { kind: 'rabbitmq' })).rejects.toThrow('destination_single');
    await addDestination(db, { kind: 'webhook' });
  });
});

describe('operational events in PostgreSQL', () => {
  const NOON = new Date('2026-11-20T12:00:00.000Z');
  const LEASE_MS = 10_000;
  const PATIENCE_MS = 900_000;

  let pager: string;

  beforeEach(async () => {
    await db.query(`DELETE FROM destination`);
    pager = await addDestination(db, { eventTypes: ['attention.opened', 'attention.closed'] });
  });

  /** Tells the endpoint which codes are open. */
  async function open(codes: readonly string[], at = NOON, events = one): Promise<void> {
    await events.tell(pager, (told) =>
      changesOf(told, codes, at).map((change): Telling => {
        const { code } = change.told;
        const body = `${change.type} ${code}`;
        return { change, delivery: { eventId: randomUUID(), destinationId: pager, code, body } };
      }),
    );
  }

  const claimed = async (events = one): Promise<string[]> =>
    (await events.claim(10, LEASE_MS, PATIENCE_MS)).map(({ body }) => body).toSorted();

  it('are for enabled endpoints that ask for them', async () => {
    await addDestination(db);
    await addDestination(db, { eventTypes: ['attention.opened'], enabled: false });
    expect(await one.subscribers()).toEqual([
      { id: pager, types: ['attention.opened', 'attention.closed'], told: [] },
    ]);
    await open(['undelivered']);
    const [subscriber] = await two.subscribers();
    expect(subscriber?.told).toEqual([
      { id: pager, code: 'undelivered', isOpen: true, openedAt: NOON, closedAt: null },
    ]);
  });

  it('are told once, also by two processes at the same time', async () => {
    await Promise.all([open(['a', 'b']), open(['a', 'b'], NOON, two), open(['a'], NOON, two)]);
    expect(await claimed()).toEqual(['attention.opened a', 'attention.opened b']);
  });

  it('are claimed by one process, and again once its lease has ended', async () => {
    await open(['a']);
    const [first, second] = await Promise.all([claimed(), claimed(two)]);
    expect([...first, ...second]).toEqual(['attention.opened a']);
    await db.query(`UPDATE operational_delivery SET due_at = now()`);
    expect(await claimed(two)).toEqual(['attention.opened a']);
  });

  it('go out in order for each code: one that failed holds back the next until the patience is over', async () => {
    await open(['a']);
    await open([], new Date(NOON.getTime() + 1));
    const [opened, ...others] = await one.claim(10, LEASE_MS, PATIENCE_MS);
    expect([opened?.body, others]).toEqual(['attention.opened a', []]);
    if (opened === undefined) throw new Error('nothing was claimed');
    await one.settle(opened, 60_000);
    expect(await claimed()).toEqual([]);
    await db.query(`UPDATE operational_delivery SET created_at = created_at - interval '1 hour'`);
    expect(await claimed()).toEqual(['attention.closed a']);
  });

  it('end when they are delivered or given up; what a process does late changes nothing', async () => {
    await open(['a']);
    const [due] = await one.claim(1, LEASE_MS, PATIENCE_MS);
    if (due === undefined) throw new Error('nothing was claimed');
    await one.settle(due, 0);
    const [again] = await two.claim(1, LEASE_MS, PATIENCE_MS);
    expect(again).toMatchObject({ retries: 1, eventId: due.eventId });
    await one.settle(due, null);
    if (again === undefined) throw new Error('nothing was claimed');
    await two.putOff(again, 0);
    const [last] = await two.claim(1, LEASE_MS, PATIENCE_MS);
    expect(last).toMatchObject({ retries: 1 });
    if (last === undefined) throw new Error('nothing was claimed');
    await two.settle(last, null);
    expect(await db.query(`SELECT 1 FROM operational_delivery`)).toEqual([]);
  });

  it('go with their endpoint, and wait while it is disabled', async () => {
    await open(['a']);
    await db.query(`UPDATE destination SET enabled = false`);
    expect(await claimed()).toEqual([]);
    await db.query(`DELETE FROM destination`);
    expect(await db.query(`SELECT 1 FROM operational_delivery`)).toEqual([]);
    await open(['b']);
    expect(await db.query(`SELECT 1 FROM attention_told`)).toEqual([]);
  });
});
