import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { connect, type Channel, type ChannelModel } from 'amqplib';
import pg from 'pg';

import type { EventType } from '../../src/domain/event/event.ts';
import type { Status } from '../../src/domain/payment/status.ts';
import type { SharedService } from '../support/shared-process.ts';
import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { ExampleProcess } from '../support/example-process.ts';
import { freePort } from '../../tools/testkit/free-port.ts';
import { eventOfPayment } from '../support/paybell-events.ts';
import { Stage } from '../support/stage.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const SANDBOX = {
  PROVIDER: 'sandbox',
  SANDBOX_SPEED: '40',
  POLL_INTERVAL_MS: '1500',
  POLL_MIN_GAP_MS: '1000',
};
/** Settings for a shop that waits long: the time-out is long, and attempts are too rare to open its circuit. */
const PATIENT = { WEBHOOK_TIMEOUT_MS: '20000', WEBHOOK_RETRY_SCHEDULE: Array(60).fill('1s').join(',') };
/** Longer than the wait for the probe of an endpoint whose circuit is open. */
const WAIT_MS = 45_000;
const PAID = ['1.00', '1.05', '1.03'];
const TEST_MS = 150_000;

/** Paybell in its sandbox, and the shop's own database. */
class ShopScene {
  private constructor(
    readonly stage: Stage,
    readonly app: SharedService,
    readonly database: Awaited<ReturnType<typeof createEmptyDatabase>>,
    readonly pool: pg.Pool,
  ) {}

  static async open(): Promise<ShopScene> {
    const stage = await Stage.open();
    const database = await createEmptyDatabase();
    const app = await stage.startWarm({ ...SANDBOX, ...PATIENT, RABBITMQ_URL: brokerUrl() });
    const pool = new pg.Pool({ connectionString: database.url, max: 3 });
    pool.on('error', () => undefined);
    return new ShopScene(stage, app, database, pool);
  }

  get queue(): string {
    return `${this.stage.exchange}.shop`;
  }

  worker(broker = brokerUrl()): Promise<ExampleProcess> {
    const names = { RABBITMQ_EXCHANGE: this.stage.exchange, QUEUE: this.queue };
    const env = { DATABASE_URL: this.database.url, RABBITMQ_URL: broker, ...names };
    return ExampleProcess.startNode('worker-rabbitmq/worker.js', env, 'the worker consumes');
  }

  shop(port: number, secret: string): Promise<ExampleProcess> {
    const env = { DATABASE_URL: this.database.url, PORT: String(port), WEBHOOK_SECRET: secret };
    return ExampleProcess.startNode('shop-webhooks/shop.js', env, 'the shop listens');
  }

  /** Pays orders in the sandbox, each with its own story; returns their ids. */
  async order(name: string): Promise<string[]> {
    const orders = PAID.map((amount, index) => ({ amount, orderId: `${name}-${index}` }));
    const ids = orders.map(({ orderId }) => orderId);
    await this.open(ids);
    await Promise.all(orders.map((order) => this.stage.quote(this.app, order)));
    return ids;
  }

  /** Orders that the shop has made. */
  open(ids: readonly string[]): Promise<unknown> {
    return this.pool.query('INSERT INTO shop_order (id) SELECT unnest($1::text[])', [ids]);
  }

  async shipments(): Promise<{ order_id: string; event_id: string }[]> {
    return (await this.pool.query('SELECT order_id, event_id FROM shop_shipment ORDER BY number')).rows;
  }

  async shipped(): Promise<string[]> {
    return (await this.shipments()).map(({ order_id }) => order_id).toSorted();
  }

  waitForShipped(orders: readonly string[]): Promise<unknown> {
    const isShipped = async (): Promise<boolean> => {
      const shipped = await this.shipped();
      return orders.every((order) => shipped.includes(order));
    };
    return waitFor(isShipped, { timeoutMs: WAIT_MS, what: `the shipment of ${orders.join(', ')}` });
  }

  /** Expects every event of every payment handled once, in its payment's order, with none held. */
  async expectAllHandled(): Promise<void> {
    const published = await this.stage.database.query<{ id: string }>('SELECT id::text FROM event');
    const known = async (): Promise<{ id: string; held: string | null }[]> =>
      (await this.pool.query(`SELECT id, held FROM shop_inbox WHERE payment NOT LIKE 'example-%'`)).rows;
    await waitFor(async () => (await known()).length === published.length, {
      what: 'every event in the inbox',
    });
    expect((await known()).map(({ id }) => id).toSorted()).toEqual(published.map(({ id }) => id).toSorted());
    expect((await known()).filter(({ held }) => held !== null)).toEqual([]);
    const { rows: behind } = await this.pool.query(
      `SELECT * FROM shop_order o JOIN shop_payment p ON p.order_id = o.id
       WHERE p.status <> 'COMPLETED' OR o.fulfilled_by <> p.quote_id`,
    );
    expect(behind).toEqual([]);
  }

