import { randomBytes, randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { SecretBox } from '../../src/database/secrets/secret-box.ts';
import type { DueDelivery, Settlement, Trace } from '../../src/ports/deliveries.ts';
import { DELIVERY_STATES, type DeliveryDetail, type DeliveryFilter } from '../../src/ports/delivery-log.ts';
import { moved } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { settled } from '../support/settlements.ts';

const LEASE_MS = 20_000;
const HOUR_MS = 3_600_000;
const STEPS = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'] as const;

let endpoint: string;

const { db, one, two } = await openReplicas();
beforeEach(async () => {
  await db.query('DELETE FROM destination');
  endpoint = await addDestination(db);
});

async function added(orderId: string | null = null): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add(paymentToAdd(quoteId, { orderId }));
  return quoteId;
}

/** Publishes this many events of one payment. */
async function published(count: number): Promise<string> {
  const quoteId = await added();
  for (const step of STEPS.slice(0, count - 1)) await moved(one, quoteId, step);
  return quoteId;
}

async function claim(stores = one, isProbe = false): Promise<DueDelivery[]> {
  return stores.deliveries.claim([{ destinationId: endpoint, free: 100, isProbe }], LEASE_MS);
}

const numbers = (owed: readonly DueDelivery[]): number[] => owed.map((delivery) => delivery.sequence);

const traceOf = (text: string) => ({ address: '127.0.0.1:80', excerpt: text });

function done(delivery: DueDelivery): Settlement {
  return settled(delivery, { kind: 'delivered', httpStatus: 200, trace: traceOf('ok') });
}

function failed(delivery: DueDelivery, retryInMs: number | null, holdsLane = true): Settlement {
  const outcome = { kind: 'failed', failure: 'status', httpStatus: 500, retryAfterMs: null } as const;
  return settled(delivery, { ...outcome, trace: traceOf('no') }, retryInMs, { holdsLane });
}

/** Attempts all due deliveries, each of which ends in this way. */
async function attempt(end: (delivery: DueDelivery) => Settlement): Promise<void> {
  await one.deliveries.settle((await claim()).map(end));
}

/** The payment's delivery of this number at the endpoint, as the API returns it. */
async function detail(quoteId: string, sequence: number): Promise<DeliveryDetail> {
  const { deliveries } = await one.deliveryLog.list({ endpointId: endpoint, quoteId, limit: 100 });
  const listed = deliveries.find((delivery) => delivery.sequence === sequence);
  const found = await one.deliveryLog.find(listed?.id ?? '0');
  if (found === null) throw new Error('no such delivery');
  const { eventText: _text, attempts: _attempts, ...rest } = found;
  if (found.nextAttemptAt === null || listed?.nextAttemptAt === null) expect(rest).toEqual(listed);
  return found;
}

async function retry(quoteId: string, sequence: number): Promise<boolean> {
  return one.deliveryLog.retry((await detail(quoteId, sequence)).id);
}

async function openCircuit(): Promise<void> {
  await db.query(
    `INSERT INTO endpoint_circuit (destination_id, state, failures, probe_at)
     VALUES ($1, 'open', 10, now() + interval '10 minutes')`,
    [endpoint],
  );
}

