import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import type {
  Outcome,
  DueDelivery,
  Probe,
  Settlement,
  Slots,
  TargetChange,
} from '../../src/ports/deliveries.ts';
import { moved } from '../support/poll-results.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { endpointsOn, paymentToAdd } from '../support/stores.ts';
import { settled } from '../support/settlements.ts';

const LEASE_MS = 20_000;
const DELIVERED: Outcome = {
  kind: 'delivered',
  httpStatus: 204,
  trace: { address: '203.0.113.7:443', excerpt: 'ok \u{1f680}' },
};
const FAILED: Outcome = {
  kind: 'failed',
  failure: 'refused',
  httpStatus: null,
  retryAfterMs: null,
  trace: { address: null, excerpt: null },
};
const HELD: Outcome = { kind: 'held', retryInMs: 0 };

let endpoint: string;

const { db, one, two } = await openReplicas();
beforeEach(async () => {
  await db.query('DELETE FROM destination');
  endpoint = await addDestination(db);
});

/** Adds this many payments, whose first events are due to the endpoint. */
async function owe(payments: number): Promise<void> {
  for (let index = 0; index < payments; index += 1) await one.payments.add(paymentToAdd(randomUUID()));
}

function claim(
  stores = one,
  { free = 100, isProbe = false, ...more }: Partial<Slots> = {},
): Promise<DueDelivery[]> {
  return stores.deliveries.claim([{ destinationId: endpoint, free, isProbe, ...more }], LEASE_MS);
}

function ended(delivery: DueDelivery, outcome: Outcome, retryInMs: number | null = 60_000): Settlement {
  const again = outcome.kind === 'failed' ? retryInMs : null;
  return settled(delivery, outcome, again, { ageMs: 1_200, durationMs: 1_000 });
}

/** A probe by the delivery that is due next. */
const NEXT = (): Probe => ({ targetId: endpoint, isUntried: false });
/** A probe by a delivery that was never tried. */
const UNTRIED = (): Probe => ({ targetId: endpoint, isUntried: true });

async function settleAll(
  owed: readonly DueDelivery[],
  outcome: Outcome,
  stores = one,
): Promise<readonly TargetChange[]> {
  const { changes } = await stores.deliveries.settle(owed.map((delivery) => ended(delivery, outcome)));
  return changes;
}

async function circuit(): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.query<Record<string, unknown>>(
    `SELECT state, failures, (extract(epoch FROM probe_at - now()))::float8 AS probe_in_s
     FROM endpoint_circuit WHERE destination_id = $1`,
    [endpoint],
  );
  return row;
}

/** Opens the circuit by ten payments whose first event has failed once each. */
async function opened(): Promise<void> {
  await owe(10);
  const changes = await settleAll(await claim(), FAILED);
  if (changes[0]?.change !== 'opened') throw new Error('the circuit is not open');
  // The first probe comes 5 s later at the earliest.
  await db.query(`UPDATE endpoint_circuit SET probed_at = NULL`);
}

async function probeNow(): Promise<void> {
  await db.query(`UPDATE endpoint_circuit SET probe_at = now() WHERE destination_id = $1`, [endpoint]);
}

async function failingFor(interval: string): Promise<void> {
  await db.query(
    `UPDATE endpoint_circuit SET failing_since = now() - $2::interval WHERE destination_id = $1`,
    [endpoint, interval],
  );
}

describe('an attempt', () => {
  it('that was not made, or whose claim was taken over, is neither kept nor held against the endpoint', async () => {
    await owe(1);
    const stale = await claim();
    await db.query(`UPDATE delivery SET due_at = now() - interval '1 second' WHERE id = $1`, [stale[0]?.id]);
    const fresh = await claim(two);
    expect(await settleAll(stale, FAILED)).toEqual([]);
    await settleAll(fresh, HELD, two);
    expect(await db.query('SELECT attempts FROM delivery WHERE id = $1', [fresh[0]?.id])).toEqual([
      { attempts: 0 },
    ]);
    expect(await circuit()).toBeUndefined();
  });
});

