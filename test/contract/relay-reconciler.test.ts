import { randomUUID } from 'node:crypto';

import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { RelayApi } from '../../src/providers/relay/relay-api.ts';
import { RelayReconciler } from '../../src/providers/relay/reconcile/relay-reconciler.ts';
import { ChangedRequests } from '../../src/providers/relay/reconcile/changed-requests.ts';
import { ReconcileLeases } from '../../src/providers/relay/reconcile/reconcile-leases.ts';
import { ProviderUnavailable, type PaymentProvider } from '../../src/ports/payment-provider.ts';
import { WakeSignal } from '../../src/platform/scheduling/wake-signal.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import { AnswerTimes } from '../../src/features/polling/provider-troubles.ts';
import { RateLimitView } from '../../src/features/polling/rate-limit-view.ts';
import { ProviderCircuit } from '../../src/features/polling/provider-circuit.ts';
import { openReplicas } from '../support/replicas.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeDatabaseHealth } from '../support/fakes/database-health.fake.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { HttpReceiver, type Script } from '../../tools/testkit/http-receiver.ts';
import { paymentToAdd } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const KEY = 'relay-key+of today&more';
const T0 = Date.parse('2026-11-20T12:00:00.000Z');
const MAX_RPM = 6_000;
const LONG_AGO_MS = 61_000;

type Row = Record<string, unknown>;

const { db, one, two } = await openReplicas({ maxRpm: MAX_RPM });
const stores = [one, two] as const;
let relay: HttpReceiver;
/** Relay's list, page by page; the last page is repeated. */
let pages: Row[][] = [];
let published: string[] = [];
let isStoreDown = false;
let warnings: string[] = [];
let running: Replica[] = [];

beforeAll(async () => {
  relay = await HttpReceiver.start();
});
afterAll(() => relay.close());
beforeEach(async () => {
  await db.query('DELETE FROM payment');
  await db.query('DELETE FROM provider_rate_limit');
  await db.query(`INSERT INTO provider_rate_limit (provider, refilled_at) VALUES ('http', 0)`);
  await db.query(`UPDATE relay_reconcile SET reconciled_to = NULL, next_at = now() - interval '1 day'`);
  [pages, published, warnings, running, isStoreDown] = [[], [], [], [], false];
  relay.requests.length = 0;
  relay.answer(listing);
  jest
    .spyOn(Logger.prototype, 'warn')
    .mockImplementation((words: unknown) => void warnings.push(String(words)));
});
afterEach(async () => {
  for (const replica of running) await replica.stop();
  jest.restoreAllMocks();
});

const row = (id: string, atMs: number, more: Row = {}): Row => ({
  id,
  status: 'pending',
  updatedAt: new Date(T0 + atMs).toISOString(),
  depositAddress: { address: `address-of-${id}` },
  ...more,
});

const listing: Script = ({ path }) => {
  const query = new URL(path, relay.url).searchParams;
  const index = Number(query.get('continuation') ?? 0);
  const from = Number(query.get('startTimestamp')) * 1_000;
  const requests = (pages[Math.min(index, pages.length - 1)] ?? []).filter(
    (each: Row | null) => !(Date.parse(String(each?.['updatedAt'])) < from),
  );
  const next = index + 1 < pages.length ? { continuation: String(index + 1) } : {};
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ requests, ...next }) };
};

const quoteIdsOf = ({ requestIds }: { requestIds: readonly string[] }): Promise<string[]> =>
  isStoreDown ? Promise.reject(new Error('away')) : Promise.resolve(requestIds.map((id) => `quote-of-${id}`));

const unknownAmong = async (paid: readonly { requestId: string }[]): Promise<string[]> =>
  paid.map(({ requestId }) => requestId).filter((id) => id.startsWith('lost'));

/** A reconciler, whose rounds begin when the test says so. */
class Replica {
  readonly wakeSignal = new WakeSignal();
  private readonly reconciler: RelayReconciler;

