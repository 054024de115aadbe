import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';

import type { PaymentEvent } from '../../packages/client/src/index.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { docsShop, type DocsShop } from '../support/docs-shop.ts';
import { snippet } from '../support/doc-snippet.ts';
import { lostFutures } from '../support/lost-futures.ts';
import { eventOfPayment } from '../support/paybell-events.ts';

const ORDER = 'A-1001';
const RUNS = 40;
/** The furthest first. */
const STATUSES = ['COMPLETED', 'EXECUTING', 'DEPOSIT_RECEIVED', 'AWAITING_DEPOSIT', 'FAILED', 'EXPIRED'];
const TYPES: Readonly<Record<string, string>> = { AWAITING_DEPOSIT: 'payment.created' };

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let pool: pg.Pool;
let shop: DocsShop;
let deduplicate: string;

beforeAll(async () => {
  database = await createEmptyDatabase();
  pool = new pg.Pool({ connectionString: database.url }).on('error', () => undefined);
  shop = await docsShop();
  deduplicate = await snippet('docs/using/receive-webhooks.md', 'statement for an event', 'sql');
  await pool.query(shop.tables);
  await pool.query('CREATE TABLE paybell_event (id text PRIMARY KEY)');
});

beforeEach(newShop);

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function newShop(): Promise<void> {
  await pool.query('TRUNCATE orders, payment, paybell_event');
  await pool.query('INSERT INTO orders (id) VALUES ($1)', [ORDER]);
}

/** Builds the events of a payment from its statuses, in order. */
function life(quoteId: string, statuses: string, more: object = {}): PaymentEvent[] {
  return statuses.split(' ').map((status, index) => {
    const event = eventOfPayment(quoteId, index + 1);
    const type = TYPES[status] ?? `payment.${status.toLowerCase()}`;
    const data = { ...event.data, orderId: ORDER, status, ...more };
    return { ...event, type, data } as unknown as PaymentEvent;
  });
}

/** Returns every order in which the events of two payments may arrive. */
function interleaved(a: readonly PaymentEvent[], b: readonly PaymentEvent[]): PaymentEvent[][] {
  const [first, ...restOfA] = a;
  const [second, ...restOfB] = b;
  if (first === undefined || second === undefined) return [[...a, ...b]];
  return [
    ...interleaved(restOfA, b).map((rest) => [first, ...rest]),
    ...interleaved(a, restOfB).map((rest) => [second, ...rest]),
  ];
}

function permutations<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));
}

async function standing() {
  const orders = await pool.query<{ fulfilled_by: string | null }>('SELECT fulfilled_by FROM orders');
  const status = await pool.query<{ status: string }>(shop.statusOfOrder, [ORDER]);
  const asked = await pool.query<{ quote_id: string; reason: string }>(
    `SELECT quote_id, reason FROM payment WHERE verdict IN ('ask', 'give_back') ORDER BY quote_id`,
  );
  return {
    fulfilledBy: orders.rows.map((order) => order.fulfilled_by),
    status: status.rows[0]?.status,
    asked: asked.rows.map(({ quote_id, reason }) => `${quote_id} ${reason}`),
  };
}

const PAID = 'AWAITING_DEPOSIT DEPOSIT_RECEIVED EXECUTING COMPLETED';

const STORIES: [what: string, a: string, b: string, asked: string[]][] = [
  ['one expires, the other is paid', 'AWAITING_DEPOSIT EXPIRED', PAID, []],
  ['one fails, the other is paid', 'AWAITING_DEPOSIT EXECUTING FAILED', PAID, ['a failed']],
  ['both are paid', 'AWAITING_DEPOSIT COMPLETED', PAID, ['other order_not_open']],
  ['one is paid late, the other too', 'AWAITING_DEPOSIT EXPIRED COMPLETED', PAID, ['other order_not_open']],
  ['one expires, the other is under way', 'AWAITING_DEPOSIT EXPIRED', 'AWAITING_DEPOSIT EXECUTING', []],
];

