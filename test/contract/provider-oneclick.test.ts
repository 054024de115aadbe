import { randomUUID } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { ProviderRefused, ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { fromUnits } from '../../src/domain/payment/amount.ts';
import type { Quote, QuoteRequest } from '../../src/domain/payment/quote.ts';
import type { OneClickProvider } from '../../src/providers/oneclick/oneclick-provider.ts';
import { isSigned, readQuoteKey } from '../../src/providers/oneclick/quote-signature.ts';
import { LIE_NAMES, type Lie } from '../../tools/oneclick-stand-in/lies.ts';
import { movesOf, type Story } from '../../tools/oneclick-stand-in/stories.ts';
import { openOneClickWorld, REFUND_TO, type OneClickWorld } from '../support/oneclick-world.ts';
import { readAll } from '../support/suites/status-answers.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read field by field
type Json = Record<string, any>;

const NATIVE = `0x${'0'.repeat(40)}`;
const STELLAR = 2_100_000_148;
const BITCOIN = 8_253_038;
const REQUEST: QuoteRequest = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  toToken: '0xaf88d065e77c8cc2239327c5edb3a432268e5831',
  amount: '25',
  recipient: `0x${'22'.repeat(20)}`,
};
/** Faults in answers that change nothing about the money. */
const HARMLESS: ReadonlySet<Lie> = new Set<Lie>(['missing optional fields']);

/**
 * The words that a shop sees one after the other; a word of ours makes an anomaly and moves nothing. The cases of
 * provider-cases play the other stories.
 */
const SEEN: Partial<Record<Story, string>> = {
  plain: 'AWAITING_DEPOSIT DEPOSIT_RECEIVED EXECUTING COMPLETED',
  fast: 'AWAITING_DEPOSIT COMPLETED',
  'nobody pays': 'AWAITING_DEPOSIT EXPIRED',
  'the price moved': 'AWAITING_DEPOSIT EXECUTING FAILED',
  'success below the least output': 'AWAITING_DEPOSIT EXECUTING COMPLETED',
  'success, then a second deposit': 'AWAITING_DEPOSIT EXECUTING COMPLETED',
  'processing for ever': 'AWAITING_DEPOSIT EXECUTING',
  'failed, then refunded': 'AWAITING_DEPOSIT EXECUTING FAILED',
  'known, then forgotten': 'AWAITING_DEPOSIT DEPOSIT_RECEIVED AWAITING_DEPOSIT',
  'unknown word': 'AWAITING_DEPOSIT EXECUTING ONECLICK_FAILED_EXECUTION COMPLETED',
  'fields left out instead of null': 'AWAITING_DEPOSIT EXECUTING COMPLETED',
  'no swapDetails': 'AWAITING_DEPOSIT EXECUTING ONECLICK_SUCCESS_WITHOUT_OUTPUT',
  'an empty hash': 'AWAITING_DEPOSIT EXECUTING COMPLETED ONECLICK_SUCCESS_WITHOUT_OUTPUT',
  'hashes as plain texts': 'AWAITING_DEPOSIT EXECUTING COMPLETED',
  'another recipient in the echo': 'AWAITING_DEPOSIT EXECUTING COMPLETED ONECLICK_SUCCESS_OF_ANOTHER_SWAP',
};

/** The body and the signature of the fact sheet. */
const VECTOR = {
  quote: {
    amountIn: '25000000',
    amountInFormatted: '25.0',
    amountInUsd: '24.998450000000',
    minAmountIn: '25000000',
    amountOut: '24931022',
    amountOutFormatted: '24.931022',
    amountOutUsd: '24.929476000000',
    minAmountOut: '24681711',
    timeEstimate: 37,
    refundFee: '3200',
    withdrawFee: '1900',
    deadline: '2026-11-29T10:10:00.000Z',
    timeWhenInactive: '2026-11-29T10:10:00.000Z',
    depositAddress: '0x3333333333333333333333333333333333333333',
  },
  quoteRequest: {
    dry: false,
    swapType: 'EXACT_INPUT',
    slippageTolerance: 100,
    originAsset: 'nep141:base-0x833589fcd6edb6e08f4c7c32d4f71b54bda02913.omft.near',
    depositType: 'ORIGIN_CHAIN',
    destinationAsset: 'nep141:arb-0xaf88d065e77c8cc2239327c5edb3a432268e5831.omft.near',
    amount: '25000000',
    refundTo: `0x${'11'.repeat(20)}`,
    refundType: 'ORIGIN_CHAIN',
    recipient: `0x${'22'.repeat(20)}`,
    recipientType: 'DESTINATION_CHAIN',
    deadline: '2026-11-26T10:10:00.000Z',
    referral: 'paybell',
    quoteWaitingTimeMs: 3000,
    depositMode: 'SIMPLE',
    insured: false,
  },
  timestamp: '2026-11-26T10:00:00.000Z',
  signature:
    'ed25519:2yNm22aLVJFRMj6LNV9KRna6tV1N2HNqg5wwCwtYNpAvLcYdNpvsfWmxrSnS1nQ9duBe1DvfGFwME3fjiyVzYQe1',
};