describe('the circuit of an endpoint', () => {
  it('opens after ten failures in a row, whoever made the attempts', async () => {
    await owe(10);
    const owed = await claim();
    expect(await settleAll(owed.slice(0, 6), FAILED)).toEqual([]);
    expect(await settleAll(owed.slice(6, 9), FAILED, two)).toEqual([]);
    expect(await circuit()).toMatchObject({ state: 'closed', failures: 9 });
    expect(await settleAll(owed.slice(9), FAILED, two)).toEqual([{ targetId: endpoint, change: 'opened' }]);
    expect(await circuit()).toMatchObject({ state: 'open', failures: 10 });
    expect(Math.abs(Number((await circuit())?.['probe_in_s']) - 30)).toBeLessThan(5);
  });

  it('is reported to every dispatcher that has failed while it was open, since another may have opened it', async () => {
    await owe(11);
    const owed = await claim();
    await settleAll(owed.slice(0, 10), FAILED);
    expect(await settleAll(owed.slice(10), FAILED, two)).toEqual([{ targetId: endpoint, change: 'open' }]);
    expect(await circuit()).toMatchObject({ state: 'open', failures: 11 });
  });

  it('stays closed when a success comes between', async () => {
    await owe(12);
    const owed = await claim();
    await settleAll(owed.slice(0, 9), FAILED);
    expect(await settleAll(owed.slice(9, 10), DELIVERED)).toEqual([]);
    // These deliveries were tried before the endpoint's success.
    expect(await settleAll(owed.slice(10), FAILED)).toEqual([]);
    expect(await circuit()).toMatchObject({ state: 'closed', failures: 0 });
    await owe(2);
    for (let round = 0; round < 5; round += 1)
      expect(
        await one.deliveries.settle((await claim()).map((each) => ended(each, FAILED, 0))),
      ).toMatchObject({ changes: [] });
    // Ten failures in a row, of two payments: those before the success do not count.
    expect(await circuit()).toMatchObject({ state: 'closed', failures: 10 });
  });

  it('counts no later event of a payment whose earlier event was given up before the last success', async () => {
    const given = Array.from({ length: 3 }, () => randomUUID());
    for (const quoteId of given) await one.payments.add(paymentToAdd(quoteId));
    await one.deliveries.settle((await claim()).map((each) => ended(each, FAILED, null)));
    await owe(1);
    await settleAll(await claim(), DELIVERED);
    for (const quoteId of given) await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    const owed = await claim();
    expect(owed).toHaveLength(3);
    await settleAll(owed, FAILED);
    expect(await circuit()).toMatchObject({ state: 'closed', failures: 0 });
  });

  it.each([1, 2])('is not opened by %i payments, however often they are refused', async (payments) => {
    await owe(payments);
    for (let round = 0; round < 12; round += 1) {
      const owed = await claim();
      expect(owed).toHaveLength(payments);
      expect(await one.deliveries.settle(owed.map((each) => ended(each, FAILED, 0)))).toMatchObject({
        changes: [],
      });
    }
    expect(await circuit()).toMatchObject({ state: 'closed', failures: 12 * payments });
    await owe(3 - payments);
    const changes = await settleAll(await claim(), FAILED);
    expect(changes).toEqual([{ targetId: endpoint, change: 'opened' }]);
  });

  const { trace: _trace, ...UNTRACED } = FAILED;
  it.each<[what: string, more: Partial<DueDelivery>, outcome: Outcome]>([
    ['does not count attempts that a person or a new event asked for', { isUnscheduled: true }, FAILED],
    ['costs an endpoint that works nothing', {}, DELIVERED],
    ['is not opened by a broker', {}, UNTRACED],
  ])('%s', async (_what, more, outcome) => {
    await owe(12);
    const owed = (await claim()).map((delivery) => ({ ...delivery, ...more }));
    expect(await settleAll(owed, outcome)).toEqual([]);
    expect(await circuit()).toBeUndefined();
  });
});

