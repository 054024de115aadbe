import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from 'amqplib';
import fc from 'fast-check';
import pg from 'pg';

import { createOrderTables, onEvent } from '../../examples/orders.js';
import {
  Inbox,
  type InboxOptions,
  type InboxStore,
  memoryStore,
  parseMessage,
  type PaymentEvent,
  postgresStore,
} from '../../packages/client/src/index.ts';
import { BrokerQueues } from '../support/broker-queues.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { lostFutures, type LostFutures } from '../support/lost-futures.ts';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createEmptyDatabase();
  pool = new pg.Pool({ connectionString: database.url }).on('error', () => undefined);
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function tables(): Promise<InboxStore<unknown>> {
  const store = postgresStore(pool, { table: `inbox_${randomUUID().slice(0, 8)}` });
  await store.createTable();
  return store;
}

const STORES: [name: string, open: () => Promise<InboxStore<unknown>>, runs: number][] = [
  ['memory', async () => memoryStore(), 500],
  ['PostgreSQL', tables, 20],
];

describe.each(STORES)('an inbox on %s, after a database that went back,', (_name, open, runs) => {
  async function scene(options?: InboxOptions) {
    const handled: PaymentEvent[] = [];
    const store = await open();
    const inbox = new Inbox(store, { onHeld: () => undefined, ...options });
    const take = (event: PaymentEvent) => inbox.process(event, (each) => void handled.push(each));
    return { handled, store, take };
  }

  /** The state of a shop whose handler stores each event's status as it arrives. */
  async function processAll({ arrivals, end, kept }: LostFutures): Promise<void> {
    const { handled, store, take } = await scene();
    for (const event of arrivals) await take(event);
    expect(handled.at(-1)?.data.status).toBe(end);
    const completions = handled.filter(({ type }) => type === 'payment.completed');
    expect(completions).toHaveLength(end === 'COMPLETED' ? 1 : 0);
    expect(new Set(handled.map(({ id }) => id)).size).toBe(handled.length);
    expect(await store.heldFor(0)).toEqual([]);
    for (const event of kept) expect(await take(event)).toBe('duplicate');
  }

  it('ends with the right status and one completion, whatever came of the lost events, in any order', async () => {
    await fc.assert(fc.asyncProperty(lostFutures(), processAll), { numRuns: runs });
  });

  /** The state of a shop whose handler compares numbers, as a handler without waits must do. */
  async function compareAll(
    { arrivals, end }: LostFutures,
    onGap: NonNullable<InboxOptions['onGap']>,
  ): Promise<void> {
    const { handled, take } = await scene({ onGap });
    for (const event of arrivals) await take(event);
    let [status, sequence] = ['', 0];
    for (const { type, data } of handled)
      if (type === 'payment.completed' || data.sequence > sequence)
        [status, sequence] = [data.status, data.sequence];
    expect(status).toBe(end);
    const completions = handled.filter(({ type }) => type === 'payment.completed');
    expect(completions).toHaveLength(end === 'COMPLETED' ? 1 : 0);
  }

  it.each(['report', 'ignore'] as const)(
    'ends so too with gaps that are no reason to wait (%s), for a handler that compares numbers',
    async (onGap) => {
      const property = fc.asyncProperty(lostFutures(), (futures) => compareAll(futures, onGap));
      await fc.assert(property, { numRuns: runs / 2 });
    },
  );
});

const PAYMENTS = 40;
const CONSUMERS = 3;

describeWithBroker('consumers that share a queue, after a database that went back', () => {
  it('end with the right orders, each fulfilled once, with the example handler and an inbox', async () => {
    const payments = fc.sample(lostFutures(), PAYMENTS);
    await createOrderTables(
      pool,
      payments.map(({ arrivals }) => arrivals[0]?.subject),
    );
    const broker = await BrokerQueues.open(brokerUrl());
    const queue = broker.name('went_back');
    await broker.channel.assertQueue(queue, { durable: false });
    const messages = payments.flatMap(({ arrivals }) =>
      arrivals.map((each, index) => {
        const event = { ...each, data: { ...each.data, orderId: each.subject } };
        return { event, at: index + 3 * Math.random() };
      }),
    );
    for (const { event } of messages.toSorted((a, b) => a.at - b.at))
      broker.channel.sendToQueue(queue, Buffer.from(JSON.stringify(event)), { messageId: event.id });
    await broker.channel.waitForConfirms();
    await Promise.all(Array.from({ length: CONSUMERS }, () => consume(queue, messages.length)));
    for (const { arrivals, end } of payments) {
      const subject = arrivals[0]?.subject;
      const order = await pool.query(
        `SELECT status, (SELECT count(*)::int FROM shop_shipment WHERE order_id = $1) AS shipments
         FROM shop_payment WHERE quote_id = $1`,
        [subject],
      );
      expect(order.rows).toEqual([{ status: end, shipments: end === 'COMPLETED' ? 1 : 0 }]);
    }
  });

  let left: number | null = null;

  /** Consumes like the example worker, until one of the consumers has acknowledged all messages. */
  async function consume(queue: string, total: number): Promise<void> {
    left ??= total;
    const connection = await connect(brokerUrl());
    const channel = await connection.createChannel();
    await channel.prefetch(20);
    const store = postgresStore(pool, { table: 'went_back_inbox' });
    await store.createTable();
    const inbox = new Inbox(store, { onHeld: () => undefined });
    await new Promise<void>((resolve, reject) => {
      const poll = setInterval(() => {
        if (left === 0) resolve(clearInterval(poll));
      }, 10);
      const handle = async (message: { content: Buffer; properties: { messageId?: unknown } }) => {
        await inbox.process(parseMessage(message.content, message.properties), onEvent);
        left = (left ?? 0) - 1;
      };
      void channel.consume(queue, (message) => {
        if (message !== null) handle(message).then(() => channel.ack(message), reject);
      });
    });
    await connection.close();
  }
});