it("takes the signature of 1Click's own example, and none of it with another address", () => {
  const key = readQuoteKey('ed25519:GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB');
  if (key === null) throw new Error('no key');
  expect(isSigned(VECTOR, key)).toBe(true);
  const quote = { ...VECTOR.quote, depositAddress: `0x${'44'.repeat(20)}` };
  expect(isSigned({ ...VECTOR, quote }, key)).toBe(false);
});

describe('the provider 1Click', () => {
  let world: OneClickWorld;
  let provider: OneClickProvider;

  beforeAll(async () => {
    world = await openOneClickWorld('key');
    provider = world.providerWith();
  });

  afterEach(() => world.oneClick.recover());

  afterAll(() => world.close());

  const quoted = (change: Partial<QuoteRequest> = {}): Promise<Quote> =>
    provider.createQuote({ ...REQUEST, ...change });

  async function reported({ quoteId }: Quote, asked = provider): Promise<Json> {
    const [[, answer] = []] = await readAll(asked, [quoteId]);
    if (answer?.kind !== 'report') throw new Error(`no report, but ${JSON.stringify(answer)}`);
    return JSON.parse(answer.report.text) as Json;
  }

  it.each(LIE_NAMES.filter((lie) => !HARMLESS.has(lie)))('shows no quote with %s', async (lie) => {
    world.oneClick.lie(lie, 1);
    const error = await quoted().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderUnavailable);
    expect(String(error)).toMatch(/unsafe quote: /);
    expect(String(error)).not.toContain('0x');
  });

  it.each([...HARMLESS])('shows a quote with %s', async (lie) => {
    world.oneClick.lie(lie, 1);
    expect(JSON.parse((await quoted()).text)).toMatchObject({ send: { amount: '25' } });
  });

  it('shows a quote that 1Click has not signed where the check is off, and only there', async () => {
    world.oneClick.lie('no signature', 2);
    await expect(quoted()).rejects.toBeInstanceOf(ProviderUnavailable);
    const trusting = world.providerWith({ quoteKey: null });
    expect(JSON.parse((await trusting.createQuote(REQUEST)).text)).toMatchObject({ success: true });
  });

  it('asks 1Click for what was asked of it, with our refund address and a deadline behind the expiry', async () => {
    await quoted();
    const { body, apiKey } = world.oneClick.requests.findLast(({ path }) => path === '/v0/quote') ?? {};
    expect(apiKey).toBe('key');
    expect(body).toMatchObject({ dry: false, amount: '25000000', refundTo: REFUND_TO, referral: 'paybell' });
    const deadline = Date.parse(String((body as Json)['deadline'])) - world.clock.now().getTime();
    expect(Math.round(deadline / 60_000)).toBe(25);
  });

  it.each([
    ['Amount is too low for bridge, try at least 8300', 'amount', 'At least 0.0083 USDC.'],
    ['Temporary swap limits: minimum swap amount is $1,000', 'amount', 'minimum swap amount is $1,000'],
    ['tokenOut is not valid', 'toToken', 'tokenOut is not valid'],
    ['recipient is not valid', 'recipient', 'recipient is not valid'],
    ['No liquidity available', null, 'no route'],
    [['amount must be a number string', 'dry must be a boolean value'], null, 'amount must be'],
  ])('passes the refusal on: %s', async (message, field, words) => {
    world.oneClick.refuseQuotes(message, { times: 1 });
    const error = (await quoted().catch((thrown: unknown) => thrown)) as ProviderRefused;
    expect(error).toBeInstanceOf(ProviderRefused);
    expect([error.httpStatus, error.field]).toEqual([422, field]);
    expect(error.message).toContain(words);
  });

  it('refuses a chain without a refund address before 1Click is asked, and says so', async () => {
    const asked = world.oneClick.requests.length;
    const error = (await quoted({ fromChainId: BITCOIN, fromToken: NATIVE, amount: '0.01' }).catch(
      (thrown: unknown) => thrown,
    )) as ProviderRefused;
    expect([error.httpStatus, error.field]).toEqual([422, 'refundTo']);
    expect(error.message).toContain('ONECLICK_REFUND_TO=bvm:');
    expect(world.oneClick.requests.slice(asked).map(({ path }) => path)).not.toContain('/v0/quote');
  });

  it('takes a refund address of the chain that is paid on', async () => {
    const refundTo = `0x${'cd'.repeat(20)}`;
    const fromBitcoin = { fromChainId: BITCOIN, fromToken: NATIVE, amount: '0.01' };
    await expect(
      quoted({ ...fromBitcoin, refundTo: '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' }),
    ).resolves.toBeDefined();
    await expect(quoted({ ...fromBitcoin, refundTo })).rejects.toMatchObject({
      httpStatus: 422,
      field: 'refundTo',
    });
  });

  it('opens no deposit address for an estimate', async () => {
    await provider.estimateReceived(REQUEST);
    const { body } = world.oneClick.requests.findLast(({ path }) => path === '/v0/quote') ?? {};
    expect(body).toMatchObject({ dry: true, amount: '25000000' });
    world.oneClick.lie('another recipient', 1);
    await expect(provider.estimateReceived(REQUEST)).rejects.toBeInstanceOf(ProviderUnavailable);
  });

  describe('that is to deliver an exact amount', () => {
    const exact = (): Promise<Quote> => quoted({ amountIs: 'receive' });

    it('says what the payer sends, with what the price may move', async () => {
      const quote = await exact();
      const { send, receive } = JSON.parse(quote.text) as Json;
      expect([receive['estimatedAmount'], receive['minimumAmount']]).toEqual(['25', '25']);
      const { terms } = world.oneClick.order(quote.depositAddress);
      expect(send['amount']).toBe(fromUnits(terms.amountIn, 6));
      expect(await reported(quote)).toMatchObject({ route: { amount: terms.amountIn.toString() } });
    });

    it.each<Lie>([
      'no output',
      'too small a least output',
      'a higher least amount to pay',
      'another swap type',
    ])('shows no quote with %s', async (lie) => {
      world.oneClick.lie(lie, 1);
      await expect(exact()).rejects.toThrow(/unsafe quote: /);
    });

    it('judges the deposit against the least amount that is enough', async () => {
      const [least, short, over] = [await exact(), await exact(), await exact()];
      const { amountIn, minAmountIn } = world.oneClick.order(least.depositAddress).terms;
      world.oneClick.lives.deposit(least.depositAddress, minAmountIn);
      world.oneClick.lives.deposit(short.depositAddress, minAmountIn - 1n);
      world.oneClick.lives.deposit(over.depositAddress, amountIn + 1n);
      expect(await reported(least)).toMatchObject({ status: 'EXECUTING', deposit: { match: 'exact' } });
      expect(await reported(short)).toMatchObject({
        status: 'DEPOSIT_RECEIVED',
        deposit: { match: 'underpaid' },
      });
      expect(await reported(over)).toMatchObject({ deposit: { match: 'overpaid' } });
      world.oneClick.lives.settle(least.depositAddress);
      expect(await reported(least)).toMatchObject({
        status: 'COMPLETED',
        execution: { output: { amount: '25' } },
      });
    });

    it('names the least amount in the token that is received', async () => {
      world.oneClick.refuseQuotes('Amount is too low for bridge, try at least 8300', { times: 1 });
      await expect(exact()).rejects.toThrow('At least 0.0083 USDC.');
    });
  });

  describe('that is told the transaction of a deposit', () => {
    const TX_HASH = `0x${'5a'.repeat(32)}`;

    it('passes it on with the address and its memo', async () => {
      const quote = await quoted({ fromChainId: STELLAR, fromToken: NATIVE, amount: '500' });
      const { send } = JSON.parse(quote.text) as Json;
      expect(await provider.submitDeposit(quote.quoteId, TX_HASH)).toBe(true);
      expect(world.oneClick.submitted.at(-1)).toEqual({
        txHash: TX_HASH,
        depositAddress: quote.depositAddress,
        memo: send['depositMemo'],
      });
    });

    it('knows no other payment, and passes a refusal on', async () => {
      await expect(provider.submitDeposit(randomUUID(), TX_HASH)).rejects.toMatchObject({ httpStatus: 404 });
      const { quoteId } = await quoted();
      await expect(provider.submitDeposit(quoteId, '')).rejects.toMatchObject({
        httpStatus: 422,
        field: 'txHash',
      });
    });
  });

  it('asks with the memo of a quote', async () => {
    const quote = await quoted({ fromChainId: STELLAR, fromToken: NATIVE, amount: '500' });
    const { send } = JSON.parse(quote.text) as Json;
    expect(await reported(quote)).toMatchObject({
      status: 'AWAITING_DEPOSIT',
      depositMemo: send['depositMemo'],
    });
    const other = await quoted({ fromChainId: STELLAR, fromToken: NATIVE, amount: '500' });
    expect(other.depositAddress).toBe(quote.depositAddress);
    world.oneClick.lives.deposit(`${quote.depositAddress}_${send['depositMemo']}`);
    expect(await reported(quote)).toMatchObject({ status: 'EXECUTING' });
    expect(await reported(other)).toMatchObject({ status: 'AWAITING_DEPOSIT' });
  });

  it.each(Object.entries(SEEN))('tells the life: %s', async (name, seen) => {
    const story = name as Story;
    const quote = await quoted();
    const words: string[] = [];
    const note = async (): Promise<void> => {
      const { status } = await reported(quote);
      if (words.at(-1) !== status) words.push(status);
    };
    await note();
    for (const move of movesOf(story)) {
      world.clock.pass(5);
      move(world.oneClick.lives, quote.depositAddress, world.oneClick.order(quote.depositAddress));
      await note();
    }
    if (story === 'nobody pays') {
      world.clock.pass(310);
      await note();
    }
    expect(words.join(' ')).toBe(seen);
  });

  it('says FAILED with where the money went, for a success whose whole amount was refunded', async () => {
    const quote = await quoted();
    world.oneClick.lives.deposit(quote.depositAddress);
    world.oneClick.lives.succeed(quote.depositAddress, { withoutOutput: 24_996_800n });
    expect(await reported(quote)).toMatchObject({
      status: 'FAILED',
      error: `REFUNDED: 24.9968 USDC went back to ${REFUND_TO} on Base`,
      execution: { outputTxHash: null, refund: { amount: '24.9968', refundedTo: REFUND_TO } },
    });
  });

  it('names the shortfall of a deposit, and the refund of what was too much', async () => {
    const [short, over] = [await quoted(), await quoted()];
    world.oneClick.lives.deposit(short.depositAddress, 10_000_000n);
    expect(await reported(short)).toMatchObject({
      status: 'DEPOSIT_RECEIVED',
      deposit: { amount: '10', expectedAmount: '25', match: 'underpaid' },
    });
    world.oneClick.lives.settle(short.depositAddress);
    expect((await reported(short))['error']).toMatch(
      /^REFUNDED: 9\.\d+ USDC went back .*: less than the quoted/,
    );
    world.oneClick.lives.deposit(over.depositAddress, 30_000_000n);
    world.oneClick.lives.settle(over.depositAddress);
    expect(await reported(over)).toMatchObject({
      status: 'COMPLETED',
      deposit: { match: 'overpaid' },
      execution: { refund: { state: 'refunded' } },
    });
  });

  it.each([
    ['an amount that it does not say', '0', ['partly_refunded', 'contradictory_output']],
    ['what rounding left over', '1', ['contradictory_output']],
  ])('says of REFUNDED beside an output what went back: %s', async (_what, refundedAmount, anomalies) => {
    const quote = await quoted();
    const { lives } = world.oneClick;
    lives.deposit(quote.depositAddress);
    lives.settle(quote.depositAddress);
    lives.reshape(quote.depositAddress, (answer) => {
      const swapDetails = { ...(answer['swapDetails'] as Json), refundedAmount };
      return { ...answer, status: 'REFUNDED', swapDetails };
    });
    expect(await reported(quote)).toMatchObject({ status: 'COMPLETED', anomalies });
  });

  it.each<[what: string, change: (answer: Json) => object, expected: Json]>([
    [
      'an output whose amount is still to come, beside the excess back',
      ({ swapDetails }) => ({
        swapDetails: {
          ...swapDetails,
          depositedAmount: '30000000',
          amountOut: null,
          refundedAmount: '4996800',
        },
      }),
      { status: 'ONECLICK_SUCCESS_WITHOUT_OUTPUT' },
    ],
    ['a word in another form', () => ({ status: '2nd try__of it' }), { status: 'ONECLICK_2ND_TRY_OF_IT' }],
    [
      'a time that is none of this payment',
      () => ({ updatedAt: '1' }),
      { execution: { completedAt: expect.any(Number) } },
    ],
  ])('reads %s', async (_what, change, expected) => {
    const quote = await quoted();
    const { lives } = world.oneClick;
    lives.deposit(quote.depositAddress);
    lives.settle(quote.depositAddress);
    lives.reshape(quote.depositAddress, (answer) => ({ ...answer, ...change(answer) }));
    const report = await reported(quote);
    expect(report).toMatchObject(expected);
    const { completedAt } = report['execution'] as { completedAt: number | null };
    if (completedAt !== null) expect(completedAt).toBe(Math.floor(world.clock.now().getTime() / 1_000));
  });

  it.each<[what: string, before: string[], after: string[], refund: string | null, deposits: string[]]>([
    ['behind the deposits that were seen', ['o1', 'o2'], ['o1', 'o2', 'r1'], 'r1', ['o1', 'o2']],
    ['that is not listed yet', ['o1', 'o2'], ['o1', 'o2'], null, ['o1', 'o2']],
    ['of a deposit that was not seen', [], ['o1', 'r1'], 'r1', ['o1']],
    ['that is not told from its only deposit', [], ['o1'], null, ['o1']],
  ])('knows the transaction of a refund %s', async (_what, before, after, refund, deposits) => {
    const quote = await quoted();
    const { lives } = world.oneClick;
    const hashes = (originChainTxHashes: string[]): void =>
      lives.reshape(quote.depositAddress, (answer) => ({
        ...answer,
        swapDetails: { ...(answer['swapDetails'] as Json), originChainTxHashes },
      }));
    lives.deposit(quote.depositAddress, 10_000_000n);
    if (before.length > 0) {
      hashes(before);
      await reported(quote);
    }
    lives.refund(quote.depositAddress, null);
    hashes(after);
    const { execution } = await reported(quote);
    const ofDeposits = execution.steps.filter(({ type }: Json) => type === 'deposit');
    expect([execution.refund.txHash, ofDeposits.map(({ txHash }: Json) => txHash)]).toEqual([
      refund,
      deposits,
    ]);
  });

  it('fails a swap of an exact output of which everything but a fee went back', async () => {
    const quote = await quoted({ amountIs: 'receive', amount: '24' });
    const { lives } = world.oneClick;
    lives.deposit(quote.depositAddress);
    lives.settle(quote.depositAddress);
    lives.reshape(quote.depositAddress, (answer) => {
      const details = answer['swapDetails'] as Json;
      const refundedAmount = String(BigInt(details['depositedAmount']) - 3_200n);
      const nothing = { amountOut: null, destinationChainTxHashes: [] };
      return { ...answer, swapDetails: { ...details, ...nothing, refundedAmount } };
    });
    expect(await reported(quote)).toMatchObject({
      status: 'FAILED',
      error: expect.stringMatching(/^REFUNDED: /),
    });
  });

  it("takes the other name of a chain's own coin for it", async () => {
    const quote = await quoted({
      toChainId: BITCOIN,
      toToken: NATIVE,
      recipient: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    });
    const { lives } = world.oneClick;
    lives.deposit(quote.depositAddress);
    lives.settle(quote.depositAddress);
    lives.reshape(quote.depositAddress, (answer) => {
      const response = answer['quoteResponse'] as Json;
      const quoteRequest = { ...response['quoteRequest'], destinationAsset: '1cs_v1:btc:native:coin' };
      return { ...answer, quoteResponse: { ...response, quoteRequest } };
    });
    expect(await reported(quote)).toMatchObject({ status: 'COMPLETED' });
  });

  it('names the shortfall of a deposit that went back without a reason', async () => {
    const quote = await quoted();
    world.oneClick.lives.deposit(quote.depositAddress, 10_000_000n);
    world.oneClick.lives.refund(quote.depositAddress, null);
    expect((await reported(quote))['error']).toMatch(
      /^REFUNDED: 9\.\d+ USDC .*: 10 USDC came instead of 25$/,
    );
  });

  it('says of a part that was delivered, beside the rest that went back, what is odd', async () => {
    const quote = await quoted();
    world.oneClick.lives.deposit(quote.depositAddress, 30_000_000n);
    world.oneClick.lives.succeed(quote.depositAddress, { outRaw: 1_000_000n });
    expect(await reported(quote)).toMatchObject({
      status: 'COMPLETED',
      anomalies: ['partly_refunded', 'short_output'],
    });
  });

  it('says of less than the least that was promised that it came short, and not of what was too much', async () => {
    const [short, over] = [await quoted(), await quoted()];
    world.oneClick.lives.deposit(short.depositAddress);
    world.oneClick.lives.succeed(short.depositAddress, { outRaw: 1_000_000n });
    expect(await reported(short)).toMatchObject({ status: 'COMPLETED', anomalies: ['short_output'] });
    world.oneClick.lives.deposit(over.depositAddress, 30_000_000n);
    world.oneClick.lives.settle(over.depositAddress);
    expect(await reported(over)).not.toHaveProperty('anomalies');
  });

  it('says when a swap was first seen on its way, whenever and by whichever replica it is asked again', async () => {
    const quote = await quoted();
    const { lives } = world.oneClick;
    const seconds = (): number => Math.floor(world.clock.now().getTime() / 1_000);
    const timesNow = async (): Promise<unknown> => {
      const { execution } = await reported(quote, world.providerWith());
      const { startedAt, completedAt } = execution as Json;
      return [startedAt, completedAt];
    };
    expect(await timesNow()).toEqual([null, null]);
    world.clock.pass(10);
    lives.deposit(quote.depositAddress);
    world.clock.pass(3);
    const startedAt = seconds();
    expect(await timesNow()).toEqual([startedAt, null]);
    world.clock.pass(10);
    lives.say(quote.depositAddress, 'PROCESSING');
    expect(await timesNow()).toEqual([startedAt, null]);
    lives.settle(quote.depositAddress);
    const completedAt = seconds();
    world.clock.pass(10);
    expect(await timesNow()).toEqual([startedAt, completedAt]);
    lives.say(quote.depositAddress, 'SUCCESS');
    expect(await timesNow()).toEqual([startedAt, completedAt]);
  });

  it('takes a status that is not known yet for no answer, and for a refusal after a minute', async () => {
    const quote = await quoted();
    const unknown = world.providerWith({}, 'key', `${world.oneClick.url}/elsewhere`);
    const kinds = async (): Promise<string[]> =>
      (await readAll(unknown, [quote.quoteId])).map(([, { kind }]) => kind);
    expect(await kinds()).toEqual(['unavailable']);
    world.clock.pass(61);
    expect(await kinds()).toEqual(['refused']);
  });

  it('names our chains, one token of each kind, and Bitcoin by its own symbol', async () => {
    const { currencies } = JSON.parse(await provider.searchCurrencies({ chainIds: [BITCOIN] })) as Json;
    expect(currencies).toMatchObject([{ chainId: BITCOIN, symbol: 'BTC', address: NATIVE, decimals: 8 }]);
    const { chains } = JSON.parse(await provider.readChains()) as Json;
    expect(chains).toContainEqual({ id: STELLAR, name: 'Stellar', shortName: 'xlm', nativeToken: 'XLM' });
  });
});