describe('a probe', () => {
  it('is taken by one asker, when it is due', async () => {
    await opened();
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([]);
    await probeNow();
    const asked = await Promise.all(
      [one, two].map((stores) => stores.deliveries.takeProbes([endpoint], LEASE_MS)),
    );
    expect(asked.flat()).toEqual([NEXT()]);
  });

  it('comes after a quarter of the outage so far, within bounds', async () => {
    await opened();
    for (const [outage, seconds] of [
      ['0 s', 30],
      ['119 s', 30],
      ['2 min', 30],
      ['4 min', 60],
      ['20 min', 300],
      ['40 min', 600],
      ['4 days', 600],
    ] as const) {
      await db.query(`UPDATE endpoint_circuit SET probed_at = NULL, probing_until = NULL`);
      await probeNow();
      await failingFor(outage);
      expect([outage, await one.deliveries.takeProbes([endpoint], LEASE_MS)]).toEqual([outage, [NEXT()]]);
      const probeInS = Number((await circuit())?.['probe_in_s']);
      expect([outage, Math.abs(probeInS - seconds) < 5]).toEqual([outage, true]);
    }
  });

  it('comes by the same rule when a circuit opens that has failed for long', async () => {
    await owe(10);
    const owed = await claim();
    await settleAll(owed.slice(0, 9), FAILED);
    await failingFor('20 min');
    await settleAll(owed.slice(9), FAILED);
    expect(Math.abs(Number((await circuit())?.['probe_in_s']) - 300)).toBeLessThan(5);
  });

  it('is at once what was never tried, 5 s after the last one and while none is in flight', async () => {
    await opened();
    await owe(2);
    const asked = await Promise.all(
      [one, two].map((stores) => stores.deliveries.takeProbes([endpoint], LEASE_MS)),
    );
    expect(asked.flat()).toEqual([UNTRIED()]);
    const probe = await claim(one, { free: 1, untried: 'only' });
    const [newest] = await db.query<{ id: string }>(`SELECT max(id)::text AS id FROM delivery`);
    expect(probe).toMatchObject([{ ...newest, attempts: 0, sequence: 1 }]);
    await db.query(`UPDATE endpoint_circuit SET probed_at = now() - interval '5 s'`);
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([]);
    await settleAll(probe, FAILED);
    expect(await two.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([UNTRIED()]);
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([]);
    // The process of the probe died: the probe counts as in flight only for its lease.
    await db.query(`UPDATE endpoint_circuit SET probed_at = now() - interval '5 s', probing_until = now()`);
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([UNTRIED()]);
  });

  it('is also the next event of a payment that the endpoint takes, and none of a lane that fails', async () => {
    await owe(1);
    await settleAll(await claim(), DELIVERED);
    await opened();
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([]);
    await db.query(
      `UPDATE delivery SET state = 'pending', lane_state = 'head', attempts = 0, due_at = now() WHERE state = 'delivered'`,
    );
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([UNTRIED()]);
    expect(await claim(one, { free: 5, untried: 'only' })).toHaveLength(1);
  });

  it.each([
    ['was given up', `state = 'failed', due_at = NULL`],
    ['waits behind an earlier event of its payment', `lane_state = 'waiting'`],
  ])('waits for something to send where everything %s', async (_what, set) => {
    await opened();
    await db.query(`UPDATE delivery SET ${set} WHERE destination_id = $1`, [endpoint]);
    await probeNow();
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([]);
    await owe(1);
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([NEXT()]);
  });

  it('is the delivery that is due next, and uses up none of its schedule when it comes early', async () => {
    await opened();
    expect(await claim()).toEqual([]);
    const [early] = await claim(one, { free: 1, isProbe: true });
    expect(early).toMatchObject({ attempts: 1, retries: 0 });
    expect(early?.resumeInMs).toBeGreaterThan(50_000);
    expect(early?.resumeInMs).toBeLessThanOrEqual(60_000);
    const [next] = await claim(two, { free: 1, isProbe: true });
    expect(next?.id).not.toBe(early?.id);
    await one.deliveries.settle(early === undefined ? [] : [ended(early, FAILED)]);
    await db.query(`UPDATE delivery SET due_at = now() - interval '1 second' WHERE id = $1`, [early?.id]);
    const [due] = await claim(one, { free: 1, isProbe: true });
    expect(due).toMatchObject({ id: early?.id, attempts: 2, retries: 1, resumeInMs: null });
  });

  it('that succeeds makes what waits for a retry due, in parts, and closes the circuit at the end', async () => {
    await opened();
    const probe = await claim(one, { free: 1, isProbe: true });
    expect(await settleAll(probe, DELIVERED)).toEqual([{ targetId: endpoint, change: 'recovered' }]);
    expect(await circuit()).toMatchObject({ state: 'recovering', failures: 0 });
    expect(await claim()).toEqual([]);
    await db.query(`SELECT bring_forward($1, 4)`, [endpoint]);
    expect(await circuit()).toMatchObject({ state: 'recovering' });
    const first = await claim();
    expect(first.map(({ attempts, retries }) => [attempts, retries])).toEqual(
      Array.from({ length: 4 }, () => [1, 0]),
    );
    await settleAll(first.slice(0, 1), FAILED);
    await one.deliveries.bringForward(endpoint);
    expect(await circuit()).toMatchObject({ state: 'closed', failures: 0 });
    // Leaves out deliveries that failed after the endpoint recovered, which keep their schedule.
    expect(await claim()).toHaveLength(5);
  });
});

describe('a test that was delivered', () => {
  const answered = (stores = one, url = 'x'): Promise<boolean> =>
    endpointsOn(stores).recordTestDelivered({
      id: endpoint,
      url,
      description: null,
      secrets: [],
    });

  it('makes an open circuit recover for all replicas, once', async () => {
    await opened();
    expect((await Promise.all([answered(one), answered(two)])).sort()).toEqual([false, true]);
    expect(await circuit()).toMatchObject({ state: 'recovering', failures: 0, probe_in_s: null });
    await two.deliveries.bringForward(endpoint);
    expect(await claim(two)).toHaveLength(10);
  });

  it('changes nothing about a circuit that is not open, or of another URL', async () => {
    expect(await answered()).toBe(false);
    await owe(10);
    const owed = await claim();
    await settleAll(owed.slice(0, 9), FAILED);
    expect(await answered()).toBe(false);
    expect(await circuit()).toMatchObject({ state: 'closed', failures: 9 });
    await settleAll(owed.slice(9), FAILED);
    expect(await answered(one, 'the former url')).toBe(false);
    expect(await circuit()).toMatchObject({ state: 'open' });
  });

  it('loses no failure that is counted at the same time, and ten more open the circuit again', async () => {
    await owe(21);
    const owed = await claim();
    await settleAll(owed.slice(0, 10), FAILED);
    let both: Promise<[boolean, unknown]> | undefined;
    const circuitRow = 'SELECT 1 FROM endpoint_circuit WHERE destination_id = $1 FOR UPDATE';
    await whileHeld(db, [circuitRow, [endpoint]], async () => {
      // Both statements wait for the row: in either order, the failure counts and the circuit recovers.
      both = Promise.all([answered(two), settleAll(owed.slice(10, 11), FAILED)]);
      await untilLocked(db, 2);
    });
    expect((await both)?.[0]).toBe(true);
    const { state, failures } = (await circuit()) ?? {};
    expect(state).toBe('recovering');
    expect([0, 1]).toContain(failures);
    const changes = await settleAll(owed.slice(11), FAILED);
    expect(changes).toEqual([{ targetId: endpoint, change: 'opened' }]);
  });
});

describe('the time of the last delivery', () => {
  const deliveredAt = async (): Promise<Date | null> => {
    const [row] = await db.query<{ delivered_at: Date | null }>(
      `SELECT delivered_at FROM destination WHERE id = $1`,
      [endpoint],
    );
    return row?.delivered_at ?? null;
  };

  it('is written with the first success, and no more often than each 5 s', async () => {
    await owe(4);
    const owed = await claim();
    await settleAll(owed.slice(0, 1), FAILED);
    expect(await deliveredAt()).toBeNull();
    await settleAll(owed.slice(1, 2), DELIVERED);
    const first = await deliveredAt();
    expect(first).not.toBeNull();
    await settleAll(owed.slice(2, 3), DELIVERED);
    expect(await deliveredAt()).toEqual(first);
    await db.query(`UPDATE destination SET delivered_at = now() - interval '6 s' WHERE id = $1`, [endpoint]);
    await settleAll(owed.slice(3), DELIVERED);
    expect((await deliveredAt())?.getTime()).toBeGreaterThan(first?.getTime() ?? Infinity);
  });

  it('is not waited for where somebody else holds the endpoint', async () => {
    await owe(1);
    const row = 'SELECT 1 FROM destination WHERE id = $1 FOR UPDATE';
    await whileHeld(db, [row, [endpoint]], async () => {
      await settleAll(await claim(), DELIVERED);
    });
    expect(await deliveredAt()).toBeNull();
  });
});

describe('what waits at a recovering endpoint', () => {
  const lockWaiting = `SELECT 1 FROM delivery WHERE destination_id = $1 FOR UPDATE`;
  let other: pg.Client;

  beforeEach(async () => {
    await opened();
    await settleAll(await claim(one, { free: 1, isProbe: true }), DELIVERED);
    other = new pg.Client({ connectionString: db.url });
    await other.connect();
    await other.query('BEGIN');
  });
  afterEach(() => other.end());

  it('is brought forward later where somebody else holds it for a moment', async () => {
    await other.query(lockWaiting, [endpoint]);
    await one.deliveries.bringForward(endpoint);
    expect(await circuit()).toMatchObject({ state: 'recovering' });
    await other.query('COMMIT');
    await one.deliveries.bringForward(endpoint);
    expect(await circuit()).toMatchObject({ state: 'closed' });
    expect(await claim()).toHaveLength(9);
  });

  /** Tells which of two deadlocked statements PostgreSQL ended: it ends the one that has waited for a second. */
  async function endedByDeadlock(): Promise<'store' | 'test'> {
    await other.query('SELECT 1 FROM endpoint_circuit WHERE destination_id = $1 FOR UPDATE', [endpoint]);
    const bringing = one.deliveries.bringForward(endpoint);
    await untilLocked(db);
    const ended = await other.query(lockWaiting, [endpoint]).then(
      () => 'store' as const,
      () => 'test' as const,
    );
    await other.query('COMMIT');
    await bringing;
    return ended;
  }

  it('is brought forward also after a deadlock', async () => {
    // If the test's own statement comes a second late, PostgreSQL ends the test's.
    for (let tries = 0; (await endedByDeadlock()) === 'test'; tries += 1) {
      expect(tries).toBeLessThan(5);
      await other.query('BEGIN');
      endpoint = await addDestination(db);
      await opened();
      await settleAll(await claim(one, { free: 1, isProbe: true }), DELIVERED);
    }
    await one.deliveries.bringForward(endpoint);
    expect(await claim()).toHaveLength(9);
  });
});

describe('an endpoint that fails everything', () => {
  const disabled = async (): Promise<unknown> =>
    (await db.query('SELECT enabled, disabled_reason FROM destination WHERE id = $1', [endpoint]))[0];

  it.each([
    ['for 5 days and 20 times is disabled', 19, '5 days', true],
    ['for 5 days, but 19 times, is not', 18, '5 days', false],
    ['20 times, but for less than 5 days, is not', 30, '4 days 23 hours 59 minutes', false],
  ])('%s', async (_, failures, since, isDisabled) => {
    await owe(1);
    await db.query(
      `INSERT INTO endpoint_circuit (destination_id, state, failures, failing_since)
       VALUES ($1, 'open', $2, now() - $3::interval)`,
      [endpoint, failures, since],
    );
    const changes = await settleAll(await claim(one, { isProbe: true }), FAILED);
    expect(changes.filter(({ change }) => change !== 'open')).toEqual(
      isDisabled ? [{ targetId: endpoint, change: 'disabled' }] : [],
    );
    expect(await disabled()).toEqual({
      enabled: !isDisabled,
      disabled_reason: isDisabled ? 'failed everything for 5 days' : null,
    });
  });
});