  /** Expects the example of a completion to be handled like any event, although the shop does not know its order. */
  async expectExampleHandled(shop: ExampleProcess): Promise<void> {
    const endpoints = await this.app.fetch('/api/webhook-endpoints');
    const [{ id }] = ((await endpoints.json()) as { data: [{ id: string }] }).data;
    const body = { type: 'payment.completed' };
    const test = await this.app.fetch(`/api/webhook-endpoints/${id}/test`, { method: 'POST', body });
    expect(await test.json()).toMatchObject({ delivered: true });
    expect(shop.output).toMatch(/^payment\.completed #1 \S+: handled$/m);
    const known = `SELECT o.id, p.verdict, p.reason FROM shop_payment p LEFT JOIN shop_order o ON o.id = p.order_id
      WHERE p.order_id = 'EXAMPLE'`;
    const { rows } = await this.pool.query(known);
    expect(rows).toEqual([{ id: null, verdict: 'ask', reason: 'order_not_open' }]);
  }

  async handled(): Promise<string[]> {
    const { rows } = await this.pool.query<{ id: string }>('SELECT id FROM shop_inbox WHERE held IS NULL');
    return rows.map(({ id }) => id);
  }

  /** Holds the transaction of the process that fulfils an order, until the test lets it go. */
  async block(): Promise<() => Promise<void>> {
    const client = await this.pool.connect();
    await client.query('BEGIN');
    await client.query('LOCK TABLE shop_shipment IN EXCLUSIVE MODE');
    return async () => {
      await client.query('ROLLBACK');
      client.release();
    };
  }

  waitForBlocked(): Promise<unknown> {
    const waiting = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%shop_shipment%'`;
    return waitFor(async () => (await this.pool.query(waiting)).rows.length > 0, {
      timeoutMs: WAIT_MS,
      what: 'a handler in the middle of its transaction',
    });
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.database.drop();
  }
}

describeWithBroker('the example shop', () => {
  let scene: ShopScene;
  let connection: ChannelModel;
  let channel: Channel;

  beforeAll(async () => {
    scene = await ShopScene.open();
    connection = await connect(brokerUrl());
    channel = await connection.createChannel();
  });

  afterAll(async () => {
    await channel.deleteQueue(scene.queue);
    await channel.deleteExchange(scene.stage.exchange);
    await connection.close();
    await scene.close();
  });

  it(
    'fulfils each order once from webhooks, killed before its commit and between its commit and its answer',
    async () => {
      const port = await freePort();
      const way = await TcpProxy.start({ port });
      const secret = await scene.stage.addShop(scene.app, `http://127.0.0.1:${way.port}/webhooks/paybell`);
      let shop = await scene.shop(port, secret);
      const release = await scene.block();
      const orders = await scene.order('W');

      await scene.waitForBlocked();
      await shop.kill9();
      await release();
      expect(await scene.shipped()).toEqual([]);
      expect(shop.output).not.toContain('payment.completed');

      const again = await scene.block();
      shop = await scene.shop(port, secret);
      await scene.waitForBlocked();
      way.freeze();
      await again();
      await waitFor(async () => (await scene.shipped()).length > 0, { what: 'a shipment' });
      await shop.kill9();
      way.cut();
      const unanswered = (await scene.shipments()).at(-1)?.event_id ?? '';

      shop = await scene.shop(port, secret);
      way.heal();
      await scene.waitForShipped(orders);
      await waitFor(() => shop.output.includes(`${unanswered}: duplicate`), {
        timeoutMs: WAIT_MS,
        what: 'the webhook that comes again',
      });
      await scene.expectAllHandled();
      expect(await scene.shipped()).toEqual(orders);
      await scene.expectExampleHandled(shop);
      expect(await scene.shipped()).toEqual(orders);
      const forged = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
      expect((await fetch(`http://127.0.0.1:${port}/webhooks/paybell`, forged)).status).toBe(401);
      expect(await shop.stop()).toBe(0);
      await way.close();
    },
    TEST_MS,
  );

  it(
    'takes nothing twice when it moves from webhooks to RabbitMQ',
    async () => {
      const before = await scene.shipped();
      const worker = await scene.worker();
      const published = await scene.stage.database.query<{ id: string; type: string; body: string }>(
        'SELECT id::text, type, body FROM event',
      );
      for (const { type, body } of published) channel.publish(scene.stage.exchange, type, Buffer.from(body));
      await waitFor(() => published.every(({ id }) => worker.output.includes(`${id}: duplicate`)), {
        what: 'every event, as a duplicate',
      });
      expect(worker.output).not.toContain(': handled');
      expect(await scene.shipped()).toEqual(before);
      expect(await worker.stop()).toBe(0);
    },
    TEST_MS,
  );

  it(
    'fulfils each order once from RabbitMQ, killed before its commit and between its commit and its ack',
    async () => {
      const before = await scene.shipped();
      const way = await TcpProxy.inFrontOf(brokerUrl(), 5672);
      let worker = await scene.worker(way.through(brokerUrl()));
      const release = await scene.block();
      const orders = await scene.order('M');

      await scene.waitForBlocked();
      await worker.kill9();
      await release();
      expect(await scene.shipped()).toEqual(before);

      const again = await scene.block();
      worker = await scene.worker(way.through(brokerUrl()));
      await scene.waitForBlocked();
      way.freeze();
      await again();
      await waitFor(async () => (await scene.shipped()).length > before.length, { what: 'a shipment' });
      await worker.kill9();
      way.cut();
      const unacknowledged = (await scene.shipments()).at(-1)?.event_id ?? '';

      way.heal();
      const workers = await Promise.all([scene.worker(), scene.worker(way.through(brokerUrl()))]);
      await scene.waitForShipped(orders);
      const printed = (): string => workers.map(({ output }) => output).join('');
      await waitFor(() => printed().includes(`${unacknowledged}: duplicate`), {
        what: 'the message that comes again',
      });
      await scene.expectAllHandled();
      expect(await scene.shipped()).toEqual([...before, ...orders].toSorted());

      channel.publish(scene.stage.exchange, 'payment.completed', Buffer.from('not an event'));
      await waitFor(() => printed().includes('UnreadableEvent'), { what: 'a refusal' });
      for (const each of workers) expect(await each.stop()).toBe(0);
      // A worker that stops returns its unacknowledged messages, which only causes repetitions.
      const handled = await scene.handled();
      for (let left = await channel.get(scene.queue); left !== false; left = await channel.get(scene.queue)) {
        expect(handled).toContain(String(left.properties.messageId));
        channel.ack(left);
      }
      await way.close();
    },
    TEST_MS,
  );

  it(
    'keeps a message in hand while its handler fails, so that RabbitMQ never counts it as undeliverable',
    async () => {
      const worker = await scene.worker();
      await scene.pool.query('ALTER TABLE shop_payment RENAME TO shop_payment_away');
      await scene.order('F');
      const failures = (): number => worker.output.split('relation "shop_payment" does not exist').length - 1;
      await waitFor(() => failures() > 9, { timeoutMs: WAIT_MS, what: 'failures' });
      await worker.kill9();
      const message = await waitFor(() => channel.get(scene.queue), { what: 'a message that came back' });
      expect(message.properties.headers).toMatchObject({ 'x-delivery-count': 1 });
      channel.nack(message, false, true);
      await scene.pool.query('ALTER TABLE shop_payment_away RENAME TO shop_payment');
    },
    TEST_MS,
  );

  it(
    'fulfils an order that was quoted twice once, and lets no event of the abandoned quote say how it stands',
    async () => {
      const worker = await scene.worker();
      const order = `D-${randomUUID()}`;
      await scene.open([order]);
      const [abandoned, paid] = [randomUUID(), randomUUID()];
      const notify = async (
        quoteId: string,
        type: EventType,
        status: Status,
        sequence: number,
      ): Promise<void> => {
        const event = orderEvent(order, quoteId, type, status, sequence);
        channel.publish(scene.stage.exchange, type, Buffer.from(JSON.stringify(event)));
        await waitFor(() => worker.output.includes(`${event.id}: handled`), { what: `${type} #${sequence}` });
      };
      await notify(abandoned, 'payment.created', 'AWAITING_DEPOSIT', 1);
      await notify(abandoned, 'payment.updated', 'AWAITING_DEPOSIT', 2);
      await notify(abandoned, 'payment.updated', 'AWAITING_DEPOSIT', 3);
      await notify(paid, 'payment.created', 'AWAITING_DEPOSIT', 1);
      await notify(paid, 'payment.completed', 'COMPLETED', 2);
      await notify(abandoned, 'payment.expired', 'EXPIRED', 4);
      const standing = async (): Promise<unknown> =>
        (await scene.pool.query(STANDING, [order, [abandoned, paid]])).rows[0];
      const fulfilled = { by: paid, shipments: 1 };
      expect(await standing()).toEqual({ ...fulfilled, payments: ['EXPIRED nothing', 'COMPLETED fulfil'] });

      // The abandoned order is paid after all: the shop has money to give back, and ships nothing more.
      await notify(abandoned, 'payment.completed', 'COMPLETED', 5);
      expect(await standing()).toEqual({ ...fulfilled, payments: ['COMPLETED ask', 'COMPLETED fulfil'] });
      expect(await worker.stop()).toBe(0);
    },
    TEST_MS,
  );
});

const STANDING = `
  SELECT o.fulfilled_by AS by,
    (SELECT count(*)::int FROM shop_shipment s WHERE s.order_id = o.id) AS shipments,
    ARRAY(SELECT p.status || ' ' || p.verdict FROM shop_payment p WHERE p.order_id = o.id ORDER BY array_position($2, p.quote_id)) AS payments
  FROM shop_order o WHERE o.id = $1`;

function orderEvent(orderId: string, quoteId: string, type: EventType, status: Status, sequence: number) {
  const event = eventOfPayment(quoteId, sequence);
  return { ...event, type, data: { ...event.data, orderId, status } };
}
