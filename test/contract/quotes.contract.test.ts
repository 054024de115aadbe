import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresQuoteBudget } from '../../src/database/polling/quote-budget.store.ts';
import { type PaymentProvider, ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import type { QuoteBudget } from '../../src/ports/quote-budget.ts';
import type { TestDatabase } from '../support/database.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeQuoteBudget } from '../support/fakes/quote-budget.fake.ts';
import { paymentToAdd } from '../support/payment-to-add.ts';
import { openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';
import { PostgresUnansweredQuotes } from '../../src/database/payments/unanswered-quotes.store.ts';
import { type IdempotencyClaim, IdempotencyLost } from '../../src/ports/idempotency.ts';
import { InvalidCursor, PaymentRemoved } from '../../src/ports/payments.ts';
import {
  type AskedQuote,
  NOT_ENDED,
  type UnansweredFilter,
  type UnansweredQuotes,
} from '../../src/ports/unanswered-quotes.ts';
import { UnfitQuote } from '../../src/ports/unfit-quote.ts';
import { FakeUnansweredQuotes } from '../support/fakes/unanswered-quotes.fake.ts';

describe('the budget', () => {
  const LIMIT = 20;

  /** The budgets of two replicas. */
  interface World {
    readonly one: QuoteBudget;
    readonly two: QuoteBudget;
    /** Lets this time pass. */
    pass(ms: number): Promise<void>;
  }

  function budgetOn({ database }: Stores, maxQuotesPerMinute?: number): PostgresQuoteBudget {
    const limits = { maxConcurrency: 1, batchSize: 1, timeoutMs: 1_000, maxRpm: 0 };
    const stated = maxQuotesPerMinute === undefined ? limits : { ...limits, maxQuotesPerMinute };
    return new PostgresQuoteBudget(database, { name: 'http', limits: stated } as PaymentProvider);
  }

  let db: TestDatabase;
  let stores: Stores;
  let others: Stores;

  beforeAll(async () => {
    ({ db, one: stores, two: others } = await openReplicas());
  });

  async function openMemory(): Promise<World> {
    const clock = new FakeClock();
    const budget = new FakeQuoteBudget(clock, LIMIT);
    return { one: budget, two: budget, pass: async (ms) => clock.advance(ms) };
  }

  async function openPostgres(): Promise<World> {
    await db.query(`UPDATE quote_window SET taken_at = '{}', paused_until = 0`);
    return {
      one: budgetOn(stores, LIMIT),
      two: budgetOn(others, LIMIT),
      pass: async (ms) => {
        await db.query(
          `UPDATE quote_window SET paused_until = paused_until - $1::float8,
           taken_at = ARRAY(SELECT at - $1::float8 FROM unnest(taken_at) AS at)`,
          [ms],
        );
      },
    };
  }

  describe.each([
    { name: 'in memory', open: openMemory },
    { name: 'that two replicas share', open: openPostgres },
  ])('the budget of quotes $name', ({ open }) => {
    let world: World;
    beforeEach(async () => {
      world = await open();
    });

    const refusal = (): Promise<unknown> => world.two.takeQuote().catch((error: unknown) => error);

    it('gives exactly the limit, however many ask at the same time', async () => {
      const asked = Array.from({ length: 3 * LIMIT }, (_, index) =>
        (index % 2 === 0 ? world.one : world.two).takeQuote(),
      );
      const answers = await Promise.allSettled(asked);
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT);
      const refused = answers.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      expect(refused.reason).toMatchObject({ code: 'provider_unavailable' });
      expect((refused.reason as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(50_000);
    });

    it('stops all replicas for as long as the provider asked one of them to, and no longer', async () => {
      await world.one.pause(30_000);
      const { retryAfterMs } = (await refusal()) as { retryAfterMs: number };
      expect(retryAfterMs).toBeGreaterThan(20_000);
      expect(retryAfterMs).toBeLessThanOrEqual(30_000);
      await world.one.pause(5_000);
      await world.pass(10_000);
      expect(await refusal()).toMatchObject({ code: 'provider_unavailable' });
      await world.pass(20_000);
      await expect(world.two.takeQuote()).resolves.toBeUndefined();
    });
  });

  describe('the budget of quotes in PostgreSQL', () => {
    it('keeps a pause for all replicas where the provider states no limit, and writes nothing else', async () => {
      await db.query(`UPDATE quote_window SET taken_at = '{}', paused_until = 9e15`);
      const free = budgetOn(stores);
      await expect(free.takeQuote()).resolves.toBeUndefined();
      await free.pause(30_000);
      const refused = { code: 'provider_unavailable', retryAfterMs: expect.any(Number) };
      for (const each of [free, budgetOn(stores)])
        await expect(each.takeQuote()).rejects.toMatchObject(refused);
      expect(await db.query(`SELECT taken_at FROM quote_window`)).toEqual([{ taken_at: [] }]);
    });
  });
});

describe('what was not answered', () => {
  let db: TestDatabase;
  let stores: Stores;

  beforeAll(async () => {
    ({ db, one: stores } = await openReplicas());
  });

  async function openPostgres(): Promise<UnansweredQuotes> {
    await db.query('DELETE FROM unanswered_quote');
    return new PostgresUnansweredQuotes(stores.database);
  }

  const REQUEST = {
    fromChainId: 8453,
    toChainId: 42161,
    fromToken: '0xa',
    toToken: '0xb',
    amount: '25.50',
    recipient: '0xc',
  };
  const asked = (provider: string, orderId: string | null = null): AskedQuote => ({
    provider,
    orderId,
    request: REQUEST,
  });

  it('is no more once its quote is stored, and only then', async () => {
    const quotes = await openPostgres();
    const { payments } = stores;
    const names = ['stored', 'known', 'removed', 'lost', 'other address'];
    const ids = await Promise.all(names.map((name) => quotes.begin(asked(name))));
    const add = (quoteId: string, index: number, claim: IdempotencyClaim | null = null): Promise<unknown> =>
      payments.add(paymentToAdd(quoteId, { attemptId: ids[index] ?? null }), claim, []);
    const [known, removed] = [randomUUID(), randomUUID()];
    await payments.add(paymentToAdd(known), null, []);
    await db.query('INSERT INTO removed_payment (quote_uuid) VALUES ($1)', [removed]);
    await Promise.all([add(randomUUID(), 0), add(known, 1)]);
    await expect(add(removed, 2)).rejects.toBeInstanceOf(PaymentRemoved);
    const lost = { scope: 'shop', key: 'none', token: randomUUID() };
    await expect(add(randomUUID(), 3, lost)).rejects.toBeInstanceOf(IdempotencyLost);
    const quoteText = JSON.stringify({ quoteId: known, send: { depositAddress: '0xother' } });
    const moved = paymentToAdd(known, { quoteText, attemptId: ids[4] ?? null });
    await expect(payments.add(moved, null, [])).rejects.toBeInstanceOf(ProviderUnavailable);
    const left = (await quotes.list({ limit: 10 })).quotes.map(({ provider }) => provider);
    expect(left).toEqual(['other address', 'lost', 'removed']);
  });

  it('is counted for a day, and one that nothing ended after two minutes', async () => {
    const quotes = await openPostgres();
    const old = (reason: string, minutes: number): Promise<unknown> =>
      db.query(
        `INSERT INTO unanswered_quote (provider, request, reason, requested_at)
         SELECT 'http', '{}', $1, now() - $2 * interval '1 minute' FROM generate_series(1, 10)`,
        [reason, minutes],
      );
    await old('timeout', 24 * 60 + 1);
    await old(NOT_ENDED, 1);
    expect(await quotes.recent()).toMatchObject({ count: 0 });
    await old(NOT_ENDED, 3);
    await old('timeout', 0);
    expect(await quotes.recent()).toMatchObject({ count: 20, providers: [{ provider: 'http', count: 20 }] });
  });

  describe.each([
    { name: 'in memory', open: async (): Promise<UnansweredQuotes> => new FakeUnansweredQuotes() },
    { name: 'in PostgreSQL', open: openPostgres },
  ])('the unanswered quotes $name', ({ open }) => {
    let quotes: UnansweredQuotes;
    beforeEach(async () => {
      quotes = await open();
    });

    it('are listed with all that was stored, the newest first, page by page', async () => {
      const ids = [];
      for (const provider of ['relay', 'oneclick', 'http'])
        ids.unshift(await quotes.begin(asked(provider, 'A-1')));
      await quotes.fail(ids[2] ?? '', 'timeout');
      const first = await quotes.list({ limit: 2 });
      const last = await quotes.list({ limit: 2, cursor: first.nextCursor ?? '' });
      const row = { requestedAt: expect.any(Date), quoteId: null };
      expect([...first.quotes, ...last.quotes]).toEqual([
        { ...asked('http', 'A-1'), ...row, id: ids[0], reason: NOT_ENDED },
        { ...asked('oneclick', 'A-1'), ...row, id: ids[1], reason: NOT_ENDED },
        { ...asked('relay', 'A-1'), ...row, id: ids[2], reason: 'timeout' },
      ]);
      expect(last.nextCursor).toBeNull();
      await expect(quotes.list({ limit: 2, cursor: 'no cursor' })).rejects.toBeInstanceOf(InvalidCursor);
    });

    it('are listed by provider, order, time and answer, from either end, page by page', async () => {
      for (const provider of ['relay', 'http', 'relay', 'oneclick'])
        await quotes.begin(asked(provider, provider === 'http' ? 'A-2' : null));
      const { quotes: all } = await quotes.list({ limit: 10 });
      await quotes.setQuoteId(all[0]?.id ?? '', 'q-1');
      const listed = async (filter: Partial<UnansweredFilter>): Promise<string> => {
        const page = await quotes.list({ limit: 10, ...filter });
        return page.quotes.map(({ provider }) => provider).join();
      };
      expect(await listed({ sort: 'oldest' })).toBe('relay,http,relay,oneclick');
      expect(await listed({ providers: ['http', 'oneclick'] })).toBe('oneclick,http');
      expect(await listed({ orderId: 'A-2' })).toBe('http');
      expect([await listed({ isTracked: true }), await listed({ isTracked: false })]).toEqual([
        'oneclick',
        'relay,http,relay',
      ]);
      const [now, later] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)];
      expect(await listed({ requestedAfter: now, requestedBefore: later })).toBe('oneclick,relay,http,relay');
      expect(await listed({ requestedBefore: now })).toBe('');
      const first = await quotes.list({ limit: 1, sort: 'oldest', providers: ['relay'] });
      const next = await quotes.list({
        limit: 1,
        sort: 'oldest',
        providers: ['relay'],
        cursor: first.nextCursor ?? '',
      });
      expect([...first.quotes, ...next.quotes].map(({ id }) => id)).toEqual([all[3]?.id, all[1]?.id]);
      expect(next.nextCursor).toBeNull();
    });

    it('are counted of each provider, without those that are tracked or under way', async () => {
      expect(await quotes.recent()).toEqual({
        count: 0,
        isMore: false,
        unfit: 0,
        since: null,
        providers: [],
      });
      for (const provider of ['relay', 'http', 'relay'])
        await quotes.fail(
          await quotes.begin(asked(provider)),
          provider === 'http' ? new UnfitQuote('recipient').reason : 'timeout',
        );
      await quotes.begin(asked('under way'));
      const late = await quotes.begin(asked('tracked'));
      await quotes.fail(late, 'timeout');
      await quotes.setQuoteId(late, 'q-1');
      expect(await quotes.recent()).toEqual({
        count: 3,
        isMore: false,
        unfit: 1,
        since: expect.any(Date),
        providers: [
          { provider: 'http', count: 1 },
          { provider: 'relay', count: 2 },
        ],
      });
    });

    it('have no request that has opened nothing, however many begin and end at once', async () => {
      const ids = await Promise.all(['a', 'b', 'c'].map((provider) => quotes.begin(asked(provider))));
      expect(new Set(ids).size).toBe(3);
      await Promise.all([ids[0], ids[2]].map((id) => quotes.withdraw(id ?? '')));
      expect((await quotes.list({ limit: 10 })).quotes.map(({ provider }) => provider)).toEqual(['b']);
    });

    it('take the id of a quote that came after all', async () => {
      const late = await quotes.begin(asked('relay'));
      await quotes.begin(asked('oneclick'));
      await quotes.setQuoteId(late, 'q-1');
      expect((await quotes.list({ limit: 10 })).quotes.map(({ quoteId }) => quoteId)).toEqual([null, 'q-1']);
    });

    it('are removed by their age', async () => {
      await quotes.begin(asked('relay'));
      expect(await quotes.removeBefore(new Date(0))).toBe(0);
      expect(await quotes.removeBefore(new Date(Date.now() + 3_600_000))).toBe(1);
      expect((await quotes.list({ limit: 10 })).quotes).toEqual([]);
    });
  });
});
