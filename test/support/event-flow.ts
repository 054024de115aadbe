import { randomUUID } from 'node:crypto';

import { connect, type ConsumeMessage } from 'amqplib';

import { RABBITMQ_TIMING, type RabbitmqTiming } from '../../src/destinations/rabbitmq/rabbitmq-timing.ts';
import { RabbitmqDestination } from '../../src/destinations/rabbitmq/rabbitmq-destination.ts';
import { DeliveryWatch } from '../../src/features/delivery/delivery-watch.ts';
import { Dispatcher } from '../../src/features/delivery/dispatcher.ts';
import { DueProbe } from '../../src/features/delivery/due-targets.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { Arrivals, EVENTS_EACH } from './arrivals.ts';
import { openDataSource } from './data-source.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { FakeMeter } from './fakes/meter.fake.ts';
import { pollResult } from './poll-results.ts';
import { paymentToAdd, storesOn, type Stores } from './stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { EXCHANGE_ID } from './destination-kinds.ts';

/** Reconnects at once: a suite cannot wait half a minute after each fault. */
const QUICK: RabbitmqTiming = { ...RABBITMQ_TIMING, reconnectFromMs: 50, reconnectUpToMs: 500 };
/** The time between two events, so that some are recorded all through a fault. */
const PACE_MS = 15;
/** Longer than it takes to record a confirm that has arrived. */
const SETTLE_MS = 500;
/** Longer than the longest wait between two attempts to connect. */
const SETTLED_WITHIN_MS = 45_000;

/** Records events as the tracker does, and dispatches them to a durable queue of a broker. */
export class EventFlow {
  readonly exchange = `paybell-flow-${randomUUID()}`;
  readonly destination: RabbitmqDestination;
  readonly quoteIds: string[] = [];
  private readonly dispatcher: Dispatcher;
  private readonly clock = { now: () => new Date() };

  private constructor(
    private readonly db: TestDatabase,
    private readonly stores: Stores,
    private readonly brokerUrl: string,
  ) {
    const options = { urls: [brokerUrl], exchange: this.exchange };
    this.destination = new RabbitmqDestination(
      options,
      stores.singleTargets,
      stores.wakeSignals,
      new FakeMeter(),
      QUICK,
    );
    const watch = new DeliveryWatch(this.destination, new FakeMeter(), this.clock);
    this.dispatcher = new Dispatcher(
      this.destination,
      stores.deliveries,
      stores.wakeSignals.of('rabbitmq'),
      watch,
      new DueProbe(stores.deliveries),
    );
    stores.wakeSignals.join(this.dispatcher);
  }

  static async open(brokerUrl: string): Promise<EventFlow> {
    const db = await createTestDatabase();
    await db.query(`INSERT INTO destination (id, kind, enabled) VALUES ($1, 'rabbitmq', true)`, [
      EXCHANGE_ID,
    ]);
    const flow = new EventFlow(db, storesOn(await openDataSource(db)), brokerUrl);
    await flow.declare();
    flow.destination.start();
    flow.dispatcher.start();
    return flow;
  }

  /** New payments: one event each. */
  async add(payments: number): Promise<void> {
    const quoteIds = Array.from({ length: payments }, () => randomUUID());
    for (const quoteId of quoteIds) await this.stores.payments.add(paymentToAdd(quoteId));
    this.quoteIds.push(...quoteIds);
  }

  /** A poll finds each payment at this status: records one more event of each, with `paceMs` between two. */
  async move(status: string, paceMs: () => number = () => 0): Promise<void> {
    const text = `{"status":"${status}"}`;
    const report = readReport(JSON.parse(text), text);
    if (report === null) throw new Error('no report');
    for (const quoteId of this.quoteIds) {
      const claim = await this.stores.schedule.claimNow(quoteId, 0, 6_000);
      if (typeof claim === 'string') throw new Error(`no claim: ${claim}`);
      const poll = pollResult(claim, { kind: 'report', report }, this.clock.now());
      await this.stores.schedule.record([poll]);
      if (paceMs() > 0) await new Promise((resolve) => setTimeout(resolve, paceMs()));
    }
  }

  /** Two events of each payment are recorded while the fault happens, and one when it is over. */
  async through(fault: () => Promise<void>): Promise<Arrivals> {
    const payments = this.quoteIds.length;
    const before = await this.delivered();
    let isOver = false;
    const flowing = (async () => {
      await this.move('DEPOSIT_RECEIVED', () => (isOver ? 0 : PACE_MS));
      await this.move('EXECUTING', () => (isOver ? 0 : PACE_MS));
    })();
    await this.untilDelivered(payments * 1.1);
    await fault();
    isOver = true;
    await flowing;
    await this.untilDelivered(3 * payments);
    const around = await this.delivered();
    await this.move('COMPLETED');
    await this.untilDelivered(EVENTS_EACH * payments);
    return new Arrivals(await this.drain(), before, around);
  }

  /** The ids of the events that are known to be delivered. */
  async delivered(): Promise<Set<string>> {
    const rows = await this.db.query<{ id: string }>(
      `SELECT e.id FROM delivery d JOIN event e ON e.position = d.event_position WHERE d.state = 'delivered'`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Waits until the broker is known to be away: an earlier confirm is settled after that. */
  async deliveredAtLast(): Promise<Set<string>> {
    await waitFor(() => this.destination.health().status === 'degraded', { what: 'the broker to be missed' });
    for (let before = await this.delivered(); ;) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const delivered = await this.delivered();
      if (delivered.size === before.size) return delivered;
      before = delivered;
    }
  }

  async untilDelivered(count: number, timeoutMs = SETTLED_WITHIN_MS): Promise<void> {
    await waitFor(async () => (await this.delivered()).size >= count, {
      timeoutMs,
      everyMs: 50,
      what: `${count} events to be delivered`,
    });
  }

  /** Takes all messages of the queue, in order. */
  async drain(): Promise<ConsumeMessage[]> {
    const model = await connect(this.brokerUrl);
    const channel = await model.createChannel();
    const { messageCount } = await channel.checkQueue(this.exchange);
    const messages: ConsumeMessage[] = [];
    await channel.consume(this.exchange, (message) => void (message && messages.push(message)), {
      noAck: true,
    });
    await waitFor(() => messages.length >= messageCount, { what: 'the messages of the queue' });
    await model.close();
    return messages;
  }

  async close(): Promise<void> {
    await this.dispatcher.stop();
    await this.destination.close();
    const model = await connect(this.brokerUrl);
    const channel = await model.createChannel();
    await channel.deleteQueue(this.exchange);
    await channel.deleteExchange(this.exchange);
    await model.close();
    await this.db.drop();
  }

  private async declare(): Promise<void> {
    const model = await connect(this.brokerUrl);
    const channel = await model.createChannel();
    await channel.assertExchange(this.exchange, 'topic', { durable: true });
    const quorum = { durable: true, arguments: { 'x-queue-type': 'quorum' } };
    await channel.assertQueue(this.exchange, quorum);
    await channel.bindQueue(this.exchange, this.exchange, '#');
    await model.close();
  }
}