  constructor(index: 0 | 1 = 0) {
    const { rateLimit } = stores[index];
    const options = { baseUrl: relay.url, apiKey: KEY, timeoutMs: 2_000, maxConcurrency: 4 };
    const reader = new ChangedRequests(new RelayApi(options), rateLimit, new FakeMeter(), KEY);
    this.reconciler = new RelayReconciler(
      new ReconcileLeases(stores[index].database),
      reader,
      { quoteIdsOf, unknownAmong },
      {
        rateLimit,
        schedule: stores[index].schedule,
        pollRequests: { makeDue: (quoteIds) => void published.push(...quoteIds) },
      },
      new FakeDatabaseHealth(),
      2_000,
      this.wakeSignal,
    );
    running.push(this);
  }

  start(): this {
    this.reconciler.onApplicationBootstrap();
    return this;
  }

  async stop(): Promise<void> {
    this.reconciler.onModuleDestroy();
    await this.reconciler.beforeApplicationShutdown();
  }
}

interface Turn {
  readonly reconciled_to: Date | null;
  readonly next_in_ms: number;
}

async function turn(): Promise<Turn> {
  const [found] = await db.query<Turn>(
    `SELECT reconciled_to, extract(epoch FROM next_at - now())::float8 * 1000 AS next_in_ms FROM relay_reconcile`,
  );
  if (found === undefined) throw new Error('no turn');
  return found;
}

/** Makes the next round due since this long ago, and wakes the replica. */
async function next(replica: Replica, dueForMs = LONG_AGO_MS): Promise<void> {
  await db.query(`UPDATE relay_reconcile SET next_at = now() - $1::float8 * interval '1 millisecond'`, [
    dueForMs,
  ]);
  replica.wakeSignal.wake();
}

/** Waits until no replica is asking: the turn has ended and the next one is postponed. */
async function finished(requests: number): Promise<void> {
  await relay.waitForCount(requests);
  await waitFor(async () => (await turn()).next_in_ms < 4_100 && (await turn()).next_in_ms > -1_000, {
    what: 'the end of the turn',
  });
}

const queries = (): URLSearchParams[] =>
  relay.requests.map(({ path }) => new URL(path, relay.url).searchParams);
const from = (): number[] => queries().map((query) => Number(query.get('startTimestamp')));
const circuit = async (): Promise<string> => (await stores[0].rateLimit.state()).rateLimit.circuit;

/** A payment that is due in an hour: it is open, and no client asks about it now. */
async function openPayment(dueIn = '1 hour'): Promise<void> {
  await stores[0].payments.add(paymentToAdd(randomUUID()));
  await db.query(`UPDATE payment_schedule SET due_at = now() + $1::interval`, [dueIn]);
}

