import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import pg from 'pg';

import { createOrderTables, onEvent } from '../../examples/orders.js';
import { Inbox, parseEvent, type PaymentEvent, postgresStore } from '../../packages/client/src/index.ts';
import { BrokerQueues } from './broker-queues.ts';
import { brokerUrl, NO_BROKER_VARIABLE } from './broker.ts';
import { createEmptyDatabase, type TestDatabase } from './database.ts';
import { snippet } from './doc-snippet.ts';
import { docsShop } from './docs-shop.ts';
import type { PublishedEvent } from './published-events.ts';

type Take = (event: PublishedEvent, text: string) => Promise<void>;

interface Consumer {
  readonly name: string;
  /** The events that took effect, in order. */
  readonly handled: PublishedEvent[];
  /** The status of each payment by the consumer's events. */
  statuses(): Promise<ReadonlyMap<string, string>>;
}

/**
 * A shop with the statements of docs/using/receive-webhooks.md, a shop with the client's inbox, and a service at RabbitMQ if
 * there is a broker.
 */
export class Consumers {
  /** Every event that arrived, repetitions included. */
  readonly received: PublishedEvent[] = [];
  /** The URLs of the webhook endpoints. */
  readonly urls: string[] = [];
  /** Settings of Paybell. */
  readonly env: Record<string, string> = {};
  private readonly consumers: Consumer[] = [];
  private readonly ends: (() => Promise<unknown>)[] = [];

  private constructor(
    private readonly database: TestDatabase,
    private readonly pool: pg.Pool,
  ) {}

  static async open(): Promise<Consumers> {
    const database = await createEmptyDatabase();
    const pool = new pg.Pool({ connectionString: database.url }).on('error', () => undefined);
    const consumers = new Consumers(database, pool);
    await consumers.addRecipe();
    await consumers.addInbox();
    if (process.env[NO_BROKER_VARIABLE] === undefined) await consumers.addQueue();
    return consumers;
  }

  /** Payments with a wrong status at some consumer. */
  async wrongEnds(expected: ReadonlyMap<string, string | undefined>): Promise<string[]> {
    const wrong = this.consumers.map(async ({ name, ...consumer }) => {
      const known = await consumer.statuses();
      return [...expected].flatMap(([quoteId, status]) =>
        known.get(quoteId) === status
          ? []
          : [`${quoteId} at ${name}: ${known.get(quoteId)} and not ${status}`],
      );
    });
    return (await Promise.all(wrong)).flat();
  }

  /** Events that took effect twice, and payments that were completed twice. */
  handledTwice(): string[] {
    return this.consumers.flatMap(({ name, handled }) => {
      const completed = handled.filter(({ type }) => type === 'payment.completed');
      return [...twice(handled.map(({ id }) => id)), ...twice(completed.map(({ subject }) => subject))].map(
        (each) => `${each} at ${name}`,
      );
    });
  }

  /** How many events each consumer has handled. */
  figures(): Record<string, number> {
    return Object.fromEntries(this.consumers.map(({ name, handled }) => [name, handled.length]));
  }

  async close(): Promise<void> {
    for (const end of this.ends) await end();
    await this.pool.end();
    await this.database.drop();
  }

  private async addRecipe(): Promise<void> {
    const shop = await docsShop();
    const deduplicate = await snippet('docs/using/receive-webhooks.md', 'statement for an event', 'sql');
    await this.pool.query(shop.tables);
    await this.pool.query('CREATE TABLE paybell_event (id text PRIMARY KEY)');
    const handled = this.add('the statements', 'SELECT quote_id, status FROM payment');
    await this.listen(async (event, body) => {
      await this.inTransaction(async (client) => {
        const { rowCount } = await client.query(deduplicate, [event.id]);
        if (rowCount === 0) return;
        await shop.onEvent(parseEvent(body) as PaymentEvent, client);
        handled.push(event);
      });
    });
  }

  private async addInbox(): Promise<void> {
    await createOrderTables(this.pool);
    const store = postgresStore(this.pool, { table: 'inbox' });
    await store.createTable();
    const inbox = new Inbox(store);
    const handled = this.add('the inbox', 'SELECT quote_id, status FROM shop_payment');
    await this.listen(async (_event, body) => {
      await inbox.process(parseEvent(body), async (each, tx) => {
        await onEvent(each, tx);
        handled.push(each);
      });
    });
  }

  private async addQueue(): Promise<void> {
    const broker = await BrokerQueues.open(brokerUrl());
    const [exchange, queue] = [broker.name('exchange'), broker.name('went_back')];
    await broker.channel.assertExchange(exchange, 'topic', { durable: true });
    await broker.channel.assertQueue(queue, { durable: true });
    await broker.channel.bindQueue(queue, exchange, '#');
    Object.assign(this.env, { RABBITMQ_URL: brokerUrl(), RABBITMQ_EXCHANGE: exchange });
    this.ends.push(() => broker.channel.deleteExchange(exchange));
    const [handled, ids, orders] = [
      [] as PublishedEvent[],
      new Set<string>(),
      new Map<string, PublishedEvent['data']>(),
    ];
    const statuses = async () => new Map([...orders].map(([id, { status }]) => [id, status]));
    this.consumers.push({ name: 'the queue', handled, statuses });
    await broker.channel.consume(
      queue,
      (message) => {
        // The queue is deleted at the end.
        if (message === null) return;
        const event = JSON.parse(String(message.content)) as PublishedEvent;
        this.received.push(event);
        if (ids.has(event.id)) return;
        ids.add(event.id);
        handled.push(event);
        const { status, sequence } = orders.get(event.subject) ?? { status: '', sequence: 0 };
        const isNewer = sequence < event.data.sequence || event.data.status === 'COMPLETED';
        if (status !== 'COMPLETED' && isNewer) orders.set(event.subject, event.data);
      },
      { noAck: true },
    );
  }

  private add(name: string, sql: string): PublishedEvent[] {
    const handled: PublishedEvent[] = [];
    const statuses = async () => {
      const { rows } = await this.pool.query<{ quote_id: string; status: string }>(sql);
      return new Map(rows.map((row) => [row.quote_id, row.status]));
    };
    this.consumers.push({ name, handled, statuses });
    return handled;
  }

  private async inTransaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      await work(client);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }

  /** A webhook endpoint that answers once the event has taken effect. */
  private async listen(take: Take): Promise<void> {
    const server: Server = createServer((request, response) => {
      const handle = async (): Promise<void> => {
        const body = await text(request);
        const event = JSON.parse(body) as PublishedEvent;
        this.received.push(event);
        await take(event, body);
      };
      handle().then(
        () => response.writeHead(204).end(),
        () => response.writeHead(500).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.urls.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/paybell`);
    this.ends.push(
      () =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    );
  }
}

function twice(words: readonly string[]): string[] {
  const seen = new Set<string>();
  return words.filter((word) => seen.size === seen.add(word).size);
}
