import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresDeliveryFigures } from '../../src/database/deliveries/delivery-figures.store.ts';
import { type Outcome, type DueDelivery } from '../../src/ports/deliveries.ts';
import type { DeliveryFigures } from '../../src/ports/delivery-figures.ts';
import type { WebhookEndpoints } from '../../src/ports/webhook-endpoints.ts';
import { PostgresUntoldPayments } from '../../src/database/attention/untold.store.ts';
import { DESTINATION_KINDS, EXCHANGE_ID } from '../support/destination-kinds.ts';
import { addDestination, emptyTables, OF_PAYMENTS, openReplicas } from '../support/replicas.ts';
import { paymentToAdd } from '../support/stores.ts';
import { settled } from '../support/settlements.ts';

const trace = { address: null, excerpt: null };
const DELIVERED: Outcome = { kind: 'delivered', httpStatus: 200, trace };
const HELD: Outcome = { kind: 'held', retryInMs: 60_000 };
const FAILED: Outcome = {
  kind: 'failed',
  failure: 'status',
  httpStatus: 500,
  retryAfterMs: null,
  trace,
};
const MINUTE_MS = 60_000;

let unreadableIds: string[] = [];
let figures: DeliveryFigures;

const { db, one: stores } = await openReplicas();
beforeAll(async () => {
  const webhooks = { unreadable: async () => unreadableIds } as unknown as WebhookEndpoints;
  figures = new PostgresDeliveryFigures(
    stores.database,
    webhooks,
    new PostgresUntoldPayments(stores.database, DESTINATION_KINDS),
  );
});
beforeEach(() => emptyTables(db, ...OF_PAYMENTS));

const endpoint = (): Promise<string> => addDestination(db);

const exchange = (enabled = true): Promise<string> =>
  addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq', enabled });