describe('reconciliation', () => {
  it('begins ten minutes back, asks by our key in the order of change, and has what it finds polled', async () => {
    pages = [[row('a', Date.now() - T0), row('b', Date.now() - T0 + 5)]];
    new Replica().start();
    await finished(1);
    const [query] = queries();
    expect(query?.get('apiKey')).toBe(KEY);
    expect([query?.get('sortBy'), query?.get('sortDirection'), query?.get('limit')]).toEqual([
      'updatedAt',
      'asc',
      '50',
    ]);
    const agoS = Date.now() / 1_000 - (from()[0] ?? 0);
    expect(agoS).toBeGreaterThanOrEqual(600);
    expect(agoS).toBeLessThan(615);
    expect(published).toEqual(['quote-of-a', 'quote-of-b']);
  });

  it('goes on ten seconds before the newest change by Relay’s clock, and names no payment twice', async () => {
    await openPayment();
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    pages = [[row('a', 1_000), row('b', 7_900)]];
    const replica = new Replica().start();
    await finished(1);
    pages = [[row('a', 1_000), row('b', 7_900), row('b', 7_950), row('c', 8_000)]];
    await next(replica);
    await finished(2);
    expect(from()).toEqual([T0 / 1_000 - 10, T0 / 1_000 - 3]);
    expect(published).toEqual(['quote-of-a', 'quote-of-b', 'quote-of-b', 'quote-of-c']);
    expect((await turn()).reconciled_to).toEqual(new Date(T0 + 8_000));
  });

  it('reports paid requests of our key that no stored quote names, each once, and adopts none', async () => {
    await openPayment();
    const unpaid = row('lost-and-unpaid', 1, { status: 'waiting' });
    const superseded = row('a', 1, { supersededByRequestId: 'lost-but-a-successor' });
    pages = [[superseded, row('lost-but-a-successor', 2), unpaid, row('lost-1', 3), row('lost-2', 4)]];
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    const replica = new Replica().start();
    await finished(1);
    await next(replica);
    await finished(2);
    expect(warnings.filter((words) => words.includes('no stored quote'))).toEqual([
      expect.stringContaining(
        'Relay lists 2 paid requests of this key that belong to no stored quote: lost-1, lost-2;',
      ),
    ]);
  });

  it('reads page after page, and keeps the time of the last', async () => {
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    pages = [[row('a', 1)], [row('b', 2)], [], [row('c', 3)]];
    new Replica().start();
    await finished(4);
    expect(queries().map((query) => query.get('continuation'))).toEqual([null, '1', '2', '3']);
    expect(published).toEqual(['quote-of-a', 'quote-of-b', 'quote-of-c']);
    expect((await turn()).reconciled_to).toEqual(new Date(T0 + 3));
  });

  it('ends a round after twenty pages, and the next goes on from there', async () => {
    await openPayment();
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    pages = Array.from({ length: 30 }, (_, index) => [row(`r${index}`, index * 60_000)]);
    const replica = new Replica().start();
    await finished(20);
    expect((await turn()).reconciled_to).toEqual(new Date(T0 + 19 * 60_000));
    expect(relay.requests).toHaveLength(20);
    await next(replica);
    await waitFor(() => from()[20]);
    expect(from()[20]).toBe((T0 + 19 * 60_000) / 1_000 - 10);
  });

  it('survives rows that cannot be read, times from the future and answers of another kind', async () => {
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    pages = [
      [
        null as unknown as Row,
        { id: 7 },
        row('a', 5, { updatedAt: 'soon' }),
        row('b', Date.parse('9000-01-01') - T0),
        row('c', 7_000),
      ],
    ];
    const replica = new Replica().start();
    await finished(1);
    expect(published).toEqual(['quote-of-a', 'quote-of-b', 'quote-of-c']);
    expect((await turn()).reconciled_to).toEqual(new Date(T0 + 7_000));
    relay.answer(() => ({ body: '<html>' }));
    await next(replica);
    await finished(2);
    relay.answer(() => ({ body: '{"requests":{}}' }));
    await next(replica);
    await waitFor(async () => (await turn()).next_in_ms > 590_000);
    relay.answer(listing);
    pages = [[...(pages[0] ?? []), row('d', 8_000)]];
    await next(replica);
    await finished(4);
    expect(published).toEqual(['quote-of-a', 'quote-of-b', 'quote-of-c', 'quote-of-d']);
  });

  it('takes every request from the rate limit, and asks nothing while that grants nothing', async () => {
    await openPayment();
    let budget = 2;
    const taking = jest.spyOn(stores[0].rateLimit, 'takeOne').mockImplementation(async () => {
      if (budget < 1) throw new ProviderUnavailable('its request budget is used up', 20);
      budget -= 1;
      return { isProbe: false };
    });
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    pages = [[row('a', 1_000)], [row('b', 2_000)], [row('c', 3_000)]];
    const replica = new Replica().start();
    await finished(2);
    expect((await turn()).reconciled_to).toEqual(new Date(T0 + 2_000));
    await next(replica);
    await waitFor(async () => (await turn()).next_in_ms > 0);
    expect(relay.requests).toHaveLength(2);
    budget = 10;
    await next(replica);
    await waitFor(() => published.includes('quote-of-c'));
    expect(published).toEqual(['quote-of-a', 'quote-of-b', 'quote-of-c']);
    taking.mockRestore();
  });

  it('rests for a minute while no payment is open', async () => {
    const replica = new Replica().start();
    await finished(1);
    await next(replica, 50_000);
    const before = relay.requests.length;
    await waitFor(async () => (await turn()).next_in_ms < -50_200);
    expect(relay.requests).toHaveLength(before);
    await next(replica, 58_500);
    await relay.waitForCount(before + 1);
  });
});

