import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { SharedProcess } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const POSTGRES_PORT = 5432;
const OVERDUE = 'SELECT 1 FROM payment_schedule WHERE due_at <= now() AND quote_id = ANY ($1)';
/** Payments that the outage makes overdue: the answer of a poll that is in flight at its start is stored after it. */
const WAITING = 10;
const BETWEEN_POLLS = `SELECT 1 FROM payment_schedule
  WHERE answered_at >= polled_at AND due_at > now() + interval '100 ms' AND quote_id = ANY ($1)`;
const ORDERS = 100;
/** The schedule falls far behind. */
const OUTAGE_MS = 6_000;
/** The margin for a machine that is busy with other tests. */
const SLACK_MS = 2_000;
const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED'];

const shared = new SharedProcess();
let stage: Stage;
let proxy: TcpProxy;
let env: Record<string, string>;
beforeAll(async () => {
  stage = await Stage.open();
  proxy = await TcpProxy.inFrontOf(stage.database.url, POSTGRES_PORT);
  env = stage.env({ DATABASE_URL: proxy.through(stage.database.url) });
});
afterEach(() => proxy.heal());
afterAll(() => proxy.close());

/** A request that may be repeated: its Idempotency-Key is looked up before the provider is asked. */
function keyedQuote(): { method: string; body: unknown; headers: Record<string, string> } {
  return { method: 'POST', body: quoteRequest(), headers: { 'idempotency-key': 'while-down' } };
}

async function healthOf(app: PaybellService, what: 'live' | 'ready'): Promise<number> {
  return (await fetch(`${app.url}/health/${what}`)).status;
}

describe('a database that is down at the start', () => {
  it.each(['refuses', 'hangs'] as const)(
    '%s: the service lives, says 503, and is ready by itself later',
    async (how) => {
      if (how === 'refuses') proxy.cut();
      else proxy.freeze();
      const app = await shared.start(env);
      await waitFor(async () => (await healthOf(app, 'live')) === 200, { what: 'a live service' });
      expect(await healthOf(app, 'ready')).toBe(503);
      const made = stage.provider.calls.count('/api/quote');
      const refused = await app.fetch('/api/quote', keyedQuote());
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await jsonOf(refused, 503)).toMatchObject({ success: false, code: 'database_unavailable' });
      expect(stage.provider.calls.count('/api/quote')).toBe(made);
      if (how === 'hangs') proxy.resetAll();
      proxy.heal();
      await app.waitReady();
      const quoteId = await stage.quote(app);
      await waitFor(async () => (await app.fetch(`/api/status/${quoteId}`)).ok);
      stage.say([quoteId], 'COMPLETED');
      await waitFor(async () => (await stage.at([quoteId], 'COMPLETED')).length === 1);
      expect(await app.stop()).toBe(0);
    },
  );
});