/** An event of that age, owed to every enabled endpoint. */
async function event(minutesAgo: number): Promise<void> {
  const quoteId = randomUUID();
  await stores.payments.add(paymentToAdd(quoteId));
  await db.query(
    `UPDATE event SET time = now() - $2 * interval '1 minute'
     WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
    [quoteId, minutesAgo],
  );
}

function claim(destinationId: string, free = 10): Promise<DueDelivery[]> {
  return stores.deliveries.claim([{ destinationId, free, isProbe: false }], 20_000);
}

async function settle(owed: readonly DueDelivery[], outcome: Outcome): Promise<void> {
  const retryInMs = outcome.kind === 'failed' ? 60_000 : null;
  await stores.deliveries.settle(owed.map((delivery) => settled(delivery, outcome, retryInMs)));
}

/** The oldest deliveries, each as `webhook failing 30`, in minutes. */
async function oldest(): Promise<string[]> {
  const { oldest } = await figures.now();
  return oldest
    .map(({ destination, cause, ageMs }) => `${destination} ${cause} ${Math.floor(ageMs / MINUTE_MS)}`)
    .sort();
}

async function states(): Promise<Record<string, number>> {
  const { endpoints } = await figures.now();
  return Object.fromEntries(endpoints.map((each) => [each.state, each.endpoints]));
}

describe('the oldest undelivered event', () => {
  it('is none where nothing is owed, nobody is there, or all is delivered', async () => {
    expect(await oldest()).toEqual([]);
    const id = await endpoint();
    await exchange();
    expect(await oldest()).toEqual([]);
    await event(30);
    for (const destination of [id, EXCHANGE_ID]) await settle(await claim(destination), DELIVERED);
    expect(await oldest()).toEqual([]);
  });

  it('waits until it was tried: an attempt under way, or one that was held, is none yet', async () => {
    const id = await endpoint();
    await event(30);
    expect(await oldest()).toEqual(['webhook waiting 30']);
    const owed = await claim(id);
    expect(await oldest()).toEqual(['webhook waiting 30']);
    await settle(owed, HELD);
    expect(await oldest()).toEqual(['webhook waiting 30']);
  });

  it('is failing once it was tried, whatever waits behind it', async () => {
    const id = await endpoint();
    await event(30);
    await settle(await claim(id), FAILED);
    await event(5);
    expect(await oldest()).toEqual(['webhook failing 30']);
  });

  it('is the next one once it is delivered or given up', async () => {
    const id = await endpoint();
    for (const minutes of [30, 20, 10]) await event(minutes);
    await settle(await claim(id, 1), DELIVERED);
    expect(await oldest()).toEqual(['webhook waiting 20']);
    await db.query(`UPDATE delivery SET state = 'failed' WHERE state = 'pending' AND id IN (
      SELECT min(id) FROM delivery WHERE state = 'pending')`);
    expect(await oldest()).toEqual(['webhook waiting 10']);
  });

  it('is held back by an open circuit, and failing again once that recovers', async () => {
    const id = await endpoint();
    for (let count = 0; count < 11; count += 1) await event(30);
    const owed = await claim(id, 11);
    await settle(owed.slice(0, 10), FAILED);
    expect(await oldest()).toEqual(['webhook circuit_open 30']);
    await settle(owed.slice(10), DELIVERED);
    expect(await oldest()).toEqual(['webhook failing 30']);
  });

  it('stays owed to an endpoint that is disabled, whatever its circuit is', async () => {
    const id = await endpoint();
    for (let count = 0; count < 10; count += 1) await event(30);
    await settle(await claim(id), FAILED);
    await db.query(`UPDATE destination SET enabled = false WHERE id = $1`, [id]);
    expect(await oldest()).toEqual(['webhook disabled 30']);
  });

  it('waits for a disabled endpoint though it was never queued, and is unsent after enabling too', async () => {
    const id = await endpoint();
    await exchange();
    await db.query(`UPDATE destination SET enabled = false WHERE id = $1`, [id]);
    for (const minutes of [30, 20]) await event(minutes);
    await settle(await claim(EXCHANGE_ID), DELIVERED);
    expect(await oldest()).toEqual(['webhook disabled 30']);
    await db.query(`UPDATE destination SET enabled = true WHERE id = $1`, [id]);
    expect(await oldest()).toEqual(['webhook disabled 30']);
    await db.query(`UPDATE payment SET resolution = '{"reason":"released"}'`);
    expect(await oldest()).toEqual(['webhook disabled 30']);
    await db.query(`UPDATE payment SET resolution = '{}' WHERE id = (SELECT min(id) FROM payment)`);
    expect(await oldest()).toEqual(['webhook disabled 20']);
    await db.query(`UPDATE delivery SET state = 'delivered'`);
    expect(await oldest()).toEqual([]);
  });

  it('is shown by cause, the oldest over all endpoints that have it, and apart for RabbitMQ', async () => {
    const [tried, disabled] = [await endpoint(), await endpoint()];
    await exchange();
    await event(50);
    await settle(await claim(tried), FAILED);
    await settle(await claim(EXCHANGE_ID), FAILED);
    await db.query(`UPDATE destination SET enabled = false WHERE id = $1`, [disabled]);
    await endpoint();
    await event(40);
    await endpoint();
    await event(20);
    expect(await oldest()).toEqual([
      'rabbitmq failing 50',
      'webhook disabled 50',
      'webhook failing 50',
      'webhook waiting 40',
    ]);
  });

  it('is none of an endpoint that is gone, nor of RabbitMQ after it was turned off', async () => {
    const id = await endpoint();
    await exchange();
    await event(30);
    await db.query(`DELETE FROM destination WHERE id = $1`, [id]);
    await db.query(`UPDATE destination SET enabled = false`);
    expect(await oldest()).toEqual([]);
  });

  it('is never of a negative age, though the clock of who recorded it is ahead', async () => {
    await endpoint();
    await event(-10);
    expect((await figures.now()).oldest).toEqual([{ destination: 'webhook', cause: 'waiting', ageMs: 0 }]);
  });
});

describe('webhook endpoints', () => {
  it('are counted each in one state, without the exchange', async () => {
    expect(await states()).toEqual({});
    await exchange();
    const [well, , failing, open, recovering, off] = await Promise.all(Array.from({ length: 6 }, endpoint));
    expect(await states()).toEqual({ ok: 6 });
    for (const [id, state] of [
      [well, 'closed'],
      [failing, 'closed'],
      [open, 'open'],
      [recovering, 'recovering'],
      [off, 'open'],
    ])
      await db.query(`INSERT INTO endpoint_circuit (destination_id, state, failures) VALUES ($1, $2, 1)`, [
        id,
        state,
      ]);
    await db.query(`UPDATE endpoint_circuit SET failing_since = now() WHERE destination_id = $1`, [failing]);
    await db.query(`UPDATE destination SET enabled = false WHERE id = $1`, [off]);
    expect(await states()).toEqual({ ok: 2, failing: 1, open: 1, recovering: 1, disabled: 1 });
  });
});

describe('the troubles of deliveries', () => {
  /** Opens the circuit of an endpoint that lacks this many events. */
  async function openFor(events: number): Promise<string> {
    const id = await endpoint();
    await db.query(`INSERT INTO endpoint_circuit (destination_id, state, failures) VALUES ($1, 'open', 10)`, [
      id,
    ]);
    await db.query(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, lane_state, created_at)
       SELECT $1, 1, n, 1, 'waiting', '2026-11-20T12:00:00Z'::timestamptz + n * interval '1 second'
       FROM generate_series(1, $2) n`,
      [id, events],
    );
    return id;
  }

  it('are none of endpoints that work, whatever they are owed', async () => {
    await endpoint();
    await event(30);
    expect(await figures.troubles()).toMatchObject({ unreadableSecrets: 0, openCircuits: null });
  });

  it('are how many open circuits hold back how many events, and since when', async () => {
    await openFor(0);
    expect((await figures.troubles()).openCircuits).toBeNull();
    await openFor(30);
    const other = await openFor(10);
    expect((await figures.troubles()).openCircuits).toEqual({
      endpoints: 2,
      waiting: 40,
      isMore: false,
      oldestAt: new Date('2026-11-20T12:00:01Z'),
    });
    await db.query(`UPDATE destination SET enabled = false WHERE id = $1`, [other]);
    expect((await figures.troubles()).openCircuits).toMatchObject({ endpoints: 1, waiting: 30 });
  });

  it('are counted up to a bound', async () => {
    await openFor(10_001);
    expect((await figures.troubles()).openCircuits).toMatchObject({ waiting: 10_000, isMore: true });
  });

  it('name the endpoints whose secrets cannot be read, as /metrics does', async () => {
    unreadableIds = ['a', 'b'];
    expect((await figures.troubles()).unreadableSecrets).toBe(2);
    expect((await figures.now()).unreadableSecrets).toBe(2);
    unreadableIds = [];
  });
});
