import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { signatureOf } from '../../tools/relay-stand-in/notices.js';
import { recorded } from '../../tools/relay-stand-in/recorded/recorded.js';
import { RelayStandIn } from '../../tools/relay-stand-in/relay-stand-in.js';

type Json = Record<string, unknown>;

const KEY = 'relay-key';
const OTHER_KEY = 'another-merchant';
const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const USDT_ON_BASE = '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2';
const NATIVE = '0x0000000000000000000000000000000000000000';
const RECIPIENT = '0x1111111111111111111111111111111111111111';
const SOLANA = 792703809;
const SOLANA_USER = 'CbKGgVKLJFb8bBrf58DnAkdryX6ubewVytn7X957YwNr';
const BASE_USDC_TO_ARBITRUM_ETH = {
  user: '0x000000000000000000000000000000000000dead',
  recipient: RECIPIENT,
  originChainId: 8453,
  originCurrency: USDC_ON_BASE,
  destinationChainId: 42161,
  destinationCurrency: NATIVE,
  amount: '25000000',
  tradeType: 'EXACT_INPUT',
  useDepositAddress: true,
  refundTo: RECIPIENT,
};

describe('the stand-in for Relay', () => {
  let relay: RelayStandIn;
  let nowAt: number;

  beforeEach(async () => {
    nowAt = Date.parse('2026-11-20T12:00:00.000Z');
    relay = await RelayStandIn.start({
      apiKey: KEY,
      otherKeys: [OTHER_KEY],
      clock: { now: () => new Date(nowAt) },
    });
  });

  afterEach(async () => {
    await relay.close();
  });

  async function call(method: 'GET' | 'POST', path: string, body?: object, key: string | null = KEY) {
    const headers = { 'content-type': 'application/json', ...(key === null ? {} : { 'x-api-key': key }) };
    const answer = await fetch(`${relay.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, headers: answer.headers, json: (await answer.json()) as Json };
  }

  function quote(change: Json = {}, key: string | null = KEY) {
    return call('POST', '/quote/v2', { ...BASE_USDC_TO_ARBITRUM_ETH, ...change }, key);
  }

  async function quoted(change: Json = {}, key: string | null = KEY) {
    const { json } = await quote(change, key);
    const [step] = json['steps'] as [{ depositAddress: string }];
    return { requestId: json['requestId'] as string, address: step.depositAddress, json };
  }

  async function requests(query: Record<string, string>, key: string | null = KEY) {
    const { json } = await call(
      'GET',
      `/requests/v3?${new URLSearchParams(query).toString()}`,
      undefined,
      key,
    );
    return json as { requests: Json[]; continuation?: string };
  }

  async function ids(query: Record<string, string>) {
    return (await requests(query)).requests.map(({ id }) => id);
  }

  async function statusOf(requestId: string) {
    return (await call('GET', `/intents/status/v3?requestId=${requestId}`, undefined, null)).json;
  }

  describe('POST /quote/v2', () => {
    it('begins each request id with its time in milliseconds, as the recorded one does', async () => {
      const { start, createdAt } = recorded('request-id-start') as { start: string; createdAt: string };
      expect(start).toBe(`0x${Date.parse(createdAt)}`);
      const { requestId } = await quoted();
      expect(requestId).toMatch(new RegExp(`^0x${nowAt}[0-9a-f]{51}$`));
    });

    it.each([
      ['no user', { user: undefined }, "body must have required property 'user'"],
      ['a number for an amount', { amount: 25 }, 'body/amount must be string'],
      ['a fraction', { amount: '2.5' }, 'body/amount must match pattern "^[0-9]+$"'],
      [
        'an unknown trade type',
        { tradeType: 'ANY' },
        'body/tradeType must be equal to one of the allowed values',
      ],
      ['a fee to nobody', { appFees: [{ fee: '50' }] }, 'body/appFees/0 must be object'],
    ])('refuses what does not fit the schema: %s', async (_, change, message) => {
      const { status, json } = await quote(change);
      expect([status, json]).toEqual([
        400,
        { statusCode: 400, code: 'FST_ERR_VALIDATION', error: 'Bad Request', message },
      ]);
    });

    it.each([
      ['CHAIN_DISABLED', { originChainId: 34_443, originCurrency: NATIVE }],
      ['INVALID_INPUT_CURRENCY', { originCurrency: RECIPIENT }],
      ['UNSUPPORTED_CURRENCY', { originChainId: 137, originCurrency: NATIVE, amount: '1000000000000000000' }],
      ['INVALID_ADDRESS', { refundTo: SOLANA_USER }],
      ['INVALID_RECIPIENT', { recipient: '0xaf88d065e77c8cc2239327c5edb3a432268e5831' }],
      ['AMOUNT_TOO_LOW', { amount: '12000' }],
    ])('refuses with %s', async (errorCode, change) => {
      const { status, json } = await quote(change);
      expect([status, json]).toEqual([400, { errorCode, message: expect.any(String) }]);
    });

    it('wants a refund address for strict addresses and for swaps on the destination, unless set otherwise', async () => {
      const wbtc = { destinationCurrency: '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', refundTo: undefined };
      expect((await quote(wbtc)).json['errorCode']).toBe('INVALID_ADDRESS');
      expect((await quote({ refundTo: undefined })).status).toBe(200);
      relay.options.addressType = 'strict';
      expect((await quote({ refundTo: undefined })).json['errorCode']).toBe('INVALID_ADDRESS');
      relay.options.requiresRefundTo = false;
      expect((await quote(wbtc)).status).toBe(200);
    });

    it('answers without a key, but no referrer, no Solana origin, and nobody with a wrong key', async () => {
      expect((await quote({}, null)).status).toBe(200);
      const referred = await quote({ referrer: 'paybell' }, null);
      expect([referred.status, referred.json]).toEqual([401, recorded('quote-without-key')]);
      const solana = {
        user: SOLANA_USER,
        originChainId: SOLANA,
        originCurrency: '11111111111111111111111111111111',
      };
      expect((await quote({ ...solana, refundTo: SOLANA_USER }, null)).status).toBe(401);
      expect((await quote({}, 'wrong')).json).toEqual({
        message: 'Invalid api key',
        errorCode: 'UNAUTHORIZED',
      });
    });
  });

  describe('GET /requests/v3', () => {
    it('needs a key', async () => {
      const without = await call('GET', '/requests/v3', undefined, null);
      expect([without.status, without.json]).toEqual([400, recorded('requests-without-key')]);
      const wrong = await call('GET', '/requests/v3', undefined, 'wrong');
      expect([wrong.status, wrong.json]).toEqual([401, { message: 'Invalid api key', code: 'UNAUTHORIZED' }]);
    });

    it('lists a request once money has come, or from the first if a test wants it', async () => {
      const { address, requestId } = await quoted();
      expect(await ids({ depositAddress: address })).toEqual([]);
      expect(await statusOf(requestId)).toEqual(recorded('status-of-unknown'));
      relay.options.listsWaiting = true;
      expect(await ids({ depositAddress: address })).toEqual([requestId]);
      expect(await statusOf(requestId)).toMatchObject({ status: 'waiting', failReason: 'N/A' });
      relay.options.listsWaiting = false;
      relay.lives.deposit(address);
      expect(await ids({ depositAddress: address })).toEqual([requestId]);
    });

    it('filters by groups of fields, lists of values, null and not', async () => {
      const one = await quoted();
      const two = await quoted({ recipient: BASE_USDC_TO_ARBITRUM_ETH.user });
      const three = await quoted();
      for (const { address } of [one, two, three]) relay.lives.fill(address);
      const found = async (filters: unknown) => {
        const listed = await ids({
          filters: JSON.stringify(filters),
          sortBy: 'updatedAt',
          sortDirection: 'asc',
        });
        return listed.map((id) => [one, two, three].findIndex(({ requestId }) => requestId === id) + 1);
      };
      const addresses = [one.address.toUpperCase().replace('0X', '0x'), two.address, RECIPIENT];
      expect(await found([{ depositAddress: addresses }])).toEqual([1, 2]);
      expect(await found([{ depositAddress: addresses, recipient: RECIPIENT }])).toEqual([1]);
      expect(await found([{ id: two.requestId }, { id: three.requestId }])).toEqual([2, 3]);
      expect(await found([{ failReason: null, 'not:recipient': RECIPIENT }])).toEqual([2]);
      expect(await found([{ depositAddress: `not:${one.address}` }])).toEqual([2, 3]);
      expect(await found([{ failReason: 'not:SLIPPAGE', originChainId: 8453 }])).toEqual([1, 2, 3]);
      expect(await found([{ status: ['refund', 'failure'] }])).toEqual([]);
    });

    it('separates the merchants by their keys', async () => {
      const own = await quoted({ referrer: 'us' });
      const foreign = await quoted({}, OTHER_KEY);
      for (const { address } of [own, foreign]) relay.lives.fill(address);
      expect(await ids({ apiKey: KEY })).toEqual([own.requestId]);
      expect(await ids({ apiKey: `${KEY},${OTHER_KEY}`, sortBy: 'updatedAt' })).toEqual([
        foreign.requestId,
        own.requestId,
      ]);
      expect(await ids({ referrer: 'us' })).toEqual([own.requestId]);
    });

    it('lists what changed in a time, in seconds, page by page', async () => {
      const made = [];
      for (let index = 0; index < 7; index += 1) made.push(await quoted());
      const [early, ...later] = made.map(({ requestId }) => requestId);
      relay.lives.fill(early ?? '');
      nowAt += 60_000;
      for (const id of later) relay.lives.fill(id);
      const since = String(nowAt / 1_000);
      const query = {
        apiKey: KEY,
        sortBy: 'updatedAt',
        sortDirection: 'desc',
        startTimestamp: since,
        limit: '3',
      };
      const first = await requests(query);
      expect(first.requests.map(({ id }) => id)).toEqual(later.slice(3).reverse());
      const second = await requests({ ...query, continuation: first.continuation ?? '' });
      expect(second.requests.map(({ id }) => id)).toEqual(later.slice(0, 3).reverse());
      expect(await ids({ sortBy: 'updatedAt', endTimestamp: String(nowAt / 1_000 - 1) })).toEqual([early]);
      expect(await ids({ sortBy: 'createdAt', startTimestamp: since })).toEqual([]);
      expect(await ids({ sortBy: 'updatedAt', startTimestamp: String(nowAt) })).toEqual([]);
    });

    it.each([
      ['limit=51', 'querystring/limit must be <= 50'],
      ['sortBy=name', 'querystring/sortBy must be equal to one of the allowed values'],
      ['status=waiting', 'querystring/status must be equal to one of the allowed values'],
      ['filters=nothing', 'filters must be valid JSON'],
      ['colour=blue', 'querystring/colour is not known'],
      ['continuation=x', 'querystring/continuation is invalid'],
    ])('refuses %s', async (query, message) => {
      const { status, json } = await call('GET', `/requests/v3?${query}`);
      expect([status, json['code'], json['message']]).toEqual([400, 'FST_ERR_VALIDATION', message]);
    });
  });

  describe('the other reads', () => {
    it('has the native tokens that the recorded chains have', async () => {
      const { json } = await call('GET', '/chains', undefined, null);
      const chains = json['chains'] as Json[];
      for (const native of recorded('natives') as Json[]) {
        const chain = chains.find(({ id }) => id === native['id']);
        const { name, displayName, symbol, isInput } = native;
        expect(chain).toMatchObject({ name, displayName, currency: { symbol, supportsBridging: isInput } });
        const solver = chain?.['solverCurrencies'] as Json[];
        expect(solver.some((token) => token['symbol'] === symbol)).toBe(isInput);
      }
    });
  });

  describe('limits', () => {
    it('counts quotes and reads on their own, by key', async () => {
      relay.options.limits = { quote: 1, requests: 1, other: 1 };
      await quote();
      const refused = await quote();
      expect([refused.status, refused.json]).toEqual([429, { message: 'Too many requests' }]);
      expect(refused.headers.get('retry-after')).toBeNull();
      expect((await quote({}, OTHER_KEY)).status).toBe(200);
      for (const status of [200, 429]) expect((await call('GET', '/requests/v3')).status).toBe(status);
      expect((await call('GET', '/chains')).status).toBe(200);
      expect(relay.tooMany).toEqual({ quote: 1, requests: 1, other: 0 });
    });
  });

  describe('lives', () => {
    it('requotes what is not as quoted at an open address: a new request, the old one waits on', async () => {
      for (const deposit of [
        { amountRaw: 20_000_000n },
        { amountRaw: '30000000' },
        { token: USDT_ON_BASE },
      ]) {
        const { address, requestId } = await quoted();
        const taken = relay.lives.deposit(address, deposit);
        relay.lives.settle(address);
        expect(taken).not.toBe(requestId);
        expect(relay.rowsAt(address)).toMatchObject([
          { id: requestId, status: 'waiting' },
          { id: taken, status: 'success', depositAddress: { address } },
        ]);
      }
    });

    it('fills at a strict address only what is enough, in time and in the right token', async () => {
      relay.options.addressType = 'strict';
      const [short, over, wrong, elsewhere, late] = [
        await quoted(),
        await quoted(),
        await quoted(),
        await quoted(),
        await quoted({ ttl: 600 }),
      ];
      relay.lives.deposit(short.address, { amountRaw: 24_999_999n });
      expect(() => relay.lives.fill(short.address)).toThrow('DEPOSITED_AMOUNT_TOO_LOW_TO_FILL');
      relay.lives.deposit(over.address, { amountRaw: 50_000_000n });
      relay.lives.deposit(wrong.address, { token: USDT_ON_BASE });
      relay.lives.deposit(elsewhere.address, { chainId: 10 });
      nowAt += 601_000;
      relay.lives.deposit(late.address);
      for (const { address } of [short, over, late]) relay.lives.settle(address);
      const ends = [short, over, wrong, elsewhere, late].map(({ requestId }) => {
        const { status, data } = relay.row(requestId) as { status: string; data: Json };
        return [status, data['failReason']];
      });
      expect(ends).toEqual([
        ['refund', 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL'],
        ['success', null],
        ['failure', 'INCORRECT_DEPOSIT_CURRENCY'],
        ['failure', 'DEPOSIT_CHAIN_MISMATCH'],
        ['refund', 'TTL_EXPIRED'],
      ]);
    });
  });

  it('signs a notice as the sheet defines', () => {
    // openssl: printf '%s' '1700000000000.{"a":1}' | openssl dgst -sha256 -hmac relay-key
    expect(signatureOf('1700000000000', '{"a":1}', KEY)).toBe(
      '14fa629107e84d2382d7cec119cba843df9cece904df1e2dbcdf6988b7800af7',
    );
  });
});