describe('two replicas', () => {
  it('that both find the turn free have one that takes it', async () => {
    await openPayment();
    relay.answer((request) => ({ ...(listing(request) as object), delayMs: 100 }));
    pages = [[row('a', Date.now() - T0)]];
    const both = [new Replica(0), new Replica(1)];
    for (const replica of both) replica.start();
    await finished(1);
    for (const replica of both) replica.wakeSignal.wake();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(relay.requests).toHaveLength(1);
  });

  it('leave the next turn to the one that had the last, and take it over when that does not come', async () => {
    const [mine, theirs] = [new ReconcileLeases(stores[0].database), new ReconcileLeases(stores[1].database)];
    await mine.claim(7_000, 0);
    expect(await mine.release(new Date(T0), 0)).toBe(true);
    expect(await theirs.claim(7_000, 0)).toBeNull();
    expect(await mine.claim(7_000, 0)).toMatchObject({ reconciledTo: new Date(T0) });
    await mine.release(null, -2_100);
    expect(await theirs.claim(7_000, 0)).toMatchObject({ reconciledTo: new Date(T0) });
    expect(await mine.claim(7_000, 0)).toBeNull();
  });

  it('of which one dies before it is done lose nothing: the other begins where it began', async () => {
    await openPayment();
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    const dead = new ReconcileLeases(stores[0].database);
    expect(await dead.claim(7_000, 0)).toMatchObject({ reconciledTo: new Date(T0) });
    pages = [[row('a', 1_000)]];
    const other = new Replica(1).start();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(relay.requests).toHaveLength(0);
    await next(other, 2_100);
    await finished(1);
    expect(from()).toEqual([T0 / 1_000 - 10]);
    expect(published).toEqual(['quote-of-a']);
    // The replica was slow, not dead, and has lost its lease.
    expect(await dead.renew(7_000)).toBe(false);
    expect(await dead.release(new Date(T0 + 60_000), 0)).toBe(false);
    expect((await turn()).reconciled_to).toEqual(new Date(T0 + 1_000));
  });

  it('keep what was found when the quotes cannot be looked up: it is used later', async () => {
    await openPayment();
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    pages = [[row('a', 1_000)]];
    isStoreDown = true;
    const replica = new Replica().start();
    await relay.waitForCount(1);
    await waitFor(() => warnings.some((words) => words.includes('the Relay reconciler failed')));
    expect((await turn()).reconciled_to).toEqual(new Date(T0));
    isStoreDown = false;
    await next(replica);
    await waitFor(() => published.length > 0);
    expect(published).toEqual(['quote-of-a']);
  });
});

describe('reconciliation that Relay refuses', () => {
  const refusal: Script = () => ({
    status: 400,
    body: JSON.stringify({
      statusCode: 400,
      code: 'FST_ERR_VALIDATION',
      message: 'querystring/apiKey is odd',
    }),
  });

  it('is logged once and pauses for ten minutes, then goes on where it was', async () => {
    await openPayment();
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    relay.answer(refusal);
    const replica = new Replica().start();
    await waitFor(async () => (await turn()).next_in_ms > 590_000);
    replica.wakeSignal.wake();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(relay.requests).toHaveLength(1);
    await next(replica);
    await relay.waitForCount(2);
    await waitFor(async () => (await turn()).next_in_ms > 590_000);
    expect(warnings).toEqual([expect.stringContaining('payments are polled without the list')]);
    expect(warnings.join()).not.toContain(KEY);
    expect(await circuit()).toBe('closed');
    relay.answer(listing);
    pages = [[row('a', 1_000)]];
    await next(replica);
    await finished(3);
    expect([from()[2], published]).toEqual([T0 / 1_000 - 10, ['quote-of-a']]);
  });
});

describe('a Relay that lists from the beginning, whatever it is asked', () => {
  it('is asked once in ten minutes, and leaves the requests to polling', async () => {
    await openPayment();
    await db.query('UPDATE relay_reconcile SET reconciled_to = $1', [new Date(T0)]);
    const old = Array.from({ length: 50 }, (_, n) => row(`r${n}`, n - 3_600_000));
    relay.answer(() => ({ body: JSON.stringify({ requests: old, continuation: 'more' }) }));
    new Replica().start();
    await waitFor(async () => (await turn()).next_in_ms > 590_000);
    expect([relay.requests.length, published]).toEqual([1, []]);
    expect(warnings).toEqual([expect.stringContaining('lists what changed before as well')]);
  });
});

