import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import { addressFrom, isAddress } from '../../tools/stand-in/addresses.js';
import { LIE_NAMES } from '../../tools/relay-stand-in/lies.js';
import { signatureOf, signedNotice } from '../../tools/relay-stand-in/notices.js';
import { NO_LIMITS } from '../../tools/relay-stand-in/options.js';
import { recorded } from '../../tools/relay-stand-in/recorded/recorded.js';
import { RelayStandIn } from '../../tools/relay-stand-in/relay-stand-in.js';
import { STORY_NAMES } from '../../tools/relay-stand-in/stories.js';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

const KEY = 'relay-key';
const OTHER_KEY = 'another-merchant';
const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const USDT_ON_BASE = '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2';
const DAI_ON_BASE = '0x50c5725949a6f0c72e6c4a641f24049a917db0cb';
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
    it('answers one deposit step whose ERC-20 transfer pays the deposit address', async () => {
      const { json, address, requestId } = await quoted();
      expect(json['steps']).toEqual([
        expect.objectContaining({
          id: 'deposit',
          kind: 'transaction',
          requestId,
          items: [
            {
              status: 'incomplete',
              data: expect.objectContaining({
                to: USDC_ON_BASE,
                value: '0',
                chainId: 8453,
                data: `0xa9059cbb${address.slice(2).padStart(64, '0')}${(25_000_000).toString(16).padStart(64, '0')}`,
              }),
              check: { endpoint: `/intents/status/v3?requestId=${requestId}`, method: 'GET' },
            },
          ],
        }),
      ]);
      expect(address).toMatch(/^0x[0-9a-f]{40}$/);
    });

    it('pays a native deposit to the address itself', async () => {
      const { json, address } = await quoted({ originCurrency: NATIVE, amount: '10000000000000000' });
      const [step] = json['steps'] as [{ items: [{ data: Json }] }];
      expect(step.items[0].data).toMatchObject({ to: address, data: '0x', value: '10000000000000000' });
    });

    it('names the deposit address among the accounts of a Solana transfer, whatever the token', async () => {
      const origin = { user: SOLANA_USER, originChainId: SOLANA, refundTo: SOLANA_USER };
      for (const [originCurrency, amount] of [
        ['11111111111111111111111111111111', '1000000000'],
        ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', '25000000'],
      ]) {
        const { json, address } = await quoted({ ...origin, originCurrency, amount });
        expect(address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{43,44}$/);
        expect(JSON.stringify(json['steps'])).toContain(`"pubkey":"${address}"`);
      }
    });

    it.each([
      ['bvm', 8253038, 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8', '100000', /^bc1q[02-9ac-hj-np-z]{38}$/],
      ['tvm', 728126428, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', '25000000', /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
      ['tonvm', 224235520, 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c', '9000000000', /^EQ[\w-]{46}$/],
    ] as const)(
      'takes deposits in the form of the family %s',
      async (vmType, originChainId, originCurrency, amount, form) => {
        const user = addressFrom('a payer', vmType);
        const { address } = await quoted({ user, refundTo: user, originChainId, originCurrency, amount });
        expect(address).toMatch(form);
        relay.lives.fill(address);
        const { depositAddress } = relay.row(address) as {
          depositAddress: { address: string; depositor: string };
        };
        expect([depositAddress.address, isAddress(depositAddress.depositor, vmType)]).toEqual([
          address,
          true,
        ]);
      },
    );

    it('begins each request id with its time in milliseconds, as the recorded one does', async () => {
      const { start, createdAt } = recorded('request-id-start') as { start: string; createdAt: string };
      expect(start).toBe(`0x${Date.parse(createdAt)}`);
      const { requestId } = await quoted();
      expect(requestId).toMatch(new RegExp(`^0x${nowAt}[0-9a-f]{51}$`));
    });

    it('adds up: what comes out is what went in less relayer and app, at the prices', async () => {
      const { json } = await quoted({ appFees: [{ recipient: RECIPIENT, fee: '50' }] });
      expect(json['fees']).toMatchObject({
        gas: { currency: { symbol: 'ETH' }, amountFormatted: '0.00000008' },
        relayer: { amount: '24500' },
        relayerGas: { amount: '12000' },
        relayerService: { amount: '12500', amountUsd: '0.012500' },
        app: { amount: '125000', amountFormatted: '0.125' },
        subsidized: { amount: '0', amountFormatted: '0.0', amountUsd: '0' },
      });
      expect(json['details']).toMatchObject({
        operation: 'swap',
        recipient: RECIPIENT,
        currencyIn: { amount: '25000000', amountFormatted: '25.0', currency: { chainId: 8453, decimals: 6 } },
        // 24.8505 USD at 3000 USD an ether.
        currencyOut: { amount: '8283500000000000', minimumAmount: '8117830000000000' },
        timeEstimate: 1,
      });
    });

    it('orders a payment to the recipient alone, open for 180 days', async () => {
      const { json } = await quoted();
      expect(json['protocol']).toMatchObject({
        v2: {
          orderData: {
            output: {
              chainId: 'arbitrum',
              payments: [{ recipient: RECIPIENT, expectedAmount: '8325166666666666' }],
              deadline: nowAt / 1_000 + 180 * 86_400,
            },
          },
        },
      });
    });

    it('turns an exact output round', async () => {
      const { json } = await quoted({ tradeType: 'EXACT_OUTPUT', amount: '1000000000000000' });
      expect(json['details']).toMatchObject({
        currencyOut: { amount: '1000000000000000' },
        currencyIn: { amount: '3013507' },
      });
    });

    it.each([
      ['no user', { user: undefined }, "body must have required property 'user'"],
      ['a number for an amount', { amount: 25 }, 'body/amount must be string'],
      ['a fraction', { amount: '2.5' }, 'body/amount must match pattern "^[0-9]+$"'],
      ['a chain id in text', { originChainId: '8453' }, 'body/originChainId must be number'],
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
      ['UNSUPPORTED_CHAIN', { originChainId: 999_999 }],
      ['CHAIN_DISABLED', { destinationChainId: 7_777_777 }],
      ['CHAIN_DISABLED', { originChainId: 34_443, originCurrency: NATIVE }],
      ['INVALID_INPUT_CURRENCY', { originCurrency: RECIPIENT }],
      ['INVALID_OUTPUT_CURRENCY', { destinationCurrency: RECIPIENT }],
      ['UNSUPPORTED_CURRENCY', { originChainId: 137, originCurrency: NATIVE, amount: '1000000000000000000' }],
      ['INVALID_ADDRESS', { recipient: SOLANA_USER }],
      ['INVALID_ADDRESS', { user: 'me' }],
      ['INVALID_ADDRESS', { refundTo: SOLANA_USER }],
      ['INVALID_ADDRESS', { recoveryAddress: NATIVE }],
      ['INVALID_RECIPIENT', { recipient: '0xaf88d065e77c8cc2239327c5edb3a432268e5831' }],
      ['EXTRA_TXS_NOT_SUPPORTED', { txs: [] }],
      ['INVALID_SLIPPAGE_TOLERANCE', { slippageTolerance: '10001' }],
      ['AMOUNT_TOO_LOW', { amount: '12000' }],
      ['AMOUNT_TOO_LOW', { destinationChainId: 8453, amount: '49999' }],
      ['INSUFFICIENT_LIQUIDITY', { amount: '3000000000000' }],
    ])('refuses with %s', async (errorCode, change) => {
      const { status, json } = await quote(change);
      expect([status, json]).toEqual([400, { errorCode, message: expect.any(String) }]);
    });

    it('takes the depositor for the refund where the chain family allows it', async () => {
      expect((await quote({ refundTo: NATIVE })).status).toBe(200);
      const tron = { user: 'THa7BwoPfacfiELa63pbmm3g5PGKYmtJyt', originChainId: 728126428 };
      const usdt = { ...tron, originCurrency: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' };
      expect(
        (await quote({ ...usdt, refundTo: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb' })).json['errorCode'],
      ).toBe('INVALID_ADDRESS');
      expect((await quote({ ...usdt, refundTo: tron.user })).status).toBe(200);
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

    it('knows sanctioned wallets, in any case', async () => {
      relay.options.sanctionedWallets = ['0xABCDEFABCDEFABCDEFABCDEFABCDEFABCDEFABCD'];
      const { json } = await quote({ recipient: '0xabcdefabcdefabcdefabcdefabcdefabcdefabcd' });
      expect(json['errorCode']).toBe('SANCTIONED_WALLET_ADDRESS');
    });

    it('makes open or strict addresses, by the trade type or as a test wants it', async () => {
      const typeOf = async (change: Json) => {
        const { requestId } = await quoted(change);
        return (await call('GET', `/deposit-addresses/v1?requestId=${requestId}`)).json['type'];
      };
      expect(await typeOf({ strict: true })).toBe('open');
      expect(await typeOf({ tradeType: 'EXACT_OUTPUT', amount: '1000000000000000' })).toBe('strict');
      relay.options.addressType = 'as-asked';
      expect(await typeOf({ strict: true })).toBe('strict');
      relay.options.addressType = 'open';
      expect((await quote({ tradeType: 'EXACT_OUTPUT' })).json['errorCode']).toBe(
        'UNSUPPORTED_EXECUTION_TYPE',
      );
    });

    it('shows a route its address again where addresses are reused, another one otherwise', async () => {
      const first = await quoted();
      expect((await quoted()).address).not.toBe(first.address);
      relay.options.reusesAddresses = true;
      const [second, third] = [await quoted(), await quoted()];
      expect(third.address).toBe(second.address);
      expect(third.requestId).not.toBe(second.requestId);
      expect((await quoted({ recipient: BASE_USDC_TO_ARBITRUM_ETH.user })).address).not.toBe(second.address);
    });

    it('leaves out what may be missing, and writes addresses in another case, as a test wants it', async () => {
      Object.assign(relay.options, { topLevelFees: false, topLevelRequestId: false, mixedCase: true });
      const { json } = await quote();
      expect(Object.keys(json)).toEqual(['steps', 'details', 'protocol']);
      const [step] = json['steps'] as [{ depositAddress: string; requestId: string }];
      expect(step.depositAddress).toMatch(/[A-F]/);
      relay.lives.deposit(step.depositAddress);
      expect(await ids({ depositAddress: step.depositAddress })).toEqual([step.requestId]);
      expect(relay.row(step.requestId)['depositAddress']).toMatchObject({
        address: step.depositAddress.toLowerCase(),
      });
    });

    it('differs from quote to quote in nothing but ids and addresses', async () => {
      expect(differences((await quote()).json, (await quote()).json)).toEqual([]);
    });

    it.each([
      ['recipient', ['details.recipient']],
      ['outToken', ['details.currencyOut.currency.address']],
      ['outChain', ['details.currencyOut.currency.chainId']],
      ['inToken', ['details.currencyIn.currency.address']],
      ['inChain', ['details.currencyIn.currency.chainId']],
      ['inAmount', ['details.currencyIn.amount']],
      ['inDecimals', ['details.currencyIn.currency.decimals']],
      ['depositAddress', ['steps.0.depositAddress']],
      ['noDepositAddress', ['steps.0.depositAddress']],
      ['calldata', ['steps.0.items.0.data.data']],
      ['transferAmount', ['steps.0.items.0.data.data', 'steps.0.items.0.data.value']],
      ['target', ['steps.0.items.0.data.to']],
      ['stepChain', ['steps.0.items.0.data.chainId']],
      ['twoSteps', ['steps.0.id', 'steps.1']],
      ['noRequestId', ['requestId', 'steps.0.requestId']],
      ['payment', ['protocol.v2.orderData.output.payments.0.recipient']],
      ['secondPayment', ['protocol.v2.orderData.output.payments.1']],
    ] as const)('can lie about %s, once', async (lie, paths) => {
      relay.lie(lie, 1);
      const { json: lied } = await quote();
      const { json: honest } = await quote();
      expect(differences(honest, lied)).toEqual(paths);
      expect(LIE_NAMES).toHaveLength(17);
    });

    it('refuses as a test wants it, so often', async () => {
      relay.refuseQuotes('NO_SWAP_ROUTES_FOUND', { message: 'no routes found', times: 1 });
      expect((await quote()).json).toEqual({ errorCode: 'NO_SWAP_ROUTES_FOUND', message: 'no routes found' });
      expect((await quote()).status).toBe(200);
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

    it('reports a success with all its facts', async () => {
      const { address, requestId } = await quoted();
      relay.lives.deposit(address, { txHash: '0xpaid', from: BASE_USDC_TO_ARBITRUM_ETH.user });
      nowAt += 2_000;
      relay.lives.fill(address);
      const [row] = (await requests({ id: requestId })).requests;
      expect(row).toMatchObject({
        id: requestId,
        status: 'success',
        sender: BASE_USDC_TO_ARBITRUM_ETH.user,
        recipient: RECIPIENT,
        refundTo: RECIPIENT,
        supersededByRequestId: null,
        requestType: 'Crosschain Swap',
        features: ['deposit_address'],
        depositAddress: { address, type: 'open', depositTxHash: '0xpaid', recoveryAddress: null },
        createdAt: '2026-11-20T12:00:00.000Z',
        updatedAt: '2026-11-20T12:00:02.000Z',
        data: {
          failReason: null,
          refundFailReason: null,
          inTxs: [{ chainId: 8453, timestamp: nowAt / 1_000, status: 'success', txHash: expect.any(String) }],
          outTxs: [{ chainId: 42161, timestamp: nowAt / 1_000, status: 'success' }],
          route: {
            quoted: { origin: { inputCurrency: { amount: '25000000' } } },
            actual: {
              origin: { inputCurrency: { amount: '25000000', currency: { symbol: 'USDC' } } },
              destination: { outputCurrency: { amount: '8325166666666666', currency: { symbol: 'ETH' } } },
            },
          },
          refundCurrencyData: null,
        },
        protocol: {
          isWithdrawable: false,
          settlement: { destination: { fills: [{ chainId: 'arbitrum' }], refunds: [] } },
        },
      });
    });

    it('shows another token as delivered until the fill has landed', async () => {
      const { address } = await quoted();
      relay.lives.submit(address);
      expect(deliveredOf(relay.row(address))).toMatchObject({ currency: { symbol: 'USDC', chainId: 8453 } });
      relay.lives.fill(address);
      expect(deliveredOf(relay.row(address))).toMatchObject({ currency: { symbol: 'ETH', chainId: 42161 } });
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
      // A full page says nothing of whether there is another.
      const third = await requests({ ...query, continuation: second.continuation ?? '' });
      expect(third).toEqual({ requests: [] });
      expect(await ids({ sortBy: 'updatedAt', endTimestamp: String(nowAt / 1_000 - 1) })).toEqual([early]);
      expect(await ids({ sortBy: 'createdAt', startTimestamp: since })).toEqual([]);
      expect(await ids({ sortBy: 'updatedAt', startTimestamp: String(nowAt) })).toEqual([]);
    });

    it('puts a request that changes while its pages are read at the front', async () => {
      const made = [await quoted(), await quoted(), await quoted()].map(({ requestId }) => requestId);
      for (const id of made) relay.lives.submit(id);
      const query = { sortBy: 'updatedAt', sortDirection: 'desc', limit: '1' };
      const first = await requests(query);
      relay.lives.fill(made[0] ?? '');
      const second = await requests({ ...query, continuation: first.continuation ?? '' });
      expect(second.requests.map(({ id }) => id)).toEqual([made[1]]);
      expect(await ids(query)).toEqual([made[0]]);
    });

    it.each([
      ['limit=51', 'querystring/limit must be <= 50'],
      ['limit=0', 'querystring/limit must be >= 1'],
      ['sortBy=name', 'querystring/sortBy must be equal to one of the allowed values'],
      ['sortDirection=up', 'querystring/sortDirection must be equal to one of the allowed values'],
      ['status=waiting', 'querystring/status must be equal to one of the allowed values'],
      ['filters=nothing', 'filters must be valid JSON'],
      ['filters={}', 'filters must be a JSON array of groups'],
      ['colour=blue', 'querystring/colour is not known'],
      ['constructor=blue', 'querystring/constructor is not known'],
      ['continuation=x', 'querystring/continuation is invalid'],
    ])('refuses %s', async (query, message) => {
      const { status, json } = await call('GET', `/requests/v3?${query}`);
      expect([status, json['code'], json['message']]).toEqual([400, 'FST_ERR_VALIDATION', message]);
    });

    it('no longer answers by its second version', async () => {
      const { status, json } = await call('GET', '/requests/v2');
      expect([status, json['successor']]).toEqual([410, '/requests/v3']);
    });
  });

  describe('the other reads', () => {
    it('answers chains as they are: fractional fees, closed ones, unknown families', async () => {
      const { json } = await call('GET', '/chains', undefined, null);
      const chains = json['chains'] as Json[];
      for (const native of recorded('natives') as Json[]) {
        const chain = chains.find(({ id }) => id === native['id']);
        const { name, displayName, symbol, isInput } = native;
        expect(chain).toMatchObject({ name, displayName, currency: { symbol, supportsBridging: isInput } });
        const solver = chain?.['solverCurrencies'] as Json[];
        expect(solver.some((token) => token['symbol'] === symbol)).toBe(isInput);
      }
      expect(chains.map(({ vmType }) => vmType)).toEqual(
        expect.arrayContaining(['svm', 'bvm', 'tvm', 'tonvm', 'movevm']),
      );
      expect(chains.find(({ id }) => id === 56)).toMatchObject({ depositFee: 0.8 });
      expect(
        chains.filter(({ disabled, depositEnabled }) => disabled === true || depositEnabled === false),
      ).toHaveLength(2);
      const some = await call('GET', '/chains?includeChains=1,10');
      expect((some.json['chains'] as Json[]).map(({ id }) => id)).toEqual([1, 10]);
    });

    it('searches currencies flat, or grouped in its first version', async () => {
      const search = async (body: object, version = 'v2') =>
        (await call('POST', `/currencies/${version}`, body)).json as unknown as Json[];
      expect(await search({ address: USDC_ON_BASE.toUpperCase().replace('0X', '0x') })).toEqual([
        {
          chainId: 8453,
          address: USDC_ON_BASE,
          symbol: 'USDC',
          name: 'USD Coin',
          decimals: 6,
          vmType: 'evm',
          metadata: { logoURI: expect.any(String), verified: true, isNative: false },
        },
      ]);
      expect(await search({})).toHaveLength(20);
      expect(await search({ term: 'usdc', chainIds: [137], verified: false })).toMatchObject([
        { symbol: 'USDC.e' },
      ]);
      expect(await search({ chainIds: [137], depositAddressOnly: true, term: 'pol' })).toEqual([]);
      expect(await search({ tokens: [`1:${NATIVE}`] })).toMatchObject([{ symbol: 'ETH', chainId: 1 }]);
      const everywhere = await search({ address: USDC_ON_BASE, chainIds: [8453], includeAllChains: true });
      expect(new Set(everywhere.map(({ symbol }) => symbol))).toEqual(new Set(['USDC']));
      expect(everywhere.length).toBeGreaterThan(5);
      const groups = (await search({ term: 'usdt', chainIds: [1, 10] }, 'v1')) as unknown as Json[][];
      expect(groups.map((group) => group.map(({ groupID }) => groupID))).toEqual([['usdt', 'usdt']]);
      expect(await search({ limit: 101 })).toMatchObject({ message: 'body/limit must be <= 100' });
      relay.options.hasCurrenciesV2 = false;
      expect((await call('POST', '/currencies/v2', {})).status).toBe(404);
    });

    it('shows what a deposit address is, by address or request', async () => {
      const { address, requestId } = await quoted();
      const expected = {
        depositAddress: address,
        type: 'open',
        requestId,
        chainId: 8453,
        createdAt: '2026-11-20T12:00:00.000Z',
        currency: USDC_ON_BASE,
        refundTo: RECIPIENT,
      };
      expect((await call('GET', `/deposit-addresses/v1?address=${address}`)).json).toEqual(expected);
      expect((await call('GET', `/deposit-addresses/v1?requestId=${requestId}`)).json).toEqual(expected);
      expect((await call('GET', `/deposit-addresses/v1?address=${RECIPIENT}`)).status).toBe(404);
      expect((await call('GET', `/deposit-addresses/v1?address=${address}`, undefined, null)).status).toBe(
        400,
      );
    });

    it('checks an address again when asked, not twice within a minute', async () => {
      const { address, requestId } = await quoted();
      expect(relay.lives.deposit(address, { unseen: true })).toBeNull();
      const ask = (chainId = 8453) =>
        call('POST', '/transactions/deposit-address/reindex', { chainId, depositAddress: address });
      expect((await ask()).json).toMatchObject({
        triggeredCurrencies: [{ symbol: 'USDC', balance: '25000000' }],
      });
      expect(await ids({ depositAddress: address })).toEqual([requestId]);
      expect((await ask()).status).toBe(429);
      // The same address on another chain: money found there becomes a request of that chain.
      relay.lives.deposit(address, { chainId: 10 });
      nowAt += 60_000;
      expect((await ask()).json).toMatchObject({ triggeredCurrencies: [] });
      nowAt += 60_000;
      expect((await ask(10)).json).toMatchObject({ triggeredCurrencies: [{ symbol: 'USDC' }] });
      expect(relay.rowsAt(address)).toHaveLength(2);
      expect((await statusOf(String(relay.rowsAt(address)[1]?.['id'])))['originChainId']).toBe(10);
    });

    it('knows no other paths and takes no body but an object', async () => {
      expect((await call('GET', '/quote/v3')).status).toBe(404);
      expect((await call('POST', '/quote/v2')).json['message']).toBe('body must be object');
    });
  });

  describe('limits', () => {
    it('answers 429 to the 51st quote and the 201st read of a minute, each by its own count and key', async () => {
      for (let index = 0; index < 50; index += 1) await quote();
      const refused = await quote();
      expect([refused.status, refused.json]).toEqual([429, { message: 'Too many requests' }]);
      expect(refused.headers.get('retry-after')).toBeNull();
      expect((await quote({}, OTHER_KEY)).status).toBe(200);
      for (let index = 0; index < 200; index += 1) await call('GET', '/requests/v3');
      expect((await call('GET', '/requests/v3')).status).toBe(429);
      expect((await call('GET', '/chains')).status).toBe(200);
      expect(relay.tooMany).toEqual({ quote: 1, requests: 1, other: 0 });
    });

    it('lets in as many as are older than a minute, and none for those refused', async () => {
      relay.options.limits = { ...NO_LIMITS, other: 2 };
      await call('GET', '/chains');
      nowAt += 40_000;
      await call('GET', '/chains');
      expect((await call('GET', '/chains')).status).toBe(429);
      nowAt += 20_000;
      expect((await call('GET', '/chains')).status).toBe(200);
      expect((await call('GET', '/chains')).status).toBe(429);
    });

    it('counts nothing while they are off', async () => {
      relay.options.limits = NO_LIMITS;
      for (let index = 0; index < 3; index += 1) await call('GET', '/chains');
      relay.options.limits = { ...NO_LIMITS, other: 1 };
      expect((await call('GET', '/chains')).status).toBe(200);
      expect((await call('GET', '/chains')).status).toBe(429);
    });

    it('says when to come back, if a test wants it', async () => {
      Object.assign(relay.options, { limits: { ...NO_LIMITS, other: 0 }, retryAfterSeconds: 7 });
      expect((await call('GET', '/chains')).headers.get('retry-after')).toBe('7');
    });
  });

  describe('lives', () => {
    it('passes through every word on the way to success', async () => {
      const { address, requestId } = await quoted();
      const words = [];
      for (const move of ['deposit', 'sweep', 'submit', 'delay', 'fill'] as const) {
        relay.lives[move](address);
        words.push((await statusOf(requestId))['status']);
      }
      expect(words).toEqual(['depositing', 'pending', 'submitted', 'delayed', 'success']);
      const status = await statusOf(requestId);
      expect([status['inTxHashes'], status['txHashes']]).toEqual([
        [expect.any(String)],
        [expect.any(String)],
      ]);
    });

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

    it('requotes a late deposit at an open address', async () => {
      const { address, requestId } = await quoted();
      nowAt += 30_001;
      expect(relay.lives.deposit(address)).not.toBe(requestId);
    });

    it('points to the new request where it does so', async () => {
      relay.options.setsSuperseded = true;
      const { address, requestId } = await quoted();
      const taken = relay.lives.deposit(address, { amountRaw: 20_000_000n });
      expect(relay.row(requestId)['supersededByRequestId']).toBe(taken);
    });

    it('sends back what an open address can make nothing of', async () => {
      const { address } = await quoted();
      relay.lives.deposit(address, { amountRaw: 12_000n });
      relay.lives.settle(address);
      expect(relay.row(address)).toMatchObject({
        status: 'failure',
        data: {
          failReason: 'DEPOSITED_AMOUNT_TOO_LOW_TO_FILL',
          refundFailReason: 'AMOUNT_TOO_LOW_TO_REFUND',
        },
      });
    });

    it('takes a second deposit for a second payment at an open address, and sends it back at a strict one', async () => {
      const open = await quoted();
      relay.lives.fill(open.address);
      relay.lives.deposit(open.address);
      relay.lives.settle(open.address);
      expect(relay.rowsAt(open.address).map(({ status }) => status)).toEqual(['success', 'success']);
      relay.options.addressType = 'strict';
      const strict = await quoted();
      relay.lives.fill(strict.address);
      relay.lives.deposit(strict.address);
      relay.lives.settle(strict.address);
      expect(relay.rowsAt(strict.address)).toMatchObject([
        { id: strict.requestId, status: 'success' },
        { status: 'refund', data: { failReason: 'DOUBLE_SPEND' } },
      ]);
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
      expect(deliveredOf(relay.row(over.requestId))).toMatchObject({ amount: '16650333333333332' });
    });

    it('never sees a token that no solver takes', async () => {
      const { address } = await quoted();
      expect(relay.lives.deposit(address, { token: DAI_ON_BASE })).toBeNull();
      expect(await ids({ depositAddress: address })).toEqual([]);
    });

    it('refunds on the origin chain, the payer first where the depositor is refunded', async () => {
      const treasury = await quoted();
      const depositor = await quoted({ refundTo: NATIVE });
      for (const { address } of [treasury, depositor]) relay.lives.refund(address, { reason: 'SLIPPAGE' });
      const [one, two] = [treasury, depositor].map(
        ({ address }) => relay.row(address) as { status: string; data: { outTxs: Json[] } & Json },
      );
      expect(one).toMatchObject({
        status: 'refund',
        data: {
          failReason: 'SLIPPAGE',
          outTxs: [{ chainId: 8453 }],
          refundCurrencyData: { amount: '24988000' },
        },
      });
      expect(two?.data.outTxs).toHaveLength(2);
      const { txHashes, failReason } = await statusOf(treasury.requestId);
      expect([txHashes, failReason]).toEqual([[one?.data.outTxs[0]?.['txHash']], 'SLIPPAGE']);
    });

    it('lets time run out before and after the deposit', async () => {
      const [before, after] = [await quoted(), await quoted()];
      relay.lives.expireTtl(before.address);
      for (const { address } of [before, after]) relay.lives.deposit(address);
      relay.lives.settle(before.address);
      relay.lives.expireTtl(after.address);
      for (const { address } of [before, after]) {
        expect(relay.row(address)).toMatchObject({ status: 'refund', data: { failReason: 'TTL_EXPIRED' } });
      }
    });

    it('hands the money over to the request that supersedes', async () => {
      const { address, requestId } = await quoted();
      relay.lives.deposit(address, { txHash: '0xpaid' });
      const next = relay.lives.supersede(address);
      relay.lives.fill(address);
      expect(relay.row(requestId)).toMatchObject({ status: 'depositing', supersededByRequestId: next });
      expect(relay.row(next)).toMatchObject({
        status: 'success',
        depositAddress: { depositTxHash: '0xpaid' },
      });
    });

    it('does not move what was never quoted', () => {
      expect(() => relay.lives.fill(RECIPIENT)).toThrow(`no deposit address ${RECIPIENT}`);
    });
  });

  describe('stories', () => {
    it.each([
      ['plain', ['success']],
      ['instant', ['success']],
      ['underpaid', ['waiting', 'success']],
      ['overpaid', ['waiting', 'success']],
      ['late', ['waiting', 'success']],
      ['delayed', ['success']],
      ['refund', ['refund']],
      ['failure, then refund', ['refund']],
      ['refund impossible', ['failure']],
      ['blocked wallet', ['failure']],
      ['unknown word', ['success']],
      ['untidy', ['success']],
      ['no hashes', ['success']],
      ['second deposit', ['success', 'success']],
      ['superseded', ['depositing', 'success']],
    ] as const)('%s', async (story, ends) => {
      const { address } = await quoted();
      // The stand-in's clock stands still; a late story is late by what the test says.
      if (story === 'late') relay.options.requoteAfterMs = -1;
      await relay.play(address, story, { speed: 100_000 });
      expect(relay.rowsAt(address).map(({ status }) => status)).toEqual(ends);
    });

    it('are all listed above', () => {
      expect(STORY_NAMES).toHaveLength(15);
    });

    it('leave rows as untidy as Relay has had them', async () => {
      const { address } = await quoted();
      await relay.play(address, 'untidy', { speed: 100_000 });
      expect(relay.row(address)).toMatchObject({
        supersededByRequestId: '',
        data: {
          failReason: 'N/A',
          inTxs: [{ hash: expect.any(String), timestamp: nowAt }],
          outTxs: [{ txHash: '' }, { timestamp: nowAt / 1_000 }],
        },
      });
    });

    it('end with the stand-in', async () => {
      const { address } = await quoted();
      const played = relay.play(address, 'plain');
      await relay.close();
      await played;
      expect(relay.row(address)).toMatchObject({ status: 'waiting' });
    });
  });

  describe('faults', () => {
    it.each([
      ['html502', 502, '<html>'],
      ['html429', 429, '<html>'],
      ['json500', 500, 'UNKNOWN_ERROR'],
      ['json503', 503, 'SERVICE_UNAVAILABLE'],
      ['unauthorized', 401, 'UNAUTHORIZED'],
    ] as const)('%s', async (kind, status, text) => {
      relay.fault(kind, { times: 1, path: '/chains' });
      expect((await call('GET', '/requests/v3')).status).toBe(200);
      const answer = await fetch(`${relay.url}/chains`);
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain(text);
      expect((await call('GET', '/chains')).status).toBe(200);
    });

    it('breaks connections and bodies, and hangs until it is over', async () => {
      relay.fault('reset', { times: 1 });
      await expect(fetch(`${relay.url}/chains`)).rejects.toThrow('fetch failed');
      relay.fault('truncated', { times: 1 });
      await expect(fetch(`${relay.url}/chains`).then((answer) => answer.text())).rejects.toThrow(
        'terminated',
      );
      relay.fault('hang');
      await expect(fetch(`${relay.url}/chains`, { signal: AbortSignal.timeout(50) })).rejects.toThrow(
        'timeout',
      );
      relay.recover();
      relay.fault('slow', { times: 1, delayMs: 1 });
      expect((await call('GET', '/chains')).status).toBe(200);
    });

    it('logs what came, faults and refusals included', async () => {
      relay.fault('json500', { times: 1 });
      await call('GET', '/chains?includeChains=1', undefined, 'wrong');
      expect(relay.requests).toEqual([
        {
          method: 'GET',
          path: '/chains',
          query: { includeChains: '1' },
          body: null,
          apiKey: 'wrong',
          at: new Date(nowAt),
        },
      ]);
    });
  });

  describe('notices', () => {
    let receiver: HttpReceiver;

    beforeEach(async () => {
      receiver = await HttpReceiver.start();
    });

    afterEach(async () => {
      await receiver.close();
    });

    it('signs the bytes it sends with the key, in milliseconds or seconds', async () => {
      const { address, requestId } = await quoted({ referrer: 'us' });
      relay.lives.fill(address);
      expect(await relay.notify(receiver.url, address)).toBe(204);
      expect(await relay.notify(receiver.url, address, { timestampUnit: 's', pretty: true })).toBe(204);
      const [first, second] = receiver.requests;
      expect(first?.json).toMatchObject({
        event: 'request.status.updated',
        timestamp: nowAt,
        data: {
          status: 'success',
          requestId,
          referrer: 'us',
          updatedAt: nowAt,
          depositAddress: { address, depositAddressType: 'open' },
          inTxHashes: [expect.any(String)],
          txHashes: [expect.any(String)],
        },
      });
      expect([first, second].map((request) => request?.headers['x-signature-timestamp'])).toEqual([
        String(nowAt),
        String(nowAt / 1_000),
      ]);
      for (const request of [first, second]) expect(isSigned(request)).toBe(true);
      expect(second?.text).toContain('\n  "event"');
    });

    it('has the signature that the sheet defines', () => {
      // openssl: printf '%s' '1700000000000.{"a":1}' | openssl dgst -sha256 -hmac relay-key
      expect(signatureOf('1700000000000', '{"a":1}', KEY)).toBe(SIGNATURE_BY_OPENSSL);
    });

    it('writes its header names in either case', () => {
      const names = (headerCase: 'title' | 'lower') =>
        Object.keys(signedNotice({}, { key: KEY, headerCase }).headers);
      expect(names('title')).toEqual(['Content-Type', 'X-Signature-Timestamp', 'X-Signature-SHA256']);
      expect(names('lower')).toEqual(['content-type', 'x-signature-timestamp', 'x-signature-sha256']);
    });

    it.each([['body'], ['signature'], ['timestamp'], ['unsigned']] as const)(
      'tampers with the %s',
      async (tamper) => {
        const { address } = await quoted();
        await relay.notify(receiver.url, address, { tamper });
        expect(isSigned(receiver.requests[0])).toBe(false);
      },
    );

    it('reports each change, twice if a test wants it, and tries again until it is taken', async () => {
      const { address } = await quoted();
      let refusals = 3;
      receiver.answer(() => ({ status: (refusals -= 1) >= 0 ? 503 : 200 }));
      const sender = relay.notifyEach(receiver.url, { copies: 2, isShuffled: true, firstRetryMs: 1 });
      relay.lives.deposit(address);
      relay.lives.fill(address);
      await sender.settled();
      expect(sender.answers.filter((status) => status === 200)).toHaveLength(4);
      expect(sender.answers.filter((status) => status === 503)).toHaveLength(3);
      expect(new Set(receiver.requests.map(({ json }) => (json as { data: Json }).data['status']))).toEqual(
        new Set(['depositing', 'success']),
      );
    });

    it('reports a quote only if a test wants it', async () => {
      relay.notifyEach(receiver.url);
      await quoted();
      const sender = relay.notifyEach(receiver.url, { sendsWaiting: true, headerCase: 'lower' });
      await quoted();
      await waitFor(() => receiver.requests.length === 1, { what: 'the notice' });
      await sender.settled();
      expect(receiver.requests).toHaveLength(1);
    });
  });

  it('keeps a thousand requests and finds each by its address', async () => {
    relay.options.limits = NO_LIMITS;
    const addresses: string[] = [];
    for (let index = 0; index < 1_000; index += 1) addresses.push((await quoted()).address);
    for (let round = 0; round < 3; round += 1) for (const address of addresses) relay.lives.submit(address);
    const filters = JSON.stringify([{ depositAddress: addresses.slice(100, 140) }]);
    const found = await requests({ filters, sortBy: 'updatedAt', sortDirection: 'asc', limit: '50' });
    expect(found.requests.map((row) => (row['depositAddress'] as Json)['address'])).toEqual(
      addresses.slice(100, 140),
    );
    expect(found.continuation).toBeUndefined();
    expect(relay.size).toBe(1_000);
  });
});

const SIGNATURE_BY_OPENSSL = '14fa629107e84d2382d7cec119cba843df9cece904df1e2dbcdf6988b7800af7';

function deliveredOf(row: unknown): unknown {
  const { data } = row as { data: { route: { actual: { destination: { outputCurrency: unknown } } } } };
  return data.route.actual.destination.outputCurrency;
}

/** Where two quotes differ, ids and addresses apart: each quote has its own. */
function differences(honest: Json, lied: Json): string[] {
  const paths: string[] = [];
  const compare = (one: unknown, other: unknown, path: string): void => {
    if (!isBranch(one) || !isBranch(other)) {
      if (one !== other) paths.push(path);
      return;
    }
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      compare(one[key], other[key], path === '' ? key : `${path}.${key}`);
    }
  };
  compare(nameless(honest), nameless(lied), '');
  return paths;
}

function isBranch(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

function nameless(quote: Json): unknown {
  const { v2 } = quote['protocol'] as { v2: { orderId: string; orderData: { salt: string } } };
  const requestId = /requestId=(0x[0-9a-f]{64})/.exec(JSON.stringify(quote))?.[1] ?? '';
  const address = addressFrom(requestId, 'evm').slice(2);
  const own = [requestId, address, v2.orderId, v2.orderData.salt];
  return JSON.parse(own.reduce((text, id) => text.replaceAll(id, 'own'), JSON.stringify(quote)));
}

function isSigned(request: HttpReceiver['requests'][number] | undefined): boolean {
  const timestamp = String(request?.headers['x-signature-timestamp']);
  return signatureOf(timestamp, request?.body ?? '', KEY) === request?.headers['x-signature-sha256'];
}
