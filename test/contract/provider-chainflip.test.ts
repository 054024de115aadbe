import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import type { Quote, QuoteRequest } from '../../src/domain/payment/quote.ts';
import { ProviderAtCapacity } from '../../src/ports/provider-at-capacity.ts';
import { type ProviderRefused, ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import type { ChainflipProvider } from '../../src/providers/chainflip/chainflip-provider.ts';
import { leastDeposit } from '../../tools/chainflip-stand-in/assets.ts';
import { movesOf, type Story } from '../../tools/chainflip-stand-in/stories.ts';
import { HttpReceiver } from '../../tools/testkit/http-receiver.ts';
import {
  BITCOIN_REFUND_TO,
  openChainflipWorld,
  REFUND_TO,
  type ChainflipWorld,
} from '../support/chainflip-world.ts';
import { readAll } from '../support/suites/status-answers.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read field by field
type Json = Record<string, any>;

const NATIVE = `0x${'0'.repeat(40)}`;
const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const ARB_USDC = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';
const BITCOIN = 8_253_038;
const REQUEST: QuoteRequest = {
  fromChainId: 1,
  toChainId: 42161,
  fromToken: USDC,
  toToken: ARB_USDC,
  amount: '25',
  recipient: `0x${'22'.repeat(20)}`,
};
const FROM_BITCOIN = { fromChainId: BITCOIN, fromToken: NATIVE, amount: '0.01' };
const RULES = { stalledAfterMs: 86_400_000 };
const OPEN = '/api/openSwapDepositChannel';
const X128 = 1n << 128n;
/** The time of two blocks of the state chain, after which no fallback can begin. */
const SETTLED_S = 13;
const HOUR_S = 3_600;
let wallets = 0;

/**
 * The events of a payment, `late` behind a late one, and its anomalies' reasons. The cases of provider-cases play the other
 * stories.
 */
const TOLD: Partial<Record<Story, string>> = {
  plain: 'created deposit_received executing completed',
  fast: 'created executing completed',
  'nobody pays': 'created expired',
  'without the tracker': 'created executing completed',
  'seen, then forgotten': 'created deposit_received executing completed',
  'without a reference': 'created executing completed',
  'a stall in safe mode': 'created executing completed',
  'delivered, and the dust of a refund is kept': 'created executing completed',
  'below the minimum': 'created failed',
  'below the minimum, then a good deposit': 'created failed updated completed:late',
  'the fees eat it up': 'created failed',
  'rejected, then refunded': 'created failed updated',
  'the output is too small': 'created executing failed',
  'aborted, then delivered after all': 'created executing failed completed:late',
  'the recipient could not take it': 'created executing failed',
  'the fallback comes a poll later': 'created executing failed',
  'a second deposit after the end': 'created executing completed',
  'swapping for ever': 'created executing',
  'another transaction than was seen': 'created executing completed',
  'another recipient in the answer': 'created executing anomaly:unknown_status',
  'a time-out of the channel that is not known': 'created executing completed',
};

describe('the provider Chainflip', () => {
  let world: ChainflipWorld;
  let provider: ChainflipProvider;

  beforeAll(async () => {
    world = await openChainflipWorld();
  });

  // Ends a lock of the address by Chainflip, or by the adapter itself.
  beforeEach(() => {
    world.clock.pass(HOUR_S);
    provider = world.providerWith();
  });

  afterEach(() => {
    world.chainflip.recover();
    world.chainflip.lag(0);
  });

  afterAll(() => world.close());

  /** A request for a wallet of its own, so that no other test uses up its channels. */
  const requestOf = (change: Partial<QuoteRequest> = {}): QuoteRequest => {
    wallets += 1;
    return { ...REQUEST, recipient: `0x${wallets.toString(16).padStart(40, '1')}`, ...change };
  };
  const quoted = (change: Partial<QuoteRequest> = {}, asked = provider): Promise<Quote> =>
    asked.createQuote(requestOf(change));
  const refusalOf = async (change: Partial<QuoteRequest>, asked = provider): Promise<ProviderRefused> =>
    (await quoted(change, asked).catch((error: unknown) => error)) as ProviderRefused;
  const asksOf = (path: string): Json[] =>
    world.chainflip.requests.filter((call) => call.path === path).map(({ body }) => body as Json);
  const statusAsks = (): string[] =>
    world.chainflip.requests.map(({ path }) => path).filter((path) => path.startsWith('/v2/swaps/'));

  async function answered({ quoteId }: Quote, asked = provider): Promise<Json> {
    const [[, answer] = []] = await readAll(asked, [quoteId]);
    return answer as Json;
  }

  async function reported(quote: Quote, asked = provider): Promise<Json> {
    const answer = await answered(quote, asked);
    if (answer['kind'] !== 'report') throw new Error(`no report, but ${JSON.stringify(answer)}`);
    return JSON.parse(answer['report'].text) as Json;
  }

  /** Keeps a payment as the tracker does. */
  function follow(quote: Quote, asked = provider) {
    const fields = { quoteId: quote.quoteId, provider: 'chainflip', orderId: null, metadata: null };
    const opened = openPayment(
      newPayment({ ...fields, expiresAt: null, expectedMs: null, quoteText: quote.text }, new Date()),
    );
    let payment: Payment = opened.payment;
    const told = ['created'];
    return {
      told,
      get status() {
        return payment.status;
      },
      poll: async (): Promise<Json> => {
        const answer = await answered(quote, asked);
        if (answer['kind'] !== 'report') return answer;
        const { payment: next, events } = applyReport(payment, answer['report'], new Date(), RULES);
        payment = next;
        for (const { type, late, reason } of events) {
          const word = type.replace('payment.', '');
          const isLateEnd = late && !['anomaly', 'updated', 'expired'].includes(word);
          const detail = word === 'anomaly' ? `:${String(reason)}` : isLateEnd ? ':late' : '';
          told.push(`${word}${detail}`);
        }
        return JSON.parse(answer['report'].text) as Json;
      },
    };
  }

  it.each(Object.entries(TOLD))('tells the life: %s', async (name, told) => {
    const story = name as Story;
    const quote = await quoted();
    const followed = follow(quote);
    await followed.poll();
    for (const move of movesOf(story)) {
      move(world.chainflip.lives, quote.depositAddress, world.chainflip.channel(quote.depositAddress));
      await followed.poll();
    }
    world.clock.pass(story === 'nobody pays' ? 310 : SETTLED_S);
    await followed.poll();
    await followed.poll();
    // Beside the status, each story checks only the events that matter to it.
    const words = followed.told.filter((word) => word !== 'updated' || told.includes(word));
    expect(words.filter((word, index) => word !== words[index - 1]).join(' ')).toBe(told);
  });

  describe('asked for a quote', () => {
    it('opens one channel with the least price, the refund address and the terms that the quote recommends', async () => {
      const before = asksOf(OPEN).length;
      const quote = await quoted({ ...FROM_BITCOIN });
      const opened = asksOf(OPEN).slice(before);
      expect(opened).toHaveLength(1);
      expect(opened[0]).toMatchObject({
        srcAsset: { chain: 'Bitcoin', asset: 'BTC' },
        amount: '1000000',
        takeCommission: false,
        fillOrKillParams: {
          refundAddress: BITCOIN_REFUND_TO,
          retryDurationBlocks: 300,
          maxOraclePriceSlippage: 100,
        },
      });
      const { quote: basis, fillOrKillParams } = opened[0] ?? {};
      const minPrice = (BigInt(fillOrKillParams.minPriceX128) * 10n ** 18n * 100n) / X128;
      // USDC has two digits less than Bitcoin, and 1.5 % may be lost.
      expect(Number(minPrice) / 1e18 / Number(basis.estimatedPrice)).toBeCloseTo(0.985, 6);
      expect(opened[0]?.['maxBoostFeeBps']).toBeUndefined();
      expect(quote.depositAddress).toMatch(/^bc1p/);
    });

    it("takes the merchant's terms before those of the quote", async () => {
      const own = { slippageBps: 300, retryMinutes: 20, oracleSlippageBps: 40 };
      await quoted({}, world.providerWith(own));
      const { fillOrKillParams, quote } = asksOf(OPEN).at(-1) ?? {};
      expect(fillOrKillParams).toMatchObject({ retryDurationBlocks: 200, maxOraclePriceSlippage: 40 });
      const minPrice = Number((BigInt(fillOrKillParams.minPriceX128) * 10n ** 12n) / X128) / 1e12;
      expect(minPrice / Number(quote.estimatedPrice)).toBeCloseTo(0.97, 6);
    });

    it('says how much arrives at least, and dollars by the way through USDC alone', async () => {
      const { receive, fees, send, depositNote } = JSON.parse(
        (await quoted({ toToken: NATIVE })).text,
      ) as Json;
      expect(send['amount']).toBe('25');
      expect(Number(receive['minimumAmount'])).toBeLessThan(Number(receive['estimatedAmount']));
      // 25 less the ingress fee of 0.21, the egress fee of 0.03 and the least network fee of 0.5.
      expect(Number(receive['estimatedAmountUsd'])).toBeCloseTo(24.76, 1);
      expect(Number(fees['totalUsd'])).toBeCloseTo(0.74, 1);
      expect(fees['relayer']).toMatchObject({ usd: '0.5', currency: 'USDC' });
      expect(fees['app']).toMatchObject({ amount: '0' });
      expect(depositNote).toMatch(/in one transfer/);
      world.chainflip.quoted = ([entry]) => [{ ...(entry as Json), intermediateAmount: undefined }];
      const unsaid = JSON.parse((await quoted({ ...FROM_BITCOIN, toToken: NATIVE })).text) as Json;
      expect(unsaid['receive']).not.toHaveProperty('estimatedAmountUsd');
      expect(unsaid['fees']).toEqual({});
    });

    it.each([
      [
        'a chain that it lacks',
        { fromChainId: 8453 },
        'fromChainId',
        /Chainflip has Ethereum, Arbitrum, Bitcoin, Solana/,
      ],
      [
        'a token that it lacks',
        { toToken: `0x${'d0'.repeat(20)}` },
        'toToken',
        /Arbitrum, which has ETH, USDC, USDT/,
      ],
      ['the same token', { toChainId: 1, toToken: USDC }, 'toToken', /nothing to swap/],
      [
        'a chain without a refund address',
        { fromChainId: 792703809, fromToken: NATIVE },
        'refundTo',
        /CHAINFLIP_REFUND_TO=svm/,
      ],
    ])('refuses %s before a channel is opened', async (_what, change, field, words) => {
      const before = world.chainflip.requests.length;
      const refusal = await refusalOf(change);
      expect([refusal.httpStatus, refusal.field]).toEqual([422, field]);
      expect(refusal.message).toMatch(words);
      const asked = world.chainflip.requests.slice(before).map(({ path }) => path);
      expect(asked).not.toContain(OPEN);
      expect(asked).not.toContain('/v2/quote');
    });

    it('refuses less than the least deposit and a fifth, since less is kept', async () => {
      expect((await refusalOf({ amount: '10' })).message).toContain('At least 24 USDC: Chainflip keeps');
      const careful = world.providerWith({}, { rpcUrl: world.chainflip.brokerUrl });
      const before = asksOf(OPEN).length;
      expect((await refusalOf({ amount: '23.9' }, careful)).field).toBe('amount');
      expect(asksOf(OPEN)).toHaveLength(before);
      await expect(quoted({ amount: '24' }, careful)).resolves.toBeDefined();
      const blind = world.providerWith({}, { rpcUrl: `${world.chainflip.url}/elsewhere` });
      await expect(quoted({ amount: '21' }, blind)).resolves.toBeDefined();
    });

    it.each([
      ['other tokens', { srcAsset: { chain: 'Ethereum', asset: 'USDT' } }],
      ['another amount', { depositAmount: '25000001' }],
      ['no output', { egressAmount: '0' }],
      ['a message', { ccmParams: {} }],
      ['a price that does not fit the amounts', { estimatedPrice: '0.5' }],
      ['an unreadable price', { estimatedPrice: 1.5 }],
      [
        'a fee in another token',
        { includedFees: [{ type: 'INGRESS', chain: 'Solana', asset: 'SOL', amount: '1' }] },
      ],
    ])('shows no quote with %s, and opens no channel for it', async (_what, change) => {
      const before = asksOf(OPEN).length;
      world.chainflip.quoted = ([entry]) => [{ ...(entry as Json), ...change }];
      await expect(quoted()).rejects.toThrow(/unsafe quote: /);
      expect(asksOf(OPEN)).toHaveLength(before);
    });

    it.each([
      ['of another chain', { id: '1-Bitcoin-1' }],
      ['without an address', { depositAddress: undefined }],
      ['whose address is our refund address', { depositAddress: REFUND_TO }],
      ['that is boosted', { maxBoostFeeBps: 30 }],
    ])('shows no channel %s', async (_what, change) => {
      world.chainflip.opened = (answer) => ({ ...answer, ...change });
      await expect(quoted()).rejects.toThrow(/unsafe quote: /);
    });

    it('refuses an offer in chunks alone, and none at all', async () => {
      world.chainflip.quoted = ([entry]) => [{ ...(entry as Json), type: 'DCA' }];
      expect((await refusalOf({})).field).toBe('amount');
      world.chainflip.quoted = () => [];
      expect((await refusalOf({})).message).toContain('no route');
    });

    it.each([
      [400, { message: 'insufficient liquidity for requested amount' }, 'amount'],
      [400, { message: 'swap output amount is lower than the egress fee (61200)' }, 'amount'],
      [400, { message: 'Requested assets cannot be swapped' }, null],
    ])('passes a refusal on: %s %j', async (status, body, field) => {
      const assets = ['Usdc', 'ArbUsdc'].map((asset) => ({
        asset,
        depositChannelCreationEnabled: true,
        depositChannelDepositsEnabled: true,
        egressEnabled: true,
      }));
      const backend = await HttpReceiver.start(({ path }) =>
        path === '/api/networkInfo'
          ? { body: JSON.stringify({ assets }) }
          : { status, body: JSON.stringify(body) },
      );
      const refusal = await refusalOf({}, world.providerWith({}, { baseUrl: backend.url }));
      await backend.close();
      expect([refusal.httpStatus, refusal.field]).toEqual([422, field]);
    });

    it('shortens the time of a quote where the channel lives shorter, Bitcoin three hours before its end', async () => {
      const long = world.providerWith({ quoteTtlSeconds: 86_400 });
      expect((await quoted({}, long)).expiresIn).toBe(23 * HOUR_S);
      expect((await quoted(FROM_BITCOIN, long)).expiresIn).toBe(21 * HOUR_S);
      world.chainflip.opened = ({ estimatedExpiryTime: _time, ...answer }) => answer;
      expect((await quoted({}, long)).expiresIn).toBe(23 * HOUR_S);
    });

    it('is unavailable for an asset that is switched off, and while there is maintenance', async () => {
      world.chainflip.fault('json503', { path: '/v2/quote', times: 1 });
      await expect(quoted()).rejects.toBeInstanceOf(ProviderUnavailable);
      const before = asksOf(OPEN).length;
      world.chainflip.fault('json503', { path: OPEN, times: 1 });
      await expect(quoted()).rejects.toBeInstanceOf(ProviderUnavailable);
      expect(asksOf(OPEN)).toHaveLength(before + 1);
      world.chainflip.disabled.add('ArbUsdc');
      const fresh = world.providerWith();
      expect((await refusalOf({}, fresh)).field).toBe('toToken');
      const { currencies } = JSON.parse(await fresh.searchCurrencies({ term: 'USDC' })) as Json;
      expect(currencies.map((each: Json) => each['chainId'])).toEqual([1, 792703809, 2100000354]);
    });
  });

  describe('opening a channel', () => {
    it('asks once, however long it takes, and shows no address after its time', async () => {
      const before = [asksOf(OPEN).length, world.chainflip.channels.count];
      const impatient = world.providerWith({}, { openTimeoutMs: 300 });
      world.chainflip.fault('slow', { path: OPEN, delayMs: 2_000, times: 1 });
      const error = await quoted({}, impatient).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ reason: 'timeout' });
      expect(error).toBeInstanceOf(ProviderUnavailable);
      expect([asksOf(OPEN).length, world.chainflip.channels.count]).toEqual(before.map((count) => count + 1));
      world.chainflip.fault('slow', { path: OPEN, delayMs: 700, times: 1 });
      await expect(
        quoted({}, world.providerWith({}, { openTimeoutMs: 5_000, timeoutMs: 300 })),
      ).resolves.toBeDefined();
    });

    it('answers "not now" for the 26th of one recipient and pair, and asks no more for a while', async () => {
      const request = requestOf();
      for (let count = 0; count < 20; count += 1) await provider.createQuote(request);
      expect(await world.providerWith().capacity()).toMatchObject({ used: 20, limit: 25 });
      for (let count = 20; count < 25; count += 1) await provider.createQuote(request);
      await expect(provider.checkQuote(request)).resolves.toBeUndefined();
      await expect(provider.createQuote(request)).rejects.toBeInstanceOf(ProviderAtCapacity);
      await expect(provider.checkQuote(request)).rejects.toBeInstanceOf(ProviderAtCapacity);
      const other = { ...request, toToken: NATIVE };
      await expect(provider.checkQuote(other)).resolves.toBeUndefined();
      await expect(provider.createQuote(other)).resolves.toBeDefined();
      expect(await world.providerWith().capacity()).toEqual({
        of: `open channels to ${request.recipient} for USDC (Ethereum) to USDC (Arbitrum)`,
        used: 25,
        limit: 25,
      });
      world.clock.pass(301);
      await expect(provider.checkQuote(request)).resolves.toBeUndefined();
      // The lives of the 25 are over.
      world.clock.pass(24 * HOUR_S);
      await expect(provider.createQuote(request)).resolves.toBeDefined();
      expect(await world.providerWith().capacity()).toMatchObject({ used: 1 });
    });

    it('refuses an address that another open quote has, and takes one again that Chainflip recycles', async () => {
      const { depositAddress } = await quoted();
      world.chainflip.channels.reused = depositAddress;
      await expect(quoted()).rejects.toThrow(/unsafe quote: /);
      world.clock.pass(49 * HOUR_S);
      world.chainflip.channels.reused = depositAddress;
      const again = await quoted();
      expect(again.depositAddress).toBe(depositAddress);
      expect(await reported(again)).toMatchObject({ status: 'AWAITING_DEPOSIT' });
    });
  });

  describe('with a broker', () => {
    const brokered = (change = {}): ChainflipProvider =>
      world.providerWith({ commissionBps: 30, ...change }, { brokerUrl: world.chainflip.brokerUrl });

    it('opens by it, with the commission, and quotes with that', async () => {
      const broker = brokered();
      const before = asksOf(OPEN).length;
      const quote = await quoted({}, broker);
      expect(asksOf(OPEN)).toHaveLength(before);
      const { params } = asksOf('/rpc/key-of-the-broker').at(-1) ?? {};
      expect(params.slice(0, 5)).toEqual([
        { chain: 'Ethereum', asset: 'USDC' },
        { chain: 'Arbitrum', asset: 'USDC' },
        expect.stringMatching(/^0x/),
        30,
        null,
      ]);
      expect(params[7]).toMatchObject({ refund_address: REFUND_TO, retry_duration: 50 });
      expect(params[7].min_price).toMatch(/^0x[0-9a-f]+$/);
      const { fees } = JSON.parse(quote.text) as Json;
      expect(Number(fees['app'].usd)).toBeCloseTo(0.0743, 3);
      expect(await broker.capacity()).toBeNull();
    });

    it('asks for no status before the channel is indexed, and then finds it', async () => {
      const broker = brokered();
      const quote = await quoted({}, broker);
      const before = statusAsks().length;
      for (let polls = 0; polls < 5; polls += 1) {
        expect(await reported(quote, broker)).toMatchObject({ status: 'AWAITING_DEPOSIT' });
        world.clock.pass(10);
      }
      expect(statusAsks()).toHaveLength(before);
      world.clock.pass(20);
      world.chainflip.lives.deposit(quote.depositAddress, 25_000_000n);
      expect(await reported(quote, broker)).toMatchObject({
        status: 'EXECUTING',
        deposit: { match: 'exact' },
      });
    });

    it('shows no word of it that could hold its key', async () => {
      world.chainflip.fault('json500', { path: '/rpc/key-of-the-broker', times: 1 });
      const error = await quoted({}, brokered()).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ProviderUnavailable);
      expect(String((error as Error).stack)).not.toContain('key-of-the-broker');
    });
  });

  describe('asked about ids that Chainflip does not know', () => {
    it('stops long before the address is locked out', async () => {
      const lost = world.providerWith();
      const quotes = await Promise.all(Array.from({ length: 6 }, () => quoted()));
      for (const { depositAddress } of quotes)
        Object.assign(world.chainflip.channel(depositAddress), { indexedAt: Infinity });
      const before = statusAsks().length;
      const kinds: unknown[] = [];
      for (let round = 0; round < 5; round += 1)
        for (const quote of quotes) kinds.push((await answered(quote, lost))['httpStatus']);
      expect(statusAsks().length - before).toBe(3);
      expect(kinds.slice(0, 4)).toEqual([404, 404, 404, 429]);
      expect(await answered(quotes[0] as Quote, lost)).toMatchObject({
        kind: 'unavailable',
        retryAfterMs: 60_000,
      });
      world.clock.pass(61);
      expect(await answered(quotes[0] as Quote, lost)).toMatchObject({ kind: 'refused' });
      const known = await quoted();
      expect(await reported(known)).toMatchObject({ status: 'AWAITING_DEPOSIT' });
    });

    it('is asked again after a minute, then two, four and eight, where a 429 has another reason, and after ten beside a 404', async () => {
      const [lost, quote] = [world.providerWith(), await quoted()];
      const waits = async (): Promise<unknown> => {
        world.chainflip.fault('html429', { times: 1 });
        return (await answered(quote, lost))['retryAfterMs'];
      };
      const inTurn = [await waits(), await waits(), await waits(), await waits(), await waits()];
      expect(inTurn).toEqual([60_000, 120_000, 240_000, 480_000, 480_000]);
      expect(await answered(quote, lost)).toMatchObject({ kind: 'report' });
      expect(await waits()).toBe(60_000);
      Object.assign(world.chainflip.channel(quote.depositAddress), { indexedAt: Infinity });
      expect(await answered(quote, lost)).toMatchObject({ kind: 'refused' });
      expect(await waits()).toBe(600_000);
    });

    it('stops as early when many are asked about at once, and asks about all that it knows', async () => {
      const crowded = world.providerWith();
      const quotes = await Promise.all(Array.from({ length: 12 }, () => quoted()));
      const known = await Promise.all(quotes.map((quote) => answered(quote, crowded)));
      expect(new Set(known.map(({ kind }) => kind))).toEqual(new Set(['report']));
      for (const { depositAddress } of quotes)
        Object.assign(world.chainflip.channel(depositAddress), { indexedAt: Infinity });
      const before = statusAsks().length;
      const answers = await Promise.all(quotes.map((quote) => answered(quote, crowded)));
      expect(statusAsks().length - before).toBe(3);
      expect(answers.filter(({ kind }) => kind === 'refused')).toHaveLength(3);
    });
  });

  describe('with a payment', () => {
    /** A refund that its chain has confirmed. */
    const back = (amount: string | null): Json => ({
      amount,
      txRef: `0x${'0b'.repeat(32)}`,
      witnessedAt: world.clock.now().toISOString(),
    });

    const paid = async (raw?: bigint): Promise<{ quote: Quote; address: string }> => {
      const quote = await quoted();
      world.chainflip.lives.deposit(quote.depositAddress, raw);
      return { quote, address: quote.depositAddress };
    };

    it('says FAILED and where the money went, for a refund alone', async () => {
      const { quote, address } = await paid();
      world.chainflip.lives.refund(address);
      expect(await reported(quote)).toMatchObject({
        status: 'EXECUTING',
        execution: { refund: { state: 'refunding', txHash: null } },
      });
      world.chainflip.lives.witnessRefund(address);
      expect(await reported(quote)).toMatchObject({
        status: 'FAILED',
        error: `REFUNDED: 24.58 USDC went back to ${REFUND_TO} on Ethereum: MinPriceViolation`,
        execution: {
          outputTxHash: null,
          completedAt: null,
          refund: { state: 'refunded', txHash: expect.stringMatching(/^0x/) },
        },
      });
    });

    it('completes only when no fallback can begin any more', async () => {
      const { quote, address } = await paid();
      world.chainflip.lives.settle(address);
      expect(await reported(quote)).toMatchObject({ status: 'EXECUTING', execution: { completedAt: null } });
      world.clock.pass(SETTLED_S);
      world.chainflip.lag(SETTLED_S * 1_000);
      expect(await reported(quote)).toMatchObject({ status: 'EXECUTING' });
      world.chainflip.lag(0);
      expect(await reported(quote)).toMatchObject({
        status: 'COMPLETED',
        execution: { output: { amount: expect.stringMatching(/^24\.\d+$/) } },
      });
    });

    it.each([
      ['the recipient could not take it', /^the recipient could not take the output: .* went to 0x/],
      ['below the minimum', /below the minimum required: it was kept by the protocol/],
      ['the output is too small', /too small to be delivered, and was kept/],
      ['rejected, then refunded', /^REFUNDED: 24\.79 USDC went back .* rejected by the broker$/],
    ] as const)('says why it failed: %s', async (story, words) => {
      const quote = await quoted();
      for (const move of movesOf(story))
        move(world.chainflip.lives, quote.depositAddress, world.chainflip.channel(quote.depositAddress));
      world.clock.pass(SETTLED_S);
      expect(await reported(quote)).toMatchObject({ status: 'FAILED', error: expect.stringMatching(words) });
    });

    it('says of a rejected deposit at once that it goes back', async () => {
      const quote = await quoted();
      world.chainflip.lives.reject(quote.depositAddress);
      expect((await reported(quote))['error']).toMatch(
        /^REFUNDED: the deposit was rejected, and goes back to/,
      );
    });

    it('says of a delivery that was given up that it may still come', async () => {
      const { quote, address } = await paid();
      world.chainflip.lives.swap(address);
      world.chainflip.lives.abort(address);
      expect((await reported(quote))['error']).toMatch(
        /^the delivery was given up: Chainflip may sign it again/,
      );
    });

    it.each<[what: string, change: (body: Json) => Json, expected: Json]>([
      [
        'an output of a swap without an id',
        ({ swapId, ...body }) => ({ ...body, noId: swapId }),
        { status: 'COMPLETED', execution: { completedBy: 'transaction', output: expect.any(Object) } },
      ],
      [
        'an id that is a number',
        (body) => ({ ...body, swapId: 612_345 }),
        { status: 'COMPLETED', execution: { completedBy: 'transaction' } },
      ],
      [
        'an output whose amount is still to come, beside dust that went back',
        (body) => ({ ...body, swapEgress: { ...body['swapEgress'], amount: null }, refundEgress: back('1') }),
        { status: 'CHAINFLIP_COMPLETED_WITHOUT_OUTPUT' },
      ],
      [
        'an output that is not on its chain, beside dust that went back',
        (body) => ({
          ...body,
          swapEgress: { ...body['swapEgress'], witnessedAt: null },
          refundEgress: back('1'),
        }),
        { status: 'CHAINFLIP_COMPLETED_WITHOUT_OUTPUT' },
      ],
      [
        'a refund alone without an amount',
        ({ swapEgress, ...body }) => ({ ...body, none: swapEgress, refundEgress: back(null) }),
        {
          status: 'FAILED',
          error: expect.stringMatching(/^REFUNDED: an amount that Chainflip does not say went back/),
          execution: { refund: { amount: null, amountRaw: null } },
        },
      ],
      [
        'a refund that was given up, and came after all, beside an output',
        (body) => ({ ...body, refundEgress: { ...back('20000000'), failure: { mode: 'SENDING_FAILED' } } }),
        { status: 'COMPLETED', anomalies: ['partly_refunded'] },
      ],
      [
        'a refund that was given up',
        ({ swapEgress, ...body }) => ({
          ...body,
          state: 'FAILED',
          none: swapEgress,
          refundEgress: { amount: '20000000', failure: { mode: 'SENDING_FAILED' } },
        }),
        { status: 'FAILED', error: expect.stringMatching(/^the refund was given up: /) },
      ],
      [
        'a swap whose start it does not say, by when it was seen',
        (body) => ({ ...body, swap: {} }),
        { execution: { startedAt: expect.any(Number) } },
      ],
      [
        "the deposit's hash as that of the output, in other letters",
        ({ deposit, ...body }) => ({
          ...body,
          deposit,
          swapEgress: { ...body['swapEgress'], txRef: String(deposit.txRef).toUpperCase().replace('X', 'x') },
        }),
        { status: 'COMPLETED', execution: { completedBy: 'amount', outputTxHash: null } },
      ],
    ])('reads %s', async (_what, change, expected) => {
      const { quote, address } = await paid();
      world.chainflip.lives.settle(address);
      world.clock.pass(SETTLED_S);
      world.chainflip.lives.reshape(address, (body) => change(body));
      expect(await reported(quote)).toMatchObject(expected);
    });

    it('shows another amount than quoted as short or over', async () => {
      const [short, over] = [await paid(22_000_000n), await paid(30_000_000n)];
      for (const { address } of [short, over]) world.chainflip.lives.settle(address);
      world.clock.pass(SETTLED_S);
      expect(await reported(short.quote)).toMatchObject({
        status: 'COMPLETED',
        deposit: { amount: '22', expectedAmount: '25', match: 'underpaid' },
      });
      expect(await reported(over.quote)).toMatchObject({
        status: 'COMPLETED',
        deposit: { amount: '30', expectedAmount: '25', match: 'overpaid' },
      });
    });

    it('says of less than the least price promised that it came short', async () => {
      const { quote, address } = await paid();
      world.chainflip.lives.swap(address, 20_000_000n);
      world.chainflip.lives.witness(address);
      world.clock.pass(SETTLED_S);
      expect(await reported(quote)).toMatchObject({ status: 'COMPLETED', anomalies: ['short_output'] });
    });

    it('stays with its first swap while another one is on the way, by whichever process asks', async () => {
      const { quote, address } = await paid();
      const first = (await reported(quote))['deposit'].txHash;
      world.chainflip.lives.deposit(address, leastDeposit(world.chainflip.channel(address).src));
      world.chainflip.lives.settle(address);
      world.clock.pass(SETTLED_S);
      const elsewhere = world.providerWith();
      expect(await reported(quote, elsewhere)).toMatchObject({
        status: 'EXECUTING',
        deposit: { amount: '25', match: 'exact', txHash: first },
      });
      expect(statusAsks().at(-1)).toMatch(/^\/v2\/swaps\/\d+$/);
    });

    it('goes back nowhere when what was seen is seen no more', async () => {
      const quote = await quoted();
      const followed = follow(quote);
      world.chainflip.lives.see(quote.depositAddress);
      await followed.poll();
      expect(followed.status).toBe('DEPOSIT_RECEIVED');
      world.chainflip.lives.forget(quote.depositAddress);
      expect(await followed.poll()).toMatchObject({ status: 'DEPOSIT_RECEIVED', deposit: { amount: '25' } });
      expect(followed.told).toEqual(['created', 'deposit_received']);
      world.clock.pass(27 * HOUR_S);
      await followed.poll();
      expect(followed.told.at(-1)).toBe('anomaly:unknown_status');
    });

    it('expires nobody by data that are older than the expiry, and says so when they are stale', async () => {
      const quote = await quoted();
      world.clock.pass(400);
      world.chainflip.lag(200_000);
      expect(await reported(quote)).toMatchObject({ status: 'AWAITING_DEPOSIT' });
      world.chainflip.lag(400_000);
      expect(await answered(quote)).toMatchObject({
        kind: 'unavailable',
        reason: 'its data are 6 minutes old',
      });
      world.chainflip.lag(0);
      expect(await reported(quote)).toMatchObject({ status: 'EXPIRED' });
      world.chainflip.lag(400_000);
      world.chainflip.lives.deposit(quote.depositAddress);
      expect(await reported(quote)).toMatchObject({ status: 'EXECUTING' });
    });
  });
});