describe('the list of deliveries', () => {
  it('returns what became of each, newest first', async () => {
    const quoteId = await added('A-1');
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    await attempt((each) => failed(each, HOUR_MS));
    const { deliveries, nextCursor } = await one.deliveryLog.list({ quoteId, limit: 10 });
    expect(deliveries).toEqual([
      expect.objectContaining({ sequence: 2, type: 'payment.deposit_received', waitingFor: 'earlier_event' }),
      {
        id: expect.stringMatching(/^\d+$/),
        endpointId: endpoint,
        destination: { id: endpoint, kind: 'webhook', name: expect.any(String) },
        quoteId,
        orderId: 'A-1',
        eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        type: 'payment.created',
        sequence: 1,
        state: 'pending',
        attemptCount: 1,
        createdAt: expect.any(Date),
        lastAttemptAt: expect.any(Date),
        nextAttemptAt: expect.any(Date),
        lastFailure: 'status',
        lastHttpStatus: 500,
        waitingFor: 'retry',
      },
    ]);
    expect(nextCursor).toBeNull();
  });

  it("says of all that is pending that the endpoint's secret cannot be read, but not of what is under way", async () => {
    const quoteId = await added('A-1');
    await moved(one, quoteId, 'DEPOSIT_RECEIVED');
    await attempt((each) => failed(each, HOUR_MS));
    const underWay = await added();
    await claim();
    const done = await published(1);
    await db.query(
      `UPDATE delivery SET state = 'delivered', due_at = NULL
      WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
      [done],
    );
    await db.query(`UPDATE destination SET secrets = $2 WHERE id = $1`, [
      endpoint,
      new SecretBox(randomBytes(32)).seal('[]', endpoint),
    ]);
    const { deliveries } = await one.deliveryLog.list({ endpointId: endpoint, limit: 10 });
    const waits = deliveries.map((each) => [each.quoteId, each.sequence, each.waitingFor]);
    expect(waits).toEqual([
      [done, 1, null],
      [underWay, 1, null],
      [quoteId, 2, 'secret_unreadable'],
      [quoteId, 1, 'secret_unreadable'],
    ]);
    expect(deliveries.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([null, null, null, null]);
    const { id = '' } = deliveries[3] ?? {};
    expect(await one.deliveryLog.find(id)).toMatchObject({
      waitingFor: 'secret_unreadable',
      nextAttemptAt: null,
    });
    await db.query(`UPDATE destination SET enabled = false WHERE id = $1`, [endpoint]);
    expect(await one.deliveryLog.find(id)).toMatchObject({ waitingFor: 'disabled_endpoint' });
  });

  it('is empty for what is not known, and refuses the cursor of another list', async () => {
    const { deliveryLog, payments } = one;
    await published(2);
    for (const filter of [{ endpointId: randomUUID() }, { quoteId: 'nobody' }, { orderId: 'nobody' }])
      expect(await deliveryLog.list({ ...filter, limit: 5 })).toEqual({ deliveries: [], nextCursor: null });
    await added();
    const { nextCursor } = await payments.list({ limit: 1 });
    for (const cursor of [nextCursor ?? '', 'DROP TABLE', 'ZA', Buffer.from('d-1').toString('base64url')])
      await expect(deliveryLog.list({ limit: 1, cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  describe('among many', () => {
    let endpoints: string[];
    let quoteIds: string[];

    beforeEach(async () => {
      await db.query('DELETE FROM delivery');
      endpoints = [await addDestination(db), await addDestination(db), await addDestination(db)];
      await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
      quoteIds = [await added('A-7'), await added('A-7'), await added('A-8')];
      await db.query(`UPDATE payment SET resolution = '{}' WHERE quote_id = $1`, [quoteIds[1]]);
      await db.query(`UPDATE payment SET resolution = '{"reason":"released"}' WHERE quote_id = $1`, [
        quoteIds[2],
      ]);
      await db.query('DELETE FROM delivery');
      await fill(60, [...endpoints, EXCHANGE_ID]);
      await db.query('DELETE FROM destination WHERE id = $1', [endpoints[2]]);
    });

    afterEach(async () => {
      await db.query('DELETE FROM delivery');
    });

    async function fill(count: number, destinationIds: readonly string[]): Promise<void> {
      await db.query(
        `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state)
         SELECT ($2::uuid[])[1 + floor(random() * $3)::int], e.payment_id, e.position, 1,
           ($4::text[])[1 + floor(random() * 4)::int], 'waiting'
         FROM generate_series(1, $1) AS i JOIN (
           SELECT e.*, row_number() OVER (ORDER BY position) AS n FROM event e JOIN payment p ON p.id = e.payment_id
           WHERE p.quote_id = ANY ($5)) e ON e.n = 1 + i % 3
         ORDER BY i`,
        [count, destinationIds, destinationIds.length, DELIVERY_STATES, quoteIds],
      );
    }

    async function expected(filter: Partial<DeliveryFilter>): Promise<string[]> {
      const { endpointId, destinations = 'webhook', quoteId, orderId, states, resolved } = filter;
      const ofExchange = endpointId === 'rabbitmq';
      const rows = await db.query<{ id: string }>(
        `SELECT d.id FROM delivery d JOIN payment p ON p.id = d.payment_id
         WHERE ($6 = 'all' OR d.destination_id <> $1) AND ($6 <> 'existing' OR d.destination_id <> $8) AND ($2::uuid IS NULL OR d.destination_id = $2)
           AND ($3::text IS NULL OR p.quote_id = $3) AND ($4::text[] IS NULL OR d.state = ANY ($4))
           AND ($5::text IS NULL OR p.order_id = $5) AND ($7::boolean IS NULL OR $7 = (p.resolution IS NOT DISTINCT FROM '{}'))
         ORDER BY d.id DESC`,
        [
          EXCHANGE_ID,
          ofExchange ? EXCHANGE_ID : (endpointId ?? null),
          quoteId ?? null,
          states ?? null,
          orderId ?? null,
          ofExchange ? 'all' : destinations,
          resolved ?? null,
          endpoints[2],
        ],
      );
      return rows.map(({ id }) => id);
    }

    async function listed(filter: Partial<DeliveryFilter>, limit: number): Promise<string[]> {
      const ids: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await one.deliveryLog.list({ ...filter, limit, ...(cursor === null ? {} : { cursor }) });
        ids.push(...page.deliveries.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return ids;
    }

    const ofThird = (): Partial<DeliveryFilter> => ({ quoteId: quoteIds[2] ?? '', orderId: 'A-8' });

    async function checkAll(...ofDestinations: Partial<DeliveryFilter>[]): Promise<void> {
      for (const of of ofDestinations)
        for (const chosen of [{}, { quoteId: quoteIds[0] ?? '' }, { orderId: 'A-7' }, ofThird()])
          for (const [states, resolved] of [
            [undefined],
            [undefined, true],
            [['pending']],
            [['delivered'], false],
            [['pending', 'failed']],
            [['failed'], false],
          ] as const) {
            const filter = {
              ...of,
              ...chosen,
              ...(states === undefined ? {} : { states }),
              ...(resolved === undefined ? {} : { resolved }),
            };
            const all = await expected(filter);
            expect([filter, await listed(filter, 7)]).toEqual([filter, all]);
            const oldest = await listed({ ...filter, sort: 'oldest' }, 7);
            expect([filter, oldest]).toEqual([filter, all.toReversed()]);
            const counted = await one.deliveryLog.count(filter);
            expect([filter, counted]).toEqual([filter, { count: all.length, isMore: false }]);
          }
    }

    it('finds what fits every filter, page by page without a gap or a double, and the exchange where it is asked for', async () => {
      const ids = [endpoints[0], endpoints[2], EXCHANGE_ID, 'rabbitmq'] as string[];
      const destinations = [{ destinations: 'existing' }, { destinations: 'all' }] as const;
      await checkAll({}, ...ids.map((endpointId) => ({ endpointId })), ...destinations);
      expect(await listed({}, 20)).not.toHaveLength(0);
    });

    it('finds it behind thousands of rows of the exchange too', async () => {
      await fill(5_100, [EXCHANGE_ID]);
      await fill(5, endpoints);
      await checkAll({}, { endpointId: endpoints[0] ?? '' });
    });
  });
});

describe('a delivery', () => {
  it('shows the last hundred attempts, and how many there were', async () => {
    const quoteId = await published(1);
    for (let count = 0; count < 103; count += 1) await attempt((each) => failed(each, 0));
    const { attempts, attemptCount } = await detail(quoteId, 1);
    expect(attemptCount).toBe(103);
    expect(attempts.map(({ number }) => number)).toEqual(Array.from({ length: 100 }, (_none, n) => n + 4));
  });

  it('is unknown by an id that there is not', async () => {
    const id = '999999999999';
    expect([await one.deliveryLog.find(id), await one.deliveryLog.retry(id)]).toEqual([null, false]);
  });
});

describe('a delivery to the exchange', () => {
  const NAMED = { id: 'rabbitmq', kind: 'rabbitmq', name: 'RabbitMQ (exchange shop-payments)' };

  beforeEach(async () => {
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
  });

  /** The only delivery of the payment to the exchange. */
  async function ofExchange(quoteId: string): Promise<DeliveryDetail> {
    const { deliveries } = await one.deliveryLog.list({ endpointId: 'rabbitmq', quoteId, limit: 2 });
    expect(deliveries).toHaveLength(1);
    return (await one.deliveryLog.find(deliveries[0]?.id ?? '')) as DeliveryDetail;
  }

  async function publish(failure: string | null, trace?: Trace): Promise<void> {
    const due = await one.deliveries.claim(
      [{ destinationId: EXCHANGE_ID, free: 100, isProbe: false }],
      LEASE_MS,
    );
    const settlements = due.map((delivery): Settlement => {
      const isStored = failure !== null || delivery.attempts > 0;
      const outcome =
        failure === null
          ? ({ kind: 'delivered', httpStatus: null, isStored } as const)
          : ({
              kind: 'failed',
              failure,
              httpStatus: null,
              retryAfterMs: null,
              isStored,
              ...(trace && { trace }),
            } as const);
      return settled(delivery, outcome, failure === null ? null : 0);
    });
    await one.deliveries.settle(settlements);
  }

  it('has its name, its failures and the attempt that was confirmed', async () => {
    const quoteId = await published(1);
    await publish('nack');
    await publish('broker_refused', { address: null, excerpt: 'ACCESS_REFUSED' });
    await publish(null);
    const found = await ofExchange(quoteId);
    expect(found).toMatchObject({ endpointId: 'rabbitmq', destination: NAMED, state: 'delivered' });
    expect(found.attempts.map((each) => [each.number, each.failure, each.address, each.excerpt])).toEqual([
      [1, 'nack', null, null],
      [2, 'broker_refused', null, 'ACCESS_REFUSED'],
      [3, null, null, null],
    ]);
    expect(await db.query(`SELECT FROM endpoint_circuit WHERE destination_id = '${EXCHANGE_ID}'`)).toEqual(
      [],
    );
  });

  it('stores the first twenty attempts and the last, for it is retried without end', async () => {
    const quoteId = await published(1);
    for (let count = 0; count < 25; count += 1) await publish('nack');
    const { attempts, attemptCount } = await ofExchange(quoteId);
    expect(attemptCount).toBe(25);
    expect(attempts.map(({ number }) => number)).toEqual([
      ...Array.from({ length: 20 }, (_, n) => n + 1),
      25,
    ]);
  });

  it('is sent again when a person asks', async () => {
    const quoteId = await published(1);
    await publish(null);
    expect(await one.deliveryLog.retry((await ofExchange(quoteId)).id)).toBe(true);
    expect((await ofExchange(quoteId)).state).toBe('pending');
    await publish(null);
    expect((await ofExchange(quoteId)).attempts).toHaveLength(1);
  });
});

describe('what a pending delivery waits for', () => {
  const waits = async (quoteId: string, sequence = 1): Promise<unknown[]> => {
    const { waitingFor, nextAttemptAt } = await detail(quoteId, sequence);
    return [
      waitingFor,
      nextAttemptAt === null ? null : Math.round((+nextAttemptAt - Date.now()) / 60_000) || 0,
    ];
  };

  it('is nothing when it is due, its next attempt not before now, however long it is', async () => {
    const quoteId = await published(1);
    await db.query(`UPDATE delivery SET due_at = to_timestamp(0) WHERE destination_id = $1`, [endpoint]);
    expect(await waits(quoteId)).toEqual([null, 0]);
    await claim();
    await db.query(`UPDATE delivery SET due_at = now() - interval '1 hour' WHERE destination_id = $1`, [
      endpoint,
    ]);
    expect(await waits(quoteId)).toEqual([null, 0]);
  });

  it('is a retry, and an earlier event for those behind it', async () => {
    const quoteId = await published(2);
    await attempt((each) => failed(each, HOUR_MS));
    expect([await waits(quoteId, 1), await waits(quoteId, 2)]).toEqual([
      ['retry', 60],
      ['earlier_event', null],
    ]);
  });

  it('is the circuit of its endpoint, until the next probe or its own time, whatever is later', async () => {
    const quoteId = await published(1);
    await openCircuit();
    expect(await waits(quoteId)).toEqual(['circuit', 10]);
    await attempt((each) => failed(each, HOUR_MS));
    await db.query(`UPDATE endpoint_circuit SET state = 'open'`);
    expect(await waits(quoteId)).toEqual(['circuit', 60]);
    await db.query(`UPDATE endpoint_circuit SET state = 'recovering'`);
    expect(await waits(quoteId)).toEqual(['retry', 60]);
  });

  it('is its disabled endpoint, for those behind it too', async () => {
    const quoteId = await published(2);
    await openCircuit();
    await db.query(`UPDATE destination SET enabled = false`);
    expect([await waits(quoteId, 1), await waits(quoteId, 2)]).toEqual([
      ['disabled_endpoint', null],
      ['disabled_endpoint', null],
    ]);
  });
});

describe('a retry', () => {
  it('makes what waits for its retry due at once, before all else, beside its schedule, and wakes the dispatcher', async () => {
    const quoteId = await published(2);
    await attempt((each) => failed(each, HOUR_MS));
    const other = await published(1);
    expect(await retry(quoteId, 1)).toBe(true);
    expect(await retry(quoteId, 1)).toBe(true);
    const woken = performance.now();
    await one.wakeSignals.of('webhook').wait(5_000, new AbortController().signal);
    expect(performance.now() - woken).toBeLessThan(2_000);
    const [first, ...more] = await one.deliveries.claim(
      [{ destinationId: endpoint, free: 1, isProbe: false }],
      LEASE_MS,
    );
    expect([first, more]).toEqual([expect.objectContaining({ quoteId, attempts: 1, retries: 0 }), []]);
    expect((await claim()).map((each) => each.quoteId)).toEqual([other]);
  });

  it('keeps the lane in order: for one that waits the earlier event is made due', async () => {
    const quoteId = await published(3);
    await attempt((each) => failed(each, HOUR_MS));
    await retry(quoteId, 3);
    expect(await detail(quoteId, 3)).toMatchObject({ waitingFor: 'earlier_event' });
    for (const sequence of [1, 2, 3]) {
      const owed = await claim();
      expect(numbers(owed)).toEqual([sequence]);
      await one.deliveries.settle(owed.map(done));
    }
  });

  it('makes one that no longer holds its lane due without its successors', async () => {
    const quoteId = await published(2);
    await attempt((each) => failed(each, HOUR_MS, false));
    await attempt((each) => failed(each, HOUR_MS));
    await retry(quoteId, 1);
    expect(numbers(await claim())).toEqual([1]);
  });

  it('leaves an attempt that is under way alone, whose outcome counts', async () => {
    const quoteId = await published(2);
    const owed = await claim();
    expect([await retry(quoteId, 1), await retry(quoteId, 2)]).toEqual([true, true]);
    expect(await claim(two)).toEqual([]);
    await one.deliveries.settle(owed.map(done));
    expect(await detail(quoteId, 1)).toMatchObject({ state: 'delivered', attemptCount: 1 });
    expect(numbers(await claim())).toEqual([2]);
  });

  it('takes over what a dead process left, with no retry of the schedule given back', async () => {
    const quoteId = await published(1);
    await attempt((each) => failed(each, 0));
    await claim();
    await db.query(`UPDATE delivery SET due_at = now() - interval '1 s' WHERE destination_id = $1`, [
      endpoint,
    ]);
    await retry(quoteId, 1);
    expect(await claim(two)).toEqual([expect.objectContaining({ quoteId, attempts: 1, retries: 1 })]);
  });

  it.each([
    ['failed', (each: DueDelivery) => failed(each, null)],
    ['delivered', done],
  ])('sends one that is %s once more, on a new schedule, and holds nothing back', async (state, end) => {
    const quoteId = await published(2);
    await attempt(end);
    expect(await detail(quoteId, 1)).toMatchObject({ state });
    await retry(quoteId, 1);
    expect(await detail(quoteId, 1)).toMatchObject({ state: 'pending', attemptCount: 1, waitingFor: null });
    const owed = await claim();
    expect(owed).toEqual([
      expect.objectContaining({ sequence: 1, attempts: 1, retries: 0, isUnscheduled: true }),
      expect.objectContaining({ sequence: 2, attempts: 0 }),
    ]);
    await one.deliveries.settle([
      ...owed.slice(0, 1).map((each) => failed(each, HOUR_MS)),
      ...owed.slice(1).map(done),
    ]);
    await moved(one, quoteId, 'EXECUTING');
    expect(numbers(await claim())).toEqual([3]);
    expect((await detail(quoteId, 1)).attempts.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('drops an outcome that comes after one that ended was sent once more', async () => {
    const quoteId = await published(1);
    const owed = await claim();
    await one.deliveries.settle(owed.map((each) => failed(each, null)));
    await retry(quoteId, 1);
    await two.deliveries.settle(owed.map(done));
    expect(await detail(quoteId, 1)).toMatchObject({ state: 'pending', attemptCount: 1 });
  });

  it('is the next probe of an open circuit, at once', async () => {
    const [first, second] = [await published(1), await published(1)];
    await attempt((each) => failed(each, HOUR_MS));
    await db.query('DELETE FROM endpoint_circuit');
    await openCircuit();
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([]);
    await retry(second, 1);
    expect(await detail(second, 1)).toMatchObject({ waitingFor: 'circuit' });
    expect(await one.deliveries.takeProbes([endpoint], LEASE_MS)).toEqual([
      { targetId: endpoint, isUntried: false },
    ]);
    const owed = await one.deliveries.claim([{ destinationId: endpoint, free: 1, isProbe: true }], LEASE_MS);
    expect(owed.map((each) => each.quoteId)).toEqual([second]);
    expect(await detail(first, 1)).toMatchObject({ waitingFor: 'circuit' });
  });

  it('is refused for a disabled endpoint, and for one that is gone, and changes nothing', async () => {
    const quoteId = await published(2);
    await attempt((each) => failed(each, null));
    const rows = (): Promise<unknown[]> =>
      db.query(`SELECT * FROM delivery WHERE destination_id = $1 ORDER BY id`, [endpoint]);
    await db.query(`UPDATE destination SET enabled = false`);
    const before = await rows();
    for (const sequence of [1, 2])
      await expect(retry(quoteId, sequence)).rejects.toMatchObject({ code: 'webhook_endpoint_disabled' });
    await db.query(`DELETE FROM destination`);
    for (const sequence of [1, 2])
      await expect(retry(quoteId, sequence)).rejects.toMatchObject({ code: 'delivery_discarded' });
    expect(await rows()).toEqual(before);
    await db.query(`UPDATE delivery SET state = 'discarded', due_at = NULL WHERE destination_id = $1`, [
      endpoint,
    ]);
    await expect(retry(quoteId, 1)).rejects.toMatchObject({ code: 'delivery_discarded' });
  });
});

describe('retries at the same time as outcomes and new events', () => {
  it('strand nothing, hand the first attempts out in order, and never put two at the head of a lane', async () => {
    const script = fc.array(fc.tuple(fc.boolean(), fc.nat(2), fc.boolean()), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(script, async (steps) => {
        const quoteIds = await Promise.all(Array.from({ length: 4 }, () => added()));
        const seen = new Map<string, number[]>(quoteIds.map((quoteId) => [quoteId, []]));
        const settleAll = async (stores: Stores, isGood: boolean): Promise<void> => {
          const owed = await claim(stores);
          for (const each of owed) if (each.attempts === 0) seen.get(each.quoteId)?.push(each.sequence);
          await stores.deliveries.settle(owed.map((each) => (isGood ? done(each) : failed(each, HOUR_MS))));
        };
        const retryAll = async (sequence: number, filter: Partial<DeliveryFilter> = {}): Promise<void> => {
          const pages = await Promise.all(
            quoteIds.map((quoteId) =>
              two.deliveryLog.list({ ...filter, endpointId: endpoint, quoteId, limit: 100 }),
            ),
          );
          const asked = pages.flatMap(({ deliveries }) =>
            deliveries.filter((delivery) => delivery.sequence <= sequence),
          );
          await Promise.all(asked.map(({ id }) => two.deliveryLog.retry(id)));
        };
        for (const [index, [isGood, sequence, recordFirst]] of steps.entries()) {
          const record = (): Promise<unknown> =>
            Promise.all(quoteIds.map((quoteId) => moved(one, quoteId, STEPS[index] ?? 'COMPLETED')));
          const others = [settleAll(one, isGood), retryAll(sequence + 1)];
          await Promise.all(recordFirst ? [record(), ...others] : [...others, record()]);
          const heads = await db.query(
            `SELECT payment_id FROM delivery WHERE destination_id = $1 AND state = 'pending' AND lane_state = 'head'
             GROUP BY payment_id HAVING count(*) > 1`,
            [endpoint],
          );
          expect(heads).toEqual([]);
        }
        for (let round = 0; round < 6; round += 1) {
          await retryAll(4, { states: ['pending'] });
          await settleAll(round % 2 === 0 ? one : two, true);
        }
        for (const order of seen.values()) expect(order).toEqual([1, 2, 3, 4]);
      }),
      { numRuns: 5 },
    );
  });
});
