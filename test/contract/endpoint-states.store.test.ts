import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { PostgresAttentionCounts } from '../../src/database/attention/attention.store.ts';
import { PostgresUntoldPayments } from '../../src/database/attention/untold.store.ts';
import { PostgresDeliveries } from '../../src/database/deliveries/deliveries.store.ts';
import { PostgresDeliveryFigures } from '../../src/database/deliveries/delivery-figures.store.ts';
import { PostgresKnownDestinations } from '../../src/database/endpoints/known-destinations.store.ts';
import { refusingItems } from '../../src/features/attention/payment-items.ts';
import type { DueDelivery } from '../../src/ports/deliveries.ts';
import { destinationStateOf } from '../../src/ports/destination-state.ts';
import { DESTINATION_KINDS } from '../support/destination-kinds.ts';
import { moved } from '../support/poll-results.ts';
import { addDestination, emptyTables, OF_PAYMENTS, openReplicas } from '../support/replicas.ts';
import { settled } from '../support/settlements.ts';
import { endpointsOn, paymentToAdd } from '../support/stores.ts';
import { timePasses } from '../support/time-passes.ts';

const LEASE_MS = 20_000;
const DAY_MS = 86_400_000;

let shop: string;
/** The orders that the shop refuses. */
let refused: Set<string>;

const { db, one: stores } = await openReplicas();
beforeEach(async () => {
  await emptyTables(db, ...OF_PAYMENTS);
  shop = await addDestination(db);
  refused = new Set();
});

async function order(isRefused = false): Promise<string> {
  const quoteId = randomUUID();
  if (isRefused) refused.add(quoteId);
  await stores.payments.add(paymentToAdd(quoteId));
  return quoteId;
}

const trace = { address: '203.0.113.7:443', excerpt: null } as const;
const TAKEN = { kind: 'delivered', httpStatus: 204, trace } as const;
const REFUSED = { kind: 'failed', failure: 'status', httpStatus: 500, retryAfterMs: null, trace } as const;
const AT_ONCE = { ageMs: 0, durationMs: 0 };

/** The shop answers all due events. Refused orders are tried again after `retryInMs`; null: they are given up. */
async function answer(retryInMs: number | null = 10_000, isDead = false): Promise<DueDelivery[]> {
  // A new store for each use: a claim begins where the last one ended, and this clock goes back beyond that.
  const deliveries = new PostgresDeliveries(stores.database);
  const due = await deliveries.claim([{ destinationId: shop, free: 100, isProbe: false }], LEASE_MS);
  const taken = due.filter(({ quoteId }) => !isDead && !refused.has(quoteId));
  await deliveries.settle(taken.map((each) => settled(each, TAKEN, null, AT_ONCE)));
  const others = due.filter((each) => !taken.includes(each));
  await deliveries.settle(others.map((each) => settled(each, REFUSED, retryInMs, AT_ONCE)));
  return due;
}

/** The endpoint's state, from every place that shows it. */
async function states(): Promise<Record<string, unknown>> {
  const listed = await new PostgresKnownDestinations(stores.database, DESTINATION_KINDS).list();
  const [destination] = listed;
  if (destination === undefined) throw new Error('there is no destination');
  const untold = new PostgresUntoldPayments(stores.database, DESTINATION_KINDS);
  const figures = new PostgresDeliveryFigures(stores.database, endpointsOn(stores), untold);
  const attention = new PostgresAttentionCounts(stores.database, stores.rules);
  const failing = await attention.endpoints('failing');
  return {
    page: (await endpointsOn(stores).find(shop))?.state,
    destination: destinationStateOf(destination, null).state,
    metric: (await figures.now()).endpoints.map(({ state }) => state).join(),
    attention:
      failing.count > 0 ? 'failing' : refusingItems(listed, new Date()).length > 0 ? 'refusing' : 'ok',
  };
}

const all = (state: string): Record<string, unknown> => ({
  page: state,
  destination: state,
  metric: state,
  attention: state,
});

/** The endpoint refuses three orders, and took another one after their first attempts. */
async function refusing(): Promise<void> {
  for (let n = 0; n < 3; n += 1) await order(true);
  await answer();
  await order();
  await answer();
}

