import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { RelayApi, type RelayAnswer } from '../../src/providers/relay/relay-api.ts';
import { RelayProvider } from '../../src/providers/relay/relay-provider.ts';
import { RelayStore } from '../../src/providers/relay/relay-store.ts';
import { UNLISTED, type RelayQuote } from '../../src/providers/relay/quote/relay-quote.ts';
import type { LostQuote, StatusAnswer } from '../../src/ports/payment-provider.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { evmAddress, paidAddress, relayQuote, relayRow, route } from '../support/relay-rows.ts';
import { databaseOn } from '../support/stores.ts';

type Json = Record<string, unknown>;

const OPTIONS = {
  maxRpm: 200,
  maxQuotesRpm: 50,
  timeoutMs: 1_000,
  maxConcurrency: 4,
  refundTo: new Map<string, string>(),
  appFees: [],
  quoteTtlSeconds: 300,
  referrer: null,
  failsUnderpaid: false,
};

/** Answers every question with the same rows, and counts the questions. */
class ListingApi extends RelayApi {
  rows: Json[] = [];
  asked = 0;

  constructor() {
    super({ baseUrl: 'http://127.0.0.1:9', apiKey: 'relay-key-1', timeoutMs: 1_000, maxConcurrency: 1 });
  }

  override get(): Promise<RelayAnswer> {
    this.asked += 1;
    return Promise.resolve({ kind: 'json', value: { requests: this.rows } });
  }
}

let database: TestDatabase;
let store: RelayStore;
let api: ListingApi;
let provider: RelayProvider;
let made = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  store = new RelayStore(databaseOn(await openDataSource(database)), 5_000);
});

afterAll(async () => {
  await database.drop();
});

beforeEach(() => {
  api = new ListingApi();
  provider = new RelayProvider(OPTIONS, api, store, new FakeClock());
});

/** A quote of 25 USDC on an address of its own, which is not stored. */
function lostQuote(partial: Partial<RelayQuote> = {}): RelayQuote {
  made += 1;
  const depositAddress = evmAddress(0xdef000 + made);
  return relayQuote({ quoteId: randomUUID(), requestId: `0x${randomUUID()}`, depositAddress, ...partial });
}

/** The quote object as it was answered. */
function objectOf({ quoteId, depositAddress, from, to, recipient }: RelayQuote, send: Json = {}): string {
  const side = ({ chainId, chainName, ...token }: RelayQuote['from']): Json => ({
    chain: { id: chainId, name: chainName },
    token,
  });
  return JSON.stringify({
    quoteId,
    send: { depositAddress, ...side(from), amount: '25', ...send },
    receive: { ...side(to), estimatedAmount: '24.9' },
    recipient,
  });
}

/** Relay's request for the quote, as it was asked: the amount is what was quoted. */
function request(quote: RelayQuote, partial: Json = {}, data: Json = {}): Json {
  return relayRow(quote, partial, { route: route(null), ...data });
}

async function handOver(quote: RelayQuote, text = objectOf(quote)): Promise<LostQuote> {
  const lost = await provider.readLostQuote(quote.quoteId, text);
  if (lost === null) throw new Error('it is known');
  return lost;
}

async function statusOf(quote: RelayQuote): Promise<string> {
  const answer: StatusAnswer = await (await handOver(quote)).readStatus();
  if (answer.kind === 'report') return answer.report.status ?? '';
  return answer.kind === 'refused' ? `${answer.httpStatus} ${answer.message}` : answer.kind;
}

describe('a quote that the database has lost', () => {
  it('costs one request, which also brings its status, and is stored when it is kept', async () => {
    const extra: number[] = [];
    provider.onExtraRequests = (requests) => void extra.push(requests);
    const quote = lostQuote();
    api.rows = [request(quote, { status: 'success', depositAddress: paidAddress(quote) })];
    const lost = await handOver(quote);
    expect(await lost.readStatus()).toMatchObject({ kind: 'report', report: { status: 'COMPLETED' } });
    expect([api.asked, extra]).toEqual([1, []]);
    expect((await store.find([quote.quoteId])).size).toBe(0);
    await lost.keep();
    expect((await store.find([quote.quoteId])).get(quote.quoteId)).toEqual(quote);
  });

  it('is tracked from now on while Relay lists nothing on its address', async () => {
    const quote = lostQuote();
    const lost = await handOver(quote);
    expect(await lost.readStatus()).toMatchObject({ report: { status: 'AWAITING_DEPOSIT' } });
    await lost.keep();
    const stored = (await store.find([quote.quoteId])).get(quote.quoteId);
    expect(stored?.requestId).toBe(`${UNLISTED}${quote.quoteId}`);
  });

  it('may be handed over twice at once, and is then known', async () => {
    const quote = lostQuote();
    const [one, two] = [await handOver(quote), await handOver(quote)];
    for (const lost of [one, two]) expect(await lost.readStatus()).toMatchObject({ kind: 'report' });
    await one.keep();
    await two.keep();
    expect(await provider.readLostQuote(quote.quoteId, objectOf(quote))).toBeNull();
  });

  it.each([
    ['quote.send.depositAddress', { depositAddress: '' }],
    ['quote.send.chain.id', { chain: null }],
    ['quote.send.token.address', { token: { decimals: 6 } }],
    ['quote.send.token.decimals', { token: { address: '0xa', decimals: '6' } }],
    ['quote.send.amount', { amount: '1.0000001' }],
  ])('is refused without a request where it lacks %s', async (field, send) => {
    const quote = lostQuote();
    const refusal = provider.readLostQuote(quote.quoteId, objectOf(quote, send));
    await expect(refusal).rejects.toMatchObject({ code: 'provider_refused', httpStatus: 422, field });
    expect(api.asked).toBe(0);
  });

  it('is not what Relay delivers to another recipient on its address', async () => {
    const quote = lostQuote();
    api.rows = [request(quote, { recipient: evmAddress(7) })];
    expect(await statusOf(quote)).toMatch(/^422 .*another payment/);
  });
});