describe('a wrong key', () => {
  const wrongKey: Script = () => ({ status: 401, body: '{"message":"Unauthorized"}' });

  /** Reads the health as readiness does. */
  const health = async (): Promise<string> => {
    const limits = { maxConcurrency: 1, batchSize: 40, timeoutMs: 2_000, maxRpm: MAX_RPM };
    const provider = { limits } as PaymentProvider;
    const { rateLimit } = stores[1];
    const view = new RateLimitView(rateLimit, provider, SYSTEM_TIMERS);
    const answers = new AnswerTimes(provider, SYSTEM_TIMERS);
    const circuit = new ProviderCircuit(rateLimit, view, answers, new FakeClock(), SYSTEM_TIMERS, 7_000);
    return (await circuit.health()).status;
  };

  it('shows in readiness though no payment is open, is asked about ever more rarely, and heals', async () => {
    relay.answer(wrongKey);
    const replica = new Replica().start();
    for (let count = 1; count <= 3; count += 1) {
      await finished(count);
      // Less than the usual pause while no payment is open: the reconciler follows a refusal up.
      await next(replica, 2_100);
    }
    await waitFor(async () => (await circuit()) === 'credentials');
    expect(await health()).toBe('degraded');
    for (let round = 0; round < 10; round += 1) {
      await next(replica);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(relay.requests.length).toBeLessThanOrEqual(4);
    const { rateLimit } = await stores[0].rateLimit.state();
    expect(rateLimit.probeWaitMs).toBeGreaterThanOrEqual(1_000);
    relay.answer(listing);
    await db.query('UPDATE provider_rate_limit SET probe_at = 0');
    await next(replica);
    await waitFor(async () => (await circuit()) === 'closed');
    expect(await health()).toBe('ok');
  });

  it('while payments are due is found out by them: the reconciler takes no probe from them', async () => {
    await openPayment('1 second');
    await stores[0].rateLimit.openCircuit('credentials', false);
    await db.query('UPDATE provider_rate_limit SET probe_at = 0');
    const replica = new Replica().start();
    replica.wakeSignal.wake();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(relay.requests).toHaveLength(0);
    expect((await stores[0].rateLimit.takeRequests(1)).isProbe).toBe(true);
  });

  it('that turns out to be good shuts nothing', async () => {
    await openPayment();
    relay.answer(wrongKey);
    pages = [[row('a', Date.now() - T0)]];
    const replica = new Replica().start();
    await finished(1);
    relay.answer(listing);
    await next(replica);
    await finished(2);
    expect(published).toEqual([]);
    await next(replica);
    await finished(3);
    expect(queries().map((query) => query.get('apiKey'))).toEqual([KEY, null, KEY]);
    expect([published, await circuit(), warnings]).toEqual([['quote-of-a'], 'closed', []]);
  });

  it('for the list alone pauses reconciliation and nothing else', async () => {
    relay.answer((request) => (request.path.includes('apiKey=') ? { status: 403 } : listing(request)));
    const replica = new Replica().start();
    await finished(1);
    await next(replica, 2_100);
    await finished(2);
    await next(replica, 2_100);
    await waitFor(async () => (await turn()).next_in_ms > 590_000);
    expect(relay.requests).toHaveLength(3);
    expect(await circuit()).toBe('closed');
    expect(warnings).toEqual([expect.stringContaining('our key may not ask for it')]);
  });
});

describe('a Relay in trouble', () => {
  it('that fails a probe stays shut, and one that answers it is asked again', async () => {
    await stores[0].rateLimit.openCircuit('open', false);
    await db.query('UPDATE provider_rate_limit SET probe_at = 0');
    relay.answer(() => ({ status: 500, body: '<html>' }));
    const replica = new Replica().start();
    await finished(1);
    expect(await circuit()).toBe('open');
    relay.answer(listing);
    await db.query('UPDATE provider_rate_limit SET probe_at = 0');
    await next(replica);
    await waitFor(async () => (await circuit()) === 'closed');
  });

  it('that asks for less gets less, from everybody', async () => {
    relay.answer(() => ({ status: 429, body: '{"message":"Too many requests"}' }));
    new Replica().start();
    await finished(1);
    const { rateLimit } = await stores[1].rateLimit.state();
    expect(rateLimit.slowed).not.toBeNull();
  });
});
