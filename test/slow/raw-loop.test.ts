import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, expect, it } from '@jest/globals';

import { brokerUrl, describeWithBroker } from '../support/broker.ts';
import { createEmptyDatabase } from '../support/database.ts';
import type { PublishedEvent } from '../support/published-events.ts';
import { Subscriber } from '../support/subscriber.ts';
import { Child } from '../../tools/bench/child.js';
import { reportText, STEPS } from '../../tools/bench/reports.js';
import { Cleanup } from '../../tools/testkit/cleanup.ts';
import { FastServer } from '../../tools/testkit/fast-server.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const RAW_LOOP = './baselines/raw-loop/main.js';
const PAYMENTS = 2_000;
const CHANGES = PAYMENTS * (STEPS.length - 1);
const KILLS = 8;
const INTERVAL_MS = 200;
const LEASE_MS = 1_000;

const cleanup = new Cleanup();
afterAll(async () => {
  expect(await cleanup.run()).toEqual([]);
});

/** The statuses of each payment that arrived as webhooks, by quote id. */
class Shop {
  readonly statuses = new Map<string, Set<string>>();

  static async open(): Promise<{ shop: Shop; url: string }> {
    const shop = new Shop();
    const receiver = await HttpReceiver.start(
      ({ json }) => {
        const { quoteId, status } = (json as PublishedEvent).data;
        shop.statuses.set(quoteId, (shop.statuses.get(quoteId) ?? new Set()).add(status));
        return { status: 204 };
      },
      { keepsRequests: false },
    );
    cleanup.add(() => receiver.close());
    return { shop, url: receiver.url };
  }

  stepOf(quoteId: string): number {
    return this.statuses.get(quoteId)?.size ?? 0;
  }

  /** Until so many changes have arrived. */
  async waitFor(count: number, everyMs = 20): Promise<void> {
    let arrived = 0;
    await waitFor(() => (arrived = this.arrived) >= count, {
      timeoutMs: 60_000,
      everyMs,
      get what() {
        return `${count} changes at the receiver; ${arrived} came`;
      },
    });
  }

  private get arrived(): number {
    return [...this.statuses.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

/** Payments move on only when the shop has their last change: a change that is lost stops its payment for good. */
async function openProvider(shop: Shop): Promise<string> {
  const server = await FastServer.start(({ path }, answer) => {
    const quoteId = path.slice(path.lastIndexOf('/') + 1);
    const text = reportText(quoteId, Math.min(shop.stepOf(quoteId) + isMoving, STEPS.length - 1));
    answer(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  });
  cleanup.add(async () => server.close());
  return server.url;
}

/** 0 while the payments are loaded. */
let isMoving = 0;

describeWithBroker('the raw loop of the benchmarks', () => {
  it(`is killed ${KILLS} times amid ${CHANGES} changes and loses none`, async () => {
    const database = await createEmptyDatabase();
    cleanup.add(() => database.drop());
    const { shop, url: webhookUrl } = await Shop.open();
    const exchange = `raw_loop_${randomUUID()}`;
    const subscriber = await Subscriber.open(brokerUrl(), exchange);
    const settings = {
      databaseUrl: database.url,
      providerUrl: await openProvider(shop),
      webhookUrl,
      brokerUrl: brokerUrl(),
      exchange,
      intervalMs: INTERVAL_MS,
      concurrency: 64,
      leaseMs: LEASE_MS,
    };
    const start = async (): Promise<Child> => {
      const child = await Child.start(RAW_LOOP);
      cleanup.add(() => child.kill9());
      return child;
    };
    let loop = await start();
    await loop.ask({ load: Array.from({ length: PAYMENTS }, () => randomUUID()), settings });
    isMoving = 1;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await loop.ask({ settings });
      await shop.waitFor((CHANGES * kill) / (KILLS + 2), 1);
      await sleep(Math.random() * 20);
      await loop.kill9();
      loop = await start();
    }
    await loop.ask({ settings });
    await shop.waitFor(CHANGES);
    const messages = (): number => new Set(subscriber.events.map(({ id }) => id)).size;
    await waitFor(() => messages() === CHANGES, { timeoutMs: 30_000, what: 'a message of each change' });
  }, 300_000);
});