type Told = readonly [status: string, type?: string, more?: object];
const ANOMALY = 'payment.anomaly';
const [CREATED, STALLED]: [Told, Told] = [['AWAITING_DEPOSIT'], ['EXECUTING', 'payment.stalled']];
const CHANGED: Told = ['COMPLETED', ANOMALY, { reason: 'changed_after_completed' }];
const RESOLVED = { resolution: { reason: 'refunded' } };

const LISTS: [what: string, events: Told[], asked: string[]][] = [
  ['a stall and a completion', [CREATED, STALLED, ['COMPLETED']], []],
  ['a completion and a change after it', [CREATED, ['COMPLETED'], CHANGED], ['a changed_after_completed']],
  [
    'a change that a person resolved',
    [['COMPLETED'], CHANGED, ['COMPLETED', 'payment.updated', RESOLVED]],
    [],
  ],
  ['a stall that a person resolved', [CREATED, STALLED, ['EXECUTING', 'payment.updated', RESOLVED]], []],
  [
    'another token and an expiry',
    [CREATED, ['AWAITING_DEPOSIT', ANOMALY, { reason: 'other_token_received' }], ['EXPIRED']],
    ['a other_token_received'],
  ],
];

describe('the shop of the docs, with two payments of one order', () => {
  it.each(STORIES)('%s: in every order of their events', async (_what, a, b, asked) => {
    for (const events of interleaved(life('a', a), life('b', b))) {
      await newShop();
      const reached: Record<string, string> = {};
      let winner: string | null = null;
      for (const event of events) {
        const { quoteId, status } = event.data;
        reached[quoteId] = status;
        if (status === 'COMPLETED') winner ??= quoteId;
        await shop.onEvent(event, pool);
        const furthest = STATUSES.find((each) => Object.values(reached).includes(each));
        expect(await standing()).toMatchObject({ fulfilledBy: [winner], status: furthest });
      }
      const other = winner === 'a' ? 'b' : 'a';
      const named = asked.map((each) => each.replace('other', other));
      expect((await standing()).asked).toEqual(named);
    }
  });

  it('ends right, and fulfils once, whatever order the events of a payment come in', async () => {
    const events = [...life('a', 'AWAITING_DEPOSIT EXPIRED COMPLETED'), ...life('b', PAID)];
    const shuffled = fc.shuffledSubarray(events, { minLength: events.length });
    const property = fc.asyncProperty(shuffled, async (arrivals) => {
      await newShop();
      for (const event of arrivals) await shop.onEvent(event, pool);
      const [winner] = arrivals
        .filter(({ type }) => type === 'payment.completed')
        .map(({ subject }) => subject);
      const payments = await pool.query('SELECT status FROM payment');
      expect(await standing()).toMatchObject({ fulfilledBy: [winner], status: 'COMPLETED' });
      expect(payments.rows).toEqual([{ status: 'COMPLETED' }, { status: 'COMPLETED' }]);
    });
    await fc.assert(property, { numRuns: RUNS });
  });
});

