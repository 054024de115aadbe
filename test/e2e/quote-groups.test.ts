import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { arrivalsAt, waitForStories } from '../support/published-events.ts';
import { Stage } from '../support/stage.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const POSTGRES_PORT = 5432;
/** The number of requests at once; a quarter of them use the key of another request. */
const AT_ONCE = 32;
const KEYS = (AT_ONCE * 3) / 4;
const WITHIN_MS = 120_000;

let stage: Stage;
let proxy: TcpProxy;
let app: SharedService;
/** The answers under each key. */
const answered = new Map<string, Set<string>>();

beforeAll(async () => {
  stage = await Stage.open();
  proxy = await TcpProxy.inFrontOf(stage.database.url, POSTGRES_PORT);
  app = await start();
  await stage.addShop(app);
});
afterAll(() => proxy.close());

function start(): Promise<SharedService> {
  return stage.startWarm({ DATABASE_URL: proxy.through(stage.database.url) });
}

function keys(): string[] {
  return Array.from({ length: KEYS }, () => randomUUID());
}

/** Sends a quote request and notes its answer; returns the status, or 0 without an answer. */
async function ask(key: string): Promise<number> {
  try {
    const headers = { 'idempotency-key': key };
    const answer = await app.fetch('/api/quote', { method: 'POST', body: quoteRequest(), headers });
    if (answer.ok) {
      const { quoteId } = (await answer.json()) as { quoteId: string };
      answered.set(key, (answered.get(key) ?? new Set()).add(quoteId));
    }
    return answer.status;
  } catch {
    return 0;
  }
}

async function askAtOnce(under: readonly string[]): Promise<number[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(under[index % under.length] ?? '')));
}

/**
 * Expects that each key answers one quote for ever, and that each answered quote is stored, created once and told to the shop.
 */
async function expectWhole(): Promise<void> {
  for (const [key, quoteIds] of answered) expect([key, quoteIds.size]).toEqual([key, 1]);
  const quoteIds = [...answered.values()].flatMap((each) => [...each]);
  expect(await stage.at(quoteIds, 'AWAITING_DEPOSIT')).toHaveLength(quoteIds.length);
  await waitForStories(() => arrivalsAt(stage.shop), quoteIds, 1, 30_000);
  const created = arrivalsAt(stage.shop).filter(({ type }) => type === 'payment.created');
  for (const quoteId of quoteIds)
    expect(new Set(created.filter(({ subject }) => subject === quoteId).map(({ id }) => id)).size).toBe(1);
}

/** Repeats requests like a shop that has no answer yet. */
async function askUntilAnswered(under: readonly string[]): Promise<void> {
  await app.waitReady();
  await Promise.all(
    under.map((key) =>
      waitFor(async () => (await ask(key)) === 200, { timeoutMs: 30_000, everyMs: 200, what: 'a quote' }),
    ),
  );
}

/** Resolves when the provider got requests for this many further quotes. */
async function untilMade(quotes: number): Promise<void> {
  const before = stage.provider.calls.count('/api/quote');
  await waitFor(() => stage.provider.calls.count('/api/quote') >= before + quotes, { everyMs: 1 });
}

it(
  '32 at once while the database breaks in the middle of commits: what is answered is stored and told, and a key answers one quote',
  async () => {
    const under = keys();
    const asked = askAtOnce(under);
    await untilMade(4);
    proxy.resetAll();
    const statuses = await asked;
    expect(statuses.filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
    await askUntilAnswered(under);
    await expectWhole();
  },
  WITHIN_MS,
);

it(
  'kill -9 with 32 at once in flight: what was answered is stored and told, and a key answers one quote',
  async () => {
    const under = keys();
    const asked = askAtOnce(under);
    await untilMade(4);
    await app.kill9();
    await asked;
    app = await start();
    await askUntilAnswered(under);
    await expectWhole();
    expect(await app.stop()).toBe(0);
  },
  WITHIN_MS,
);