describe('a database that goes away in flight', () => {
  let app: PaybellService;
  /** The events that the shop gets in this file. */
  const told = new Map<string, string[]>();
  beforeAll(async () => {
    app = await shared.startReady(env);
    await stage.addShop(app);
  });
  afterAll(() => app.stop());

  async function quotes(count: number, types?: readonly string[]): Promise<string[]> {
    // The service takes quotes again half a second after the database is back, later than the last webhook of a test may
    // arrive.
    await app.waitReady();
    const quoteIds = await stage.quotes(app, count);
    for (const [quoteId, story] of storyOf(quoteIds, types)) told.set(quoteId, story);
    return quoteIds;
  }

  /** Moves all payments on as soon as their last move is stored, while `disturb` runs. */
  async function walk(quoteIds: readonly string[], disturb: () => Promise<void>): Promise<void> {
    for (const status of STATUSES) {
      stage.say(quoteIds, status);
      await disturb();
      await waitFor(async () => (await stage.at(quoteIds, status)).length === quoteIds.length, {
        what: `all payments at ${status}`,
      });
    }
  }

  async function expectWhole(quoteIds: readonly string[], count = 4): Promise<void> {
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, count);
    expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(told);
  }

  it('is cut: no request costs the provider a quote, and every change is published once when it is back', async () => {
    const quoteIds = await quotes(20);
    await walk(quoteIds, async () => {
      proxy.cut();
      await waitFor(async () => (await healthOf(app, 'ready')) === 503);
      expect(await healthOf(app, 'live')).toBe(200);
      const made = stage.provider.calls.count('/api/quote');
      expect(await jsonOf(await app.fetch('/api/quote', keyedQuote()), 503)).toMatchObject({
        code: 'database_unavailable',
      });
      expect(stage.provider.calls.count('/api/quote')).toBe(made);
      expect((await app.fetch(`/api/status/${quoteIds[0]}`)).status).toBe(503);
      proxy.heal();
      await app.waitReady();
    });
    await expectWhole(quoteIds);
  });

  it('breaks connections again and again in the middle of statements and commits', async () => {
    const quoteIds = await quotes(20);
    await walk(quoteIds, async () => {
      for (let blow = 0; blow < 3; blow += 1) {
        const accepted = proxy.accepted;
        proxy.freeze();
        const arrived = stage.provider.calls.all.length;
        await waitFor(() => stage.provider.calls.all.length > arrived, { timeoutMs: 300 }).catch(
          () => undefined,
        );
        proxy.resetAll();
        proxy.thaw();
        await waitFor(() => proxy.accepted > accepted, { what: 'a new connection' });
      }
    });
    await expectWhole(quoteIds);
  });

  it('keeps a status that was seen while it was away, though the provider has moved on since', async () => {
    const quoteIds = await quotes(5);
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 1);
    stage.provider.slowDown(700);
    stage.say(quoteIds, 'DEPOSIT_RECEIVED');
    const asked = stage.provider.calls.all.length;
    const printed = app.lines.length;
    await waitFor(() =>
      quoteIds.every((id) => stage.provider.calls.all.slice(asked).some((call) => call.quoteId === id)),
    );
    proxy.cut();
    await waitFor(() => app.lines.slice(printed).some((line) => line.includes('wait to be committed')), {
      what: 'the answers that were on their way',
    });
    stage.provider.slowDown(0);
    stage.say(quoteIds, 'EXECUTING');
    await waitFor(async () => (await stage.database.query(OVERDUE, [quoteIds])).length === quoteIds.length, {
      what: 'the claims to run out: what was seen must not be overtaken by the next poll',
    });
    proxy.heal();
    await waitFor(async () => (await stage.at(quoteIds, 'EXECUTING')).length === quoteIds.length);
    stage.say(quoteIds, 'COMPLETED');
    await expectWhole(quoteIds);
  });

  it('freezes without a word: the service stays live, not ready, and goes on where it was', async () => {
    const types = ['payment.created', 'payment.deposit_received', 'payment.completed'];
    const quoteIds = await quotes(10, types);
    stage.say(quoteIds, 'DEPOSIT_RECEIVED');
    proxy.freeze();
    await waitFor(async () => (await healthOf(app, 'ready')) === 503);
    expect(await healthOf(app, 'live')).toBe(200);
    proxy.heal();
    await waitFor(async () => (await stage.at(quoteIds, 'DEPOSIT_RECEIVED')).length === quoteIds.length);
    stage.say(quoteIds, 'COMPLETED');
    await expectWhole(quoteIds, types.length);
  });

  it('holds no order back that comes when it is there again', async () => {
    const types = ['payment.created', 'payment.completed'];
    const quoteIds = await quotes(WAITING, types);
    const waiting = [...quoteIds];
    async function completedIn(): Promise<number> {
      const orders = await quotes(ORDERS, types);
      const saidAt = performance.now();
      stage.say(orders, 'COMPLETED');
      await waitFor(async () => (await stage.at(orders, 'COMPLETED')).length === ORDERS, {
        timeoutMs: 60_000,
      });
      quoteIds.push(...orders);
      return performance.now() - saidAt;
    }
    const usualMs = await completedIn();
    const printed = app.lines.length;
    await waitFor(async () => (await stage.database.query(BETWEEN_POLLS, [waiting])).length > 0, {
      everyMs: 5,
    });
    proxy.cut();
    await sleep(OUTAGE_MS);
    proxy.heal();
    await app.waitReady();
    expect(await completedIn()).toBeLessThan(1.2 * usualMs + SLACK_MS);
    for (const words of [/\d+ overdue payments are polled within/, /the overdue payments are polled: /])
      await waitFor(() => app.lines.slice(printed).some((line) => words.test(line)));
    stage.say(quoteIds, 'COMPLETED');
    await expectWhole(quoteIds, types.length);
  });
});

describe('connections that swallow what is sent, while new ones are answered', () => {
  /** The aim is 8 s: 3.5 s until the connections are found, and the work that begins again then. */
  const BACK_WITHIN_MS = 15_000;

  it('are replaced: quotes, polls and webhooks go on, and every change is published once', async () => {
    const app = await shared.startReady(env);
    await stage.addShop(app);
    const types = ['payment.created', 'payment.executing', 'payment.completed'];
    const quoteIds = await stage.quotes(app, 10);
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 1);
    stage.say(quoteIds, 'EXECUTING');
    proxy.abandonAll();
    const from = performance.now();
    const after = async (what: string): Promise<void> => {
      const ms = Math.round(performance.now() - from);
      process.stdout.write(`${what} ${ms} ms after the connections went silent\n`);
      expect(ms).toBeLessThan(BACK_WITHIN_MS);
    };
    await waitFor(async () => (await app.fetch('/api/quote', keyedQuote())).ok);
    await after('a quote');
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 2);
    await after('the webhooks of all payments');
    stage.say(quoteIds, 'COMPLETED');
    await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 3);
    const told = firstArrivals(arrivalsAt(stage.shop));
    for (const [quoteId, story] of storyOf(quoteIds, types)) expect(told.get(quoteId)).toEqual(story);
    expect(app.lines.filter((line) => line.includes('old ones are silent: dropped'))).not.toHaveLength(0);
    expect(await app.stop()).toBe(0);
  });
});

describe('a database that is far away', () => {
  /** A claim takes longer than the interval of money in flight is above the gap. */
  const GAP = { POLL_MIN_GAP_MS: '2200', POLL_INTERVAL_MS: '2500' };
  const DELAY_MS = 60;
  const POLLS = 3;
  afterEach(() => stage.provider.quoteWith({}));

  it('polls money in flight again and again', async () => {
    // A short estimate makes Paybell poll the payment often soon.
    stage.provider.quoteWith({ estimatedTime: '1s' });
    const app = await shared.startReady({ ...env, ...GAP });
    const quoteId = await stage.quote(app);
    stage.say([quoteId], 'EXECUTING');
    await waitFor(async () => (await stage.at([quoteId], 'EXECUTING')).length === 1);
    proxy.slow(DELAY_MS);
    const polls = (): number => stage.provider.calls.all.filter((call) => call.quoteId === quoteId).length;
    const before = polls();
    await waitFor(() => polls() >= before + POLLS, { timeoutMs: 40_000, what: 'polls' });
  });
});