describe('the shop of the docs', () => {
  it('asks a person, and fulfils nothing, where the order was cancelled', async () => {
    await pool.query('UPDATE orders SET cancelled_at = now()');
    for (const event of life('a', PAID)) await shop.onEvent(event, pool);
    expect(await standing()).toMatchObject({ fulfilledBy: [null], asked: ['a order_not_open'] });
  });

  it('makes no order of an event', async () => {
    for (const event of life('a', PAID, { orderId: 'EXAMPLE' })) await shop.onEvent(event, pool);
    expect(await standing()).toMatchObject({ fulfilledBy: [null], asked: ['a order_not_open'] });
  });

  it('fulfils once the order of a completed payment is named', async () => {
    for (const event of life('a', PAID, { orderId: null })) await shop.onEvent(event, pool);
    expect(await standing()).toEqual({ fulfilledBy: [null], status: undefined, asked: ['a no_order'] });
    const [, , , , named] = life('a', `${PAID} COMPLETED`, { named: true });
    await shop.onEvent({ ...named, type: 'payment.updated' } as PaymentEvent, pool);
    expect(await standing()).toEqual({ fulfilledBy: ['a'], status: 'COMPLETED', asked: [] });
  });

  it('does not fulfil it once the provider has taken the completion back', async () => {
    const events = life('a', `${PAID} COMPLETED COMPLETED`, { orderId: null });
    const [changed, named] = events.slice(-2);
    for (const event of events.slice(0, -2)) await shop.onEvent(event, pool);
    const about = { ...changed?.data, reason: 'changed_after_completed' };
    await shop.onEvent({ ...changed, type: ANOMALY, data: about } as PaymentEvent, pool);
    const order = { ...named?.data, orderId: ORDER, named: true };
    await shop.onEvent({ ...named, type: 'payment.updated', data: order } as PaymentEvent, pool);
    expect(await standing()).toMatchObject({ fulfilledBy: [null], asked: ['a order_not_open'] });
  });

  it.each([
    ['underpaid', { amounts: { match: 'underpaid' } }],
    ['order_paid_twice', { order: { completed: ['b'], open: [] } }],
  ])('fulfils nothing that is %s', async (reason, more) => {
    for (const event of life('a', PAID, more)) await shop.onEvent(event, pool);
    expect(await standing()).toEqual({ fulfilledBy: [null], status: 'COMPLETED', asked: [`a ${reason}`] });
  });

  it.each(LISTS)(
    '%s: a person has the same list in whatever order they come',
    async (_what, events, asked) => {
      for (const arrivals of permutations(life('a', events.map(([status]) => status).join(' ')))) {
        await newShop();
        let isPaid = false;
        for (const event of arrivals) {
          const [status, type, more] = events[event.data.sequence - 1] ?? [];
          // If a completion comes after a change that withdraws it, the order is not fulfilled.
          const { rows } = await pool.query<{ reason: string }>('SELECT reason FROM payment');
          const isTakenBack = rows[0]?.reason === 'changed_after_completed';
          isPaid ||= status === 'COMPLETED' && type === undefined && !isTakenBack;
          const told = { ...event, type: type ?? event.type, data: { ...event.data, ...more } };
          await shop.onEvent(told as PaymentEvent, pool);
        }
        expect(await standing()).toMatchObject({ fulfilledBy: [isPaid ? 'a' : null], asked });
      }
    },
  );

  it('has no verdict but `nothing` on a payment that expired', async () => {
    for (const event of life('a', 'AWAITING_DEPOSIT EXPIRED')) await shop.onEvent(event, pool);
    const { rows } = await pool.query('SELECT verdict, reason FROM payment');
    expect(rows).toEqual([{ verdict: 'nothing', reason: 'expired' }]);
  });

  it('ends right, and fulfils once, whatever came of the events that a database that went back has lost', async () => {
    const property = fc.asyncProperty(lostFutures(), async ({ arrivals, end }) => {
      await newShop();
      let fulfilled = 0;
      for (const event of arrivals) {
        const { rowCount } = await pool.query(deduplicate, [event.id]);
        if (rowCount === 0) continue;
        const data = { ...event.data, orderId: ORDER };
        await shop.onEvent({ ...event, data } as PaymentEvent, pool);
        if (event.type === 'payment.completed') fulfilled += 1;
      }
      const isPaid = end === 'COMPLETED';
      expect(fulfilled).toBe(isPaid ? 1 : 0);
      expect(await standing()).toMatchObject({
        fulfilledBy: [isPaid ? arrivals[0]?.subject : null],
        status: end,
      });
    });
    await fc.assert(property, { numRuns: RUNS });
  });
});
