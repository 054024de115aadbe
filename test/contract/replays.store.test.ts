import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';

import { settleDeliveries } from '../../src/database/deliveries/deliveries.store.ts';
import { unsentOf } from '../../src/database/deliveries/pending-of-endpoints.ts';
import type { DueDelivery, Settlement } from '../../src/ports/deliveries.ts';
import { ReplayRunning, type EventReplay } from '../../src/ports/replays.ts';
import { moved } from '../support/poll-results.ts';
import { addDestination, emptyTables, OF_PAYMENTS, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { done, failed } from '../support/settlements.ts';

const EVER = new Date('2000-01-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;
const STEPS = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'] as const;

/** Adds payments with events of this time; the first events of all payments come before all second ones. */
async function fill(payments: number, events: number, at = new Date()): Promise<void> {
  await db.query(
    `INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
       report_digest, stalls, contradictions)
     SELECT 'http', 'filled-' || i, 'COMPLETED', false, $2, 'closed', $3, $3, $3, '', '', '{}', '{}'
     FROM generate_series(1, $1::int) i`,
    [payments, events, at],
  );
  await db.query(
    `INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
     SELECT gen_random_uuid(), p.id, n, 'payment.completed', $2, '{}'
     FROM generate_series(1, $1::int) n, payment p ORDER BY n, p.id`,
    [events, at],
  );
}

interface LaneRow {
  readonly id: string;
  readonly state: string;
  readonly lane_state: 'waiting' | 'head' | 'released';
  readonly retries: number;
  readonly is_due: boolean | null;
}

let endpoint: string;

const { db, one, two } = await openReplicas();
beforeEach(async () => {
  await emptyTables(db, ...OF_PAYMENTS);
  endpoint = await addDestination(db);
});

const enable = (isEnabled: boolean, id = endpoint): Promise<unknown> =>
  db.query(`UPDATE destination SET enabled = $2 WHERE id = $1`, [id, isEnabled]);

async function added(): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add(paymentToAdd(quoteId));
  return quoteId;
}

/** Adds a payment with its four events. */
async function walked(): Promise<string> {
  const quoteId = await added();
  for (const step of STEPS) await moved(one, quoteId, step);
  return quoteId;
}

const claim = (stores = one, free = 10, destinationId = endpoint): Promise<DueDelivery[]> =>
  stores.deliveries.claim([{ destinationId, free, isProbe: false }], 20_000);

/** Claims and acknowledges until nothing is due; returns the numbers in the order of the claims. */
async function drain(stores = one): Promise<number[]> {
  const order: number[] = [];
  for (;;) {
    const owed = await claim(stores, 50);
    if (owed.length === 0) return order;
    order.push(...owed.map(({ sequence }) => sequence));
    await stores.deliveries.settle(owed.map(done));
  }
}

/** Lets everything that is owed be given up. */
async function giveUpAll(): Promise<void> {
  for (;;) {
    const owed = await claim(one, 50);
    if (owed.length === 0) return;
    await one.deliveries.settle(owed.map((each) => failed(each, null)));
  }
}

async function started(since = EVER): Promise<EventReplay> {
  const replay = await one.replays.start(endpoint, since);
  if (replay === null) throw new Error('no such endpoint');
  return replay;
}

function unlessRunning(error: unknown): null {
  if (error instanceof ReplayRunning) return null;
  throw error;
}

async function workOffAll(stores = one): Promise<void> {
  while ((await stores.replays.runBatch()) !== null);
}

async function recovered(since = EVER): Promise<EventReplay | null> {
  const { id } = await started(since);
  await workOffAll();
  return one.replays.find(endpoint, id);
}

function laneOf(quoteId: string, destinationId = endpoint): Promise<LaneRow[]> {
  return db.query<LaneRow>(
    `SELECT d.id, d.state, d.lane_state, d.retries, d.due_at <= now() AS is_due
     FROM delivery d JOIN payment p ON p.id = d.payment_id
     WHERE p.quote_id = $1 AND d.destination_id = $2 ORDER BY d.sequence, d.id`,
    [quoteId, destinationId],
  );
}

const statesOf = async (quoteId: string, destinationId = endpoint): Promise<string[]> =>
  (await laneOf(quoteId, destinationId)).map(({ state }) => state);

/** Each delivery as `pending head 0 due`: its state, its place in the lane, its retries and whether it is due. */
const shown = async (quoteId: string): Promise<string[]> =>
  (await laneOf(quoteId)).map(
    ({ state, lane_state: lane, retries, is_due: isDue }) =>
      `${state} ${lane} ${retries}${isDue === true ? ' due' : ''}`,
  );

describe('a recovery', () => {
  it('sends given up events again in order, with the whole schedule before them, and counts attempts on', async () => {
    const quoteId = await walked();
    await giveUpAll();
    expect(await recovered()).toMatchObject({
      count: 4,
      done: 4,
      state: 'done',
      finishedAt: expect.any(Date),
    });
    expect(await shown(quoteId)).toEqual([
      'pending head 0 due',
      'pending waiting 0',
      'pending waiting 0',
      'pending waiting 0',
    ]);
    const [head] = await claim();
    expect(head).toMatchObject({ sequence: 1, attempts: 1, retries: 0, isUnscheduled: false });
    await one.deliveries.settle([done(head as DueDelivery)]);
    expect(await drain()).toEqual([2, 3, 4]);
  });

  it('leaves alone what was acknowledged, in this lane and in others', async () => {
    const quoteId = await walked();
    await drain();
    expect(await recovered()).toMatchObject({ count: 0, done: 0, state: 'done' });
    await db.query(`UPDATE delivery SET state = 'failed' WHERE sequence = 2`);
    expect(await recovered()).toMatchObject({ count: 1, done: 1, state: 'done' });
    expect(await statesOf(quoteId)).toEqual(['delivered', 'pending', 'delivered', 'delivered']);
    expect(await drain()).toEqual([2]);
    expect(await statesOf(quoteId)).toEqual(Array(4).fill('delivered'));
  });

  it('sends what the endpoint was never owed: made later, or disabled meanwhile', async () => {
    await walked();
    endpoint = await addDestination(db);
    const quoteId = await added();
    await enable(false);
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    await enable(true);
    await moved(one, quoteId, 'EXECUTING');
    expect(await recovered()).toMatchObject({ count: 7, done: 7 });
    expect(await shown(quoteId)).toEqual(['pending head 0 due', 'pending waiting 0', 'pending waiting 0']);
    expect((await drain()).toSorted((a, b) => a - b)).toEqual([1, 1, 2, 2, 3, 3, 4]);
    expect(await drain()).toEqual([]);
  });

  it('goes by the types that the endpoint wants now', async () => {
    const quoteId = await walked();
    await giveUpAll();
    await db.query(`UPDATE destination SET event_types = '{payment.completed,payment.executing}'`);
    expect(await one.replays.count(endpoint, EVER)).toEqual({ count: 2, exact: true });
    expect(await recovered()).toMatchObject({ count: 2, done: 2 });
    expect(await statesOf(quoteId)).toEqual(['failed', 'failed', 'pending', 'pending']);
    expect(await drain()).toEqual([3, 4]);
  });

  it('of many events begins before they are counted, and counts them while it runs', async () => {
    const before = new Date(Date.now() - HOUR_MS);
    await fill(10_500, 1, before);
    expect(await one.replays.count(endpoint, before)).toEqual({ count: 10_500, exact: true });
    const { id, ...replay } = await started(before);
    expect(replay).toMatchObject({ count: 10_000, exact: false, state: 'running' });
    await workOffAll();
    const ended = { count: 10_500, done: 10_500, exact: true, state: 'done' };
    expect(await one.replays.find(endpoint, id)).toMatchObject(ended);
    expect(await one.replays.count(endpoint, new Date())).toEqual({ count: 0, exact: true });
  });

  it('begins with the events of its instant', async () => {
    const quoteId = await walked();
    await giveUpAll();
    await db.query(`UPDATE event SET time = '2026-11-20T12:00:00Z'::timestamptz + sequence * interval '1 s'`);
    const since = new Date('2026-11-20T12:00:03.000Z');
    expect(await one.replays.count(endpoint, since)).toEqual({ count: 2, exact: true });
    expect(await recovered(since)).toMatchObject({ count: 2, done: 2, since });
    expect(await statesOf(quoteId)).toEqual(['failed', 'failed', 'pending', 'pending']);
  });

  it('since a time to come, or as far back as can be said, is done with what there is', async () => {
    await walked();
    expect(await started(new Date(Date.now() + HOUR_MS))).toMatchObject({
      count: 0,
      done: 0,
      state: 'done',
      finishedAt: expect.any(Date),
    });
    expect(await recovered(new Date('0001-01-01T00:00:00.000Z'))).toMatchObject({ count: 4, state: 'done' });
    expect(await recovered(new Date('0000-01-01'))).toMatchObject({ count: 4, state: 'done' });
    expect(await recovered(new Date('9999-12-31T23:59:59.999Z'))).toMatchObject({ count: 0, state: 'done' });
  });

  it('makes what waits for a retry due at once, and brings what was released back into its order', async () => {
    const quoteId = await walked();
    await one.deliveries.settle((await claim()).map((each) => failed(each, HOUR_MS, false)));
    await one.deliveries.settle((await claim()).map((each) => failed(each, HOUR_MS)));
    expect(await claim()).toEqual([]);
    expect(await shown(quoteId)).toEqual([
      'pending released 1',
      'pending head 1',
      'pending waiting 0',
      'pending waiting 0',
    ]);
    expect(await recovered()).toMatchObject({ count: 4, done: 4 });
    expect(await shown(quoteId)).toEqual([
      'pending head 0 due',
      'pending waiting 0',
      'pending waiting 0',
      'pending waiting 0',
    ]);
    expect(await drain()).toEqual([1, 2, 3, 4]);
  });

  it('is alone at its endpoint, however many are asked for at once at two replicas', async () => {
    await walked();
    const asked = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? one : two).replays.start(endpoint, EVER),
    );
    const came = await Promise.allSettled(asked);
    const won = came.flatMap((each) => (each.status === 'fulfilled' ? [each.value?.id] : []));
    expect(won).toHaveLength(1);
    for (const each of came)
      if (each.status === 'rejected')
        expect(each.reason).toMatchObject({ code: 'recovery_running', members: { recoveryId: won[0] } });
    const other = await addDestination(db);
    expect(await two.replays.start(other, EVER)).toMatchObject({ state: 'running' });
    expect(await two.replays.count(endpoint, EVER)).toEqual({ count: 4, exact: true });
    await workOffAll();
    expect(await two.replays.start(endpoint, EVER)).toMatchObject({ state: 'running' });
  });

  it('sends discarded events again', async () => {
    await walked();
    await db.query(`UPDATE delivery SET state = 'discarded', due_at = NULL, lane_state = 'waiting'`);
    expect(await recovered()).toMatchObject({ count: 4, done: 4 });
    expect(await drain()).toEqual([1, 2, 3, 4]);
  });

  it('puts an older head behind nothing and a later one behind what it recovers, beside their schedules', async () => {
    const [early, late] = [await walked(), await walked()];
    await giveUpAll();
    await db.query(`UPDATE delivery SET state = 'pending', lane_state = 'head', retries = 3, attempts = 3,
      due_at = now() + interval '1 hour', first_attempt_at = now() - interval '1 minute'
      FROM payment p WHERE p.id = payment_id
        AND ((p.quote_id = '${early}' AND delivery.sequence = 1) OR (p.quote_id = '${late}' AND delivery.sequence = 4))`);
    await db.query(`UPDATE event SET time = '2026-11-20T12:00:00Z'::timestamptz + sequence * interval '1 s'`);
    await db.query(`UPDATE event SET type = 'payment.stalled' WHERE sequence = 4`);
    await db.query(`UPDATE destination SET event_types = '{payment.deposit_received,payment.executing}'`);
    expect(await recovered(new Date('2026-11-20T12:00:02Z'))).toMatchObject({ count: 4, done: 4 });
    expect(await shown(early)).toEqual([
      'pending head 2 due',
      'pending waiting 0',
      'pending waiting 0',
      'failed head 1',
    ]);
    expect(await shown(late)).toEqual([
      'failed head 1',
      'pending head 0 due',
      'pending waiting 0',
      'pending waiting 2',
    ]);
    expect((await drain()).toSorted((a, b) => a - b)).toEqual([1, 2, 2, 3, 3, 4]);
  });

  it('lets an attempt that is under way go on: its outcome counts, and what follows comes after it', async () => {
    const quoteId = await walked();
    const [underWay] = await claim();
    expect(await recovered()).toMatchObject({ count: 4, done: 4 });
    expect(await claim(two)).toEqual([]);
    await one.deliveries.settle([done(underWay as DueDelivery)]);
    expect(await drain(two)).toEqual([2, 3, 4]);
    expect(await statesOf(quoteId)).toEqual(Array(4).fill('delivered'));
  });

  it('does not wait for a released event that is under way', async () => {
    await walked();
    await one.deliveries.settle((await claim()).map((each) => failed(each, 0, false)));
    const both = await claim();
    expect(both.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual([1, 2]);
    const [released, head] = both.toSorted((a, b) => a.sequence - b.sequence) as [DueDelivery, DueDelivery];
    await one.deliveries.settle([failed(head, null)]);
    await recovered();
    expect((await claim()).map(({ sequence }) => sequence)).toEqual([2]);
    await one.deliveries.settle([done(released)]);
  });

  it('waits for an outcome that is just being committed, and strands nothing behind it', async () => {
    const quoteId = await walked();
    await giveUpAll();
    await db.query(
      `UPDATE delivery SET state = 'pending', lane_state = 'head', due_at = now() WHERE sequence = 4`,
    );
    const [head] = await claim();
    const { id } = await started();
    let work: Promise<number | null> | undefined;
    await one.database.transaction(async (queries) => {
      await settleDeliveries(queries, [done(head as DueDelivery)]);
      work = two.replays.runBatch();
      const isWaiting = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitFor(async () => (await db.query(isWaiting)).length > 0);
    });
    expect(await work).toBe(3);
    expect(await one.replays.find(endpoint, id)).toMatchObject({ count: 4, done: 3, state: 'done' });
    expect(await shown(quoteId)).toEqual([
      'pending head 0 due',
      'pending waiting 0',
      'pending waiting 0',
      'delivered head 2',
    ]);
  });

  it('leaves a released event of before that time to its own schedule', async () => {
    const quoteId = await walked();
    await one.deliveries.settle((await claim()).map((each) => failed(each, HOUR_MS, false)));
    await giveUpAll();
    await db.query(`UPDATE event SET time = '2026-11-20T12:00:00Z'::timestamptz + sequence * interval '1 s'`);
    await recovered(new Date('2026-11-20T12:00:02Z'));
    expect(await shown(quoteId)).toEqual([
      'pending released 1',
      'pending head 0 due',
      'pending waiting 0',
      'pending waiting 0',
    ]);
  });

  it('is of one endpoint alone, and never of the exchange', async () => {
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    const other = await addDestination(db);
    const quoteId = await walked();
    await giveUpAll();
    await db.query(`UPDATE delivery SET state = 'failed', due_at = NULL`);
    await recovered();
    for (const untouched of [other, EXCHANGE_ID])
      expect(await statesOf(quoteId, untouched)).toEqual(Array(4).fill('failed'));
    expect(await one.replays.start(EXCHANGE_ID, EVER)).toBeNull();
    expect(await one.replays.count(EXCHANGE_ID, EVER)).toEqual({ count: 0, exact: true });
    expect(await one.replays.start(randomUUID(), EVER)).toBeNull();
  });

  it('takes no event that is recorded after it was asked for: that is owed anyway', async () => {
    const quoteId = await added();
    await giveUpAll();
    const { id } = await started();
    await moved(one, quoteId, 'COMPLETED');
    await workOffAll();
    expect(await one.replays.find(endpoint, id)).toMatchObject({ count: 1, done: 1 });
    expect(await drain()).toEqual([1, 2]);
  });

  it('waits for who records while the endpoint is enabled, and has left it out', async () => {
    const quoteId = await added();
    await drain();
    await enable(false);
    const query = jest.spyOn(one.database, 'query');
    const starting = await two.database.transaction(async (queries) => {
      await queries.query(
        `SELECT record_events(ARRAY[gen_random_uuid()], array_agg(id), '{2}', '{payment.completed}', '{x}', '{}', now(), '{}', '{}', '[]')
         FROM payment WHERE quote_id = $1`,
        [quoteId],
      );
      await enable(true);
      query.mockClear();
      const promise = started();
      await waitFor(() => query.mock.calls.length > 1, { what: 'a second statement' });
      return { promise };
    });
    query.mockRestore();
    expect(await starting.promise).toMatchObject({ count: 1, state: 'running' });
    await workOffAll();
    expect(await drain()).toEqual([2]);
  });

  it('without a time begins with the earliest event that was not sent, also if a process recorded it late', async () => {
    await added();
    await drain();
    await enable(false);
    for (let event = 0; event < 2; event += 1) await added();
    const later = await added();
    await db.query(
      `UPDATE event SET time = time - interval '7 s' WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
      [later],
    );
    await enable(true);
    const [row] = await db.query<{ it: { since: string } }>(unsentOf(`'${endpoint}'`, 10));
    const [first] = await db.query<{ time: Date }>(
      `SELECT min(e.time) AS time FROM event e JOIN payment p
      ON p.id = e.payment_id WHERE p.quote_id = $1`,
      [later],
    );
    expect(new Date(row?.it.since ?? 0)).toEqual(first?.time);
    expect(await one.replays.start(endpoint, null)).toMatchObject({ count: 3, exact: true });
    await workOffAll();
    expect(await drain()).toEqual([1, 1, 1]);
    expect(await one.replays.start(endpoint, null)).toMatchObject({ count: 0, state: 'done' });
  });

  it('counts on when more is missed than there was when it was asked for', async () => {
    const quoteId = await walked();
    await drain();
    await db.query(`UPDATE delivery SET state = 'failed' WHERE sequence IN (1, 4)`);
    const { id, count } = await started();
    await one.deliveryLog.retry((await laneOf(quoteId))[1]?.id ?? '');
    await workOffAll();
    expect([count, await one.replays.find(endpoint, id)]).toEqual([
      2,
      expect.objectContaining({ count: 3, done: 3, state: 'done' }),
    ]);
  });

  it('has the endpoint probed while its circuit is open, once there is something that is not locked', async () => {
    await db.query(
      `INSERT INTO endpoint_circuit (destination_id, state, failures, probe_at, probed_at)
       VALUES ($1, 'open', 12, now() + interval '9 minutes', now())`,
      [endpoint],
    );
    await walked();
    expect(await one.deliveries.takeProbes([endpoint], 1_000)).toEqual([]);
    await started();
    expect(await one.deliveries.takeProbes([endpoint], 1_000)).toEqual([]);
    await workOffAll();
    expect(await one.deliveries.takeProbes([endpoint], 1_000)).toEqual([
      { targetId: endpoint, isUntried: false },
    ]);
  });

  it('stops when its endpoint is disabled or deleted, and a running one disturbs no other', async () => {
    await walked();
    await giveUpAll();
    const [first, mine] = [await started(), endpoint];
    await enable(false);
    endpoint = await addDestination(db);
    const second = await started();
    await db.query(`DELETE FROM destination WHERE id = $1`, [endpoint]);
    endpoint = await addDestination(db);
    const third = await started();
    await workOffAll();
    const ended = { state: 'stopped', done: 0, finishedAt: expect.any(Date) };
    expect(await one.replays.find(mine, first.id)).toMatchObject(ended);
    expect(await one.replays.find(second.endpointId, second.id)).toMatchObject(ended);
    expect(await one.replays.find(endpoint, third.id)).toMatchObject({ state: 'done', done: 4 });
    endpoint = mine;
    await enable(true);
    expect(await recovered()).toMatchObject({ count: 4, state: 'done' });
  });

  it('is listed newest first, found only at its endpoint, and forgotten after its time', async () => {
    const first = await started();
    await walked();
    const second = await started();
    expect(await one.replays.list(endpoint, 100)).toEqual([second, first]);
    expect(await one.replays.list(endpoint, 1)).toEqual([second]);
    expect(second).toMatchObject({ state: 'running', endpointId: endpoint, count: 4, finishedAt: null });
    expect(await one.replays.find(await addDestination(db), first.id)).toBeNull();
    expect(await one.replays.removeEnded(new Date(Date.now() - HOUR_MS))).toBe(0);
    expect(await one.replays.removeEnded(new Date(Date.now() + HOUR_MS))).toBe(1);
    expect(await one.replays.list(endpoint, 100)).toEqual([second]);
  });
});

describe('a recovery of more than one batch', () => {
  it('works in bounded steps that each record how far it is, and keeps the order across them', async () => {
    await fill(600, 2);
    const { id } = await started();
    expect(await one.replays.runBatch()).toBe(500);
    expect(await one.replays.find(endpoint, id)).toMatchObject({
      state: 'running',
      count: 1200,
      done: 500,
    });
    const order = new Map<string, number[]>();
    const deliverAll = async (): Promise<void> => {
      for (let owed = await claim(one, 200); owed.length > 0; owed = await claim(one, 200)) {
        for (const { quoteId, sequence } of owed)
          order.set(quoteId, [...(order.get(quoteId) ?? []), sequence]);
        await one.deliveries.settle(owed.map(done));
      }
    };
    await deliverAll();
    expect(order.size).toBe(500);
    await workOffAll(two);
    await deliverAll();
    expect([...order.values()].filter((each) => each.join() !== '1,2')).toEqual([]);
    expect(order.size).toBe(600);
    expect(await one.replays.find(endpoint, id)).toMatchObject({ state: 'done', done: 1200 });
  });

  it('is worked on by one replica at a time, and a batch that is cut off leaves nothing of itself', async () => {
    await fill(300, 2);
    const { id } = await started();
    const cutOff = one.database.transaction(async (queries) => {
      await queries.query('SELECT work_off_replay(2000, 500)');
      expect(await two.replays.runBatch()).toBeNull();
      throw new Error('killed');
    });
    await expect(cutOff).rejects.toThrow('killed');
    expect(await one.replays.find(endpoint, id)).toMatchObject({ state: 'running', done: 0 });
    expect(await db.query('SELECT 1 FROM delivery')).toEqual([]);
    expect([await two.replays.runBatch(), await two.replays.runBatch()]).toEqual([500, 100]);
    expect(await one.replays.find(endpoint, id)).toMatchObject({ state: 'done', done: 600 });
  });

  it('passes over what was acknowledged in bounded steps', async () => {
    await fill(2_500, 2);
    await db.query(`INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state)
      SELECT '${endpoint}', payment_id, position, sequence, 'delivered', 'head' FROM event
      WHERE position NOT IN (SELECT min(position) FROM event UNION SELECT max(position) FROM event)`);
    await started();
    const steps: (number | null)[] = [];
    for (let step = 0; step < 4; step += 1) steps.push(await one.replays.runBatch());
    expect(steps).toEqual([1, 0, 1, null]);
  });
});

describe('the race of recoveries with recorders, claims and outcomes', () => {
  type Step = 'claim' | 'acknowledge' | 'fail' | 'giveUp' | 'record' | 'recover' | 'work';
  const step = fc.constantFrom<Step>('claim', 'acknowledge', 'fail', 'giveUp', 'record', 'recover', 'work');

  it('strands nothing, doubles no head, and sends all that was missed in order from then on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, step, step), { minLength: 3, maxLength: 8 }),
        async (rounds) => {
          await emptyTables(db, 'delivery', 'event_replay', 'event', 'payment');
          const quoteIds = await Promise.all(Array.from({ length: 6 }, () => added()));
          let recorded = 0;
          let recording = Promise.resolve();
          const held: DueDelivery[] = [];
          const settleHeld = async (stores: Stores, as: (each: DueDelivery) => Settlement): Promise<void> => {
            const some = held.splice(0, 4);
            if (some.length > 0) await stores.deliveries.settle(some.map(as));
          };
          const act: Record<Step, (stores: Stores) => Promise<unknown>> = {
            claim: async (stores) => held.push(...(await claim(stores, 5))),
            acknowledge: (stores) => settleHeld(stores, done),
            fail: (stores) => settleHeld(stores, (each) => failed(each, HOUR_MS, each.sequence % 2 === 0)),
            giveUp: (stores) => settleHeld(stores, (each) => failed(each, null)),
            record: (stores) =>
              (recording = recording.then(async () => {
                const status = STEPS[recorded];
                recorded += 1;
                if (status !== undefined)
                  await Promise.all(quoteIds.slice(0, 3).map((id) => moved(stores, id, status)));
              })),
            recover: (stores) => stores.replays.start(endpoint, EVER).catch(unlessRunning),
            work: (stores) => stores.replays.runBatch(),
          };
          for (const [first, second, third] of rounds) {
            await Promise.all([act[first](one), act[second](two), act[third](one)]);
            expect(await doubledHeads()).toEqual([]);
          }
          while (held.length > 0) await settleHeld(one, (each) => failed(each, null));
          await workOffAll();
          const missed = await unacknowledged();
          await started();
          const late = quoteIds.map((id) => moved(two, id, 'FAILED'));
          await Promise.all([workOffAll(one), workOffAll(two), ...late]);
          expect(await doubledHeads()).toEqual([]);
          const order = await handedOut();
          for (const [quoteId, sequences] of missed)
            expect((order.get(quoteId) ?? []).filter((each) => sequences.includes(each))).toEqual(sequences);
          for (const sequences of order.values())
            expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
          expect(await unacknowledged()).toEqual(new Map());
        },
      ),
      { numRuns: 8 },
    );
  });

  /** Lanes with several heads, or with waiting deliveries and no head. */
  const doubledHeads = (): Promise<object[]> =>
    db.query(
      `SELECT payment_id FROM delivery WHERE state = 'pending' GROUP BY payment_id, destination_id
       HAVING count(*) FILTER (WHERE lane_state = 'head') > 1
         OR (count(*) FILTER (WHERE lane_state = 'waiting') > 0 AND count(*) FILTER (WHERE lane_state = 'head') = 0)
         OR count(*) FILTER (WHERE (lane_state = 'waiting') <> (due_at IS NULL)) > 0`,
    );

  async function unacknowledged(): Promise<Map<string, number[]>> {
    const rows = await db.query<{ quote_id: string; sequences: number[] }>(
      `SELECT p.quote_id, array_agg(e.sequence ORDER BY e.sequence) AS sequences
       FROM event e JOIN payment p ON p.id = e.payment_id
       WHERE NOT EXISTS (
         SELECT 1 FROM delivery d WHERE d.event_position = e.position AND d.destination_id = $1 AND d.state = 'delivered')
       GROUP BY p.quote_id`,
      [endpoint],
    );
    return new Map(rows.map((row) => [row.quote_id, row.sequences]));
  }

  /** The events of each payment published from now on, all acknowledged, by two replicas at once. */
  async function handedOut(): Promise<Map<string, number[]>> {
    const order = new Map<string, number[]>();
    for (;;) {
      const owed = (await Promise.all([claim(one, 4), claim(two, 4)])).flat();
      if (owed.length === 0) return order;
      for (const { quoteId, sequence } of owed) order.set(quoteId, [...(order.get(quoteId) ?? []), sequence]);
      await Promise.all([
        one.deliveries.settle(owed.slice(0, 3).map(done)),
        two.deliveries.settle(owed.slice(3).map(done)),
      ]);
    }
  }
});
