import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { RelayApi, type RelayAnswer } from '../../src/providers/relay/relay-api.ts';
import { RelayProvider } from '../../src/providers/relay/relay-provider.ts';
import { RelayStore } from '../../src/providers/relay/quote/relay-store.ts';
import { UNLISTED, type RelayQuote } from '../../src/providers/relay/quote/relay-quote.ts';
import type { LostQuote, StatusAnswer } from '../../src/ports/payment-provider.ts';
import { openReplicas } from '../support/replicas.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import {
  ARBITRUM,
  evmAddress,
  paidAddress,
  QUOTED_AT,
  RELAY_OPTIONS,
  relayAmount,
  relayQuote,
  relayRow,
  route,
} from '../support/relay-rows.ts';

type Json = Record<string, unknown>;

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

let api: ListingApi;
let provider: RelayProvider;
let made = 0;

const { one: stores } = await openReplicas();
const store = new RelayStore(stores.database, 5_000);

beforeEach(() => {
  api = new ListingApi();
  const clock = new FakeClock();
  provider = new RelayProvider(RELAY_OPTIONS, api, store, clock, clock.timers);
});

/** A quote of 25 USDC with a deposit address of its own, which the database lacks. */
function lostQuote(partial: Partial<RelayQuote> = {}): RelayQuote {
  made += 1;
  const depositAddress = evmAddress(0xdef000 + made);
  return relayQuote({ quoteId: randomUUID(), requestId: `0x${randomUUID()}`, depositAddress, ...partial });
}

/** The quote object that the client got. */
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

/** Relay's request for the quote, with the quoted amount. */
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
    const quote = lostQuote();
    api.rows = [request(quote, { status: 'success', depositAddress: paidAddress(quote) })];
    const lost = await handOver(quote);
    expect(await lost.readStatus()).toMatchObject({ kind: 'report', report: { status: 'COMPLETED' } });
    expect([api.asked, lost.extraRequests]).toEqual([1, 0]);
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

  it('takes nothing that another payment on a reused address may have completed', async () => {
    const quote = lostQuote();
    const paid = { status: 'success', depositAddress: paidAddress(quote) };
    const later = new Date(QUOTED_AT.getTime() + 3_600_000).toISOString();
    const other = { route: { quoted: { origin: { inputCurrency: relayAmount('24000000') } } } };
    const own = request(quote);
    const refusals: [rows: Json[], why: RegExp][] = [
      [[request(quote, paid), request(quote, { id: '0xother', createdAt: later })], /Several requests/],
      [[request(quote, { ...paid, id: '0xother', createdAt: later }), own], /Several requests/],
      [[request(quote, paid, other), request(quote, { id: '0xown', createdAt: later })], /before/],
      [[request(quote, paid, other)], /the terms of this quote/],
      [[request(quote, paid, { route: null })], /the terms of this quote/],
      [[request(quote, { ...paid, recipient: null })], /the terms of this quote/],
      [[own, request(quote, { id: '0xother', createdAt: null }, other)], /before/],
    ];
    for (const [rows, why] of refusals) {
      api.rows = rows;
      expect(await statusOf(quote)).toMatch(why);
    }
  });

  it('takes the deposits of another amount that Relay has re-quoted since, and a request that follows its own', async () => {
    const quote = lostQuote();
    const later = { createdAt: new Date(QUOTED_AT.getTime() + 3_600_000).toISOString(), id: '0xlater' };
    const paid = { status: 'success', depositAddress: paidAddress(quote), ...later };
    const crumbs = { route: route(relayAmount('24000000')) };
    crumbs.route['quoted'] = { origin: { inputCurrency: relayAmount('24000000') } };
    api.rows = [request(quote, paid, crumbs), request(quote)];
    const lost = await handOver(quote);
    expect(await lost.readStatus()).toMatchObject({ report: { status: 'COMPLETED' } });
    await lost.keep();
    expect((await store.find([quote.quoteId])).get(quote.quoteId)).toEqual(quote);
    const superseded = lostQuote();
    api.rows = [
      request(superseded, { supersededByRequestId: '0xlater' }),
      request(superseded, { ...paid, depositAddress: paidAddress(superseded) }),
    ];
    expect(await statusOf(superseded)).toBe('COMPLETED');
  });

  it('takes an unpaid request that does not say what was quoted', async () => {
    const quote = lostQuote();
    api.rows = [relayRow(quote)];
    expect(await statusOf(quote)).toBe('AWAITING_DEPOSIT');
    api.rows = [relayRow(quote, { status: 'failure' })];
    expect(await statusOf(quote)).toMatch(/the terms of this quote/);
  });

  it('is not stored on the address of another quote, on whatever chain: that one stays unambiguous', async () => {
    const real = lostQuote();
    await store.add(real);
    const from = { ...real.from, chainId: ARBITRUM };
    const forged = lostQuote({ depositAddress: real.depositAddress.toUpperCase().replace('0X', '0x'), from });
    const lost = await handOver(forged);
    expect(await lost.readStatus()).toMatchObject({ kind: 'report' });
    await expect(lost.keep()).rejects.toMatchObject({ code: 'provider_refused', httpStatus: 422 });
    expect(await store.find([real.quoteId, forged.quoteId])).toEqual(new Map([[real.quoteId, real]]));
  });
});