describe('the state of an endpoint that refuses three orders', () => {
  it.each([0, 1, 10])(
    'is held for ten minutes beside %i others in each of its rounds',
    async (others) => {
      await refusing();
      for (let round = 0; round < 20; round += 1) {
        await timePasses(db, 30_000);
        for (let n = 0; n < others; n += 1) await order();
        expect(await answer()).toHaveLength(3 + others);
        if (round % 4 === 0) expect([round, await states()]).toEqual([round, all('refusing')]);
      }
      expect(await states()).toEqual(all('refusing'));
    },
    60_000,
  );

  it('is failing once another fails too, and refusing again once one is taken', async () => {
    await refusing();
    const late = await order(true);
    await answer();
    expect(await states()).toEqual({ ...all('failing'), attention: 'refusing' });
    await timePasses(db, 61_000);
    expect(await states()).toEqual(all('failing'));
    refused.delete(late);
    expect(await answer()).toHaveLength(4);
    expect(await states()).toEqual(all('refusing'));
  });

  it('is failing while it has never taken one, and for a minute that needs no person', async () => {
    await order(true);
    await answer();
    expect(await states()).toEqual({ ...all('failing'), attention: 'ok' });
    for (let round = 0; round < 5; round += 1) {
      await timePasses(db, 15_000);
      await answer();
    }
    expect(await states()).toEqual(all('failing'));
  });

  it('is no other by their later events once the first were given up, nor by a recovery that a person asked for', async () => {
    await refusing();
    await timePasses(db, 15_000);
    await answer(null);
    expect(await states()).toMatchObject({ page: 'ok' });
    for (const quoteId of refused) await moved(stores, quoteId, 'DEPOSIT_RECEIVED');
    for (let round = 0; round < 4; round += 1) {
      expect(await answer()).toHaveLength(3);
      await timePasses(db, 15_000);
    }
    expect(await states()).toEqual(all('refusing'));
    await db.query(
      `SELECT replay_events($1, array_agg(event_position), array_agg(payment_id)) FROM delivery WHERE state <> 'delivered'`,
      [shop],
    );
    expect(await answer()).toHaveLength(3);
    expect(await states()).toEqual(all('refusing'));
  });

  it('is not disabled after six days of retries', async () => {
    await refusing();
    for (let round = 0; round < 8; round += 1) {
      await timePasses(db, DAY_MS);
      await answer();
    }
    expect(await states()).toEqual(all('refusing'));
  });

  it('begins anew where a person enables it after six days in which it took nothing', async () => {
    for (let n = 0; n < 3; n += 1) await order(true);
    await answer();
    await timePasses(db, 6 * DAY_MS);
    await endpointsOn(stores).change(shop, { disabledReason: null });
    for (let round = 0; round < 10; round += 1) {
      await order(true);
      await answer();
      await timePasses(db, 15_000);
    }
    expect(await endpointsOn(stores).find(shop)).toMatchObject({ enabled: true, state: 'open' });
  });

  it('is failing, and then open, where the shop takes nothing at all any more', async () => {
    await refusing();
    const quoteIds = [await order(), await order(), await order()];
    await answer(10_000, true);
    await timePasses(db, 61_000);
    expect(await states()).toEqual(all('failing'));
    for (let round = 0; round < 3; round += 1) {
      await answer(10_000, true);
      await timePasses(db, 15_000);
    }
    expect(await states()).toEqual({ ...all('open'), attention: 'failing' });
    expect(quoteIds).toHaveLength(3);
  });

  it('is failing where the shop dies between two events of its only payment', async () => {
    const quoteId = await order();
    await answer();
    await moved(stores, quoteId, 'DEPOSIT_RECEIVED');
    await answer(10_000, true);
    expect(await states()).toMatchObject({ page: 'failing', metric: 'failing' });
  });
});

describe('the state of an endpoint', () => {
  const seconds = fc.option(fc.integer({ min: 0, max: 5 }));
  const facts = fc.record({
    enabled: fc.boolean(),
    circuit: fc.constantFrom('closed', 'closed', 'open', 'recovering', null),
    failingSince: seconds,
    refusedSince: seconds,
    deliveredAt: seconds,
  });

  it('is the same to PostgreSQL and to the domain', async () => {
    const quoteId = await order();
    const at = (second: number | null): Date | null =>
      second === null ? null : new Date(1e12 + second * 1_000);
    await fc.assert(
      fc.asyncProperty(facts, async ({ enabled, circuit, failingSince, refusedSince, deliveredAt }) => {
        await db.query('DELETE FROM endpoint_circuit');
        if (circuit !== null)
          await db.query(
            `INSERT INTO endpoint_circuit (destination_id, state, failures, failing_since) VALUES ($1, $2, 1, $3)`,
            [shop, circuit, at(failingSince)],
          );
        await db.query(`UPDATE destination SET enabled = $2, delivered_at = $3 WHERE id = $1`, [
          shop,
          enabled,
          at(deliveredAt),
        ]);
        const attempts = refusedSince === null ? 0 : 1;
        await db.query(`UPDATE delivery SET attempts = $1, first_attempt_at = $2`, [
          attempts,
          at(refusedSince),
        ]);
        const [row] = await db.query<{ state: string }>('SELECT endpoint_state($1) AS state', [shop]);
        expect(row?.state).toBe((await endpointsOn(stores).find(shop))?.state);
      }),
      { numRuns: 100 },
    );
    expect(quoteId).toBeTruthy();
  });
});
