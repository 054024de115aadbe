import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { UnansweredQuoteEntity } from '../../src/database/entities/unanswered-quote.entity.ts';
import { PostgresUnansweredQuotes } from '../../src/database/payments/unanswered-quotes.store.ts';
import type { UnansweredQuote, UnansweredQuotes } from '../../src/ports/unanswered-quotes.ts';
import type { TestDatabase } from '../support/database.ts';
import { FakeUnansweredQuotes } from '../support/fakes/unanswered-quotes.fake.ts';
import { openReplicas } from '../support/replicas.ts';
import type { Stores } from '../support/stores.ts';

let db: TestDatabase;
let stores: Stores;

beforeAll(async () => {
  ({ db, one: stores } = await openReplicas());
});

async function openPostgres(): Promise<UnansweredQuotes> {
  await db.query('DELETE FROM unanswered_quote');
  return new PostgresUnansweredQuotes(stores.database, stores.source.getRepository(UnansweredQuoteEntity));
}

function quoteOf(provider: string, orderId: string | null = null): UnansweredQuote {
  const request = {
    fromChainId: 8453,
    toChainId: 42161,
    fromToken: '0xa',
    toToken: '0xb',
    amount: '25.50',
    recipient: '0xc',
  };
  return { provider, orderId, request, reason: 'no answer in time' };
}

describe.each([
  { name: 'in memory', open: async (): Promise<UnansweredQuotes> => new FakeUnansweredQuotes() },
  { name: 'in PostgreSQL', open: openPostgres },
])('the unanswered quotes $name', ({ open }) => {
  let quotes: UnansweredQuotes;
  beforeEach(async () => {
    quotes = await open();
  });

  it('are listed with all that was stored, the newest first, up to a limit', async () => {
    const first = await quotes.addQuote(quoteOf('relay', 'A-1'));
    const second = await quotes.addQuote(quoteOf('oneclick'));
    expect(await quotes.list(10)).toEqual([
      { ...quoteOf('oneclick'), id: second, requestedAt: expect.any(Date), quoteId: null },
      { ...quoteOf('relay', 'A-1'), id: first, requestedAt: expect.any(Date), quoteId: null },
    ]);
    expect((await quotes.list(1)).map(({ id }) => id)).toEqual([second]);
  });

  it('take the id of a quote that came after all', async () => {
    const late = await quotes.addQuote(quoteOf('relay'));
    await quotes.addQuote(quoteOf('oneclick'));
    await quotes.setQuoteId(late, 'q-1');
    expect((await quotes.list(10)).map(({ quoteId }) => quoteId)).toEqual([null, 'q-1']);
  });

  it('are removed by their age', async () => {
    await quotes.addQuote(quoteOf('relay'));
    expect(await quotes.removeBefore(new Date(0))).toBe(0);
    expect(await quotes.removeBefore(new Date(Date.now() + 3_600_000))).toBe(1);
    expect(await quotes.list(10)).toEqual([]);
  });
});
