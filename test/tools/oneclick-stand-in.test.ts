import { createHash } from 'node:crypto';

import { base58 } from '@scure/base';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { OneClickStandIn } from '../../tools/oneclick-stand-in/oneclick-stand-in.ts';
import { canonical, QuoteSigner } from '../../tools/oneclick-stand-in/signature.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers are read field by field
type Json = Record<string, any>;

const USDC_ON_BASE = 'nep141:base-0x833589fcd6edb6e08f4c7c32d4f71b54bda02913.omft.near';
const USDC_ON_ARBITRUM = 'nep141:arb-0xaf88d065e77c8cc2239327c5edb3a432268e5831.omft.near';
const XLM = 'nep245:v2_1.omni.hot.tg:1100_111bzQBB5v7AhLyPMDwS8uJgQV24KaAPXtwyVWu2KXbbfQU6NXRCz';
const NOON = Date.parse('2026-11-26T10:00:00.000Z');
const MINUTE_MS = 60_000;
const REQUEST = {
  dry: false,
  swapType: 'EXACT_INPUT',
  slippageTolerance: 100,
  originAsset: USDC_ON_BASE,
  depositType: 'ORIGIN_CHAIN',
  destinationAsset: USDC_ON_ARBITRUM,
  amount: '25000000',
  refundTo: `0x${'11'.repeat(20)}`,
  refundType: 'ORIGIN_CHAIN',
  recipient: `0x${'22'.repeat(20)}`,
  recipientType: 'DESTINATION_CHAIN',
  deadline: '2026-11-26T10:10:00.000Z',
  referral: 'paybell',
};

/** The body and the signature of section 2.2 of the fact sheet. */
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
  quoteRequest: { ...REQUEST, quoteWaitingTimeMs: 3000, depositMode: 'SIMPLE', insured: false },
  timestamp: '2026-11-26T10:00:00.000Z',
  hash: 'G2SGb8aRdJuXPrVAQfJ3iupaadH56vsGC5iAbyxqjGjk',
  signature:
    'ed25519:2yNm22aLVJFRMj6LNV9KRna6tV1N2HNqg5wwCwtYNpAvLcYdNpvsfWmxrSnS1nQ9duBe1DvfGFwME3fjiyVzYQe1',
  publicKey: 'ed25519:GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
};

describe("the stand-in's signature", () => {
  it('is that of the fact sheet for its test vector', () => {
    const { quote, quoteRequest, timestamp } = VECTOR;
    const signer = new QuoteSigner();
    const text = canonical(quoteRequest, quote, timestamp);
    expect(base58.encode(createHash('sha256').update(text).digest())).toBe(VECTOR.hash);
    expect(signer.publicKey).toBe(VECTOR.publicKey);
    expect(signer.sign(quoteRequest, quote, timestamp)).toBe(VECTOR.signature);
  });
});

describe('the stand-in for 1Click', () => {
  let oneClick: OneClickStandIn;
  let nowAt: number;

  beforeEach(async () => {
    nowAt = NOON;
    oneClick = await OneClickStandIn.start({
      apiKeys: ['partner'],
      clock: { now: () => new Date(nowAt) },
      statusesPerMinute: 100,
    });
  });

  afterEach(() => oneClick.close());

  async function call(method: string, path: string, body?: object, headers = {}): Promise<[number, Json]> {
    const answer = await fetch(`${oneClick.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [answer.status, (await answer.json()) as Json];
  }

  const quote = (change: object = {}, headers = {}): Promise<[number, Json]> =>
    call('POST', '/v0/quote', { ...REQUEST, ...change }, headers);

  it('answers 201 with a quote whose address lives three days longer than the refund waits', async () => {
    const [status, body] = await quote();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      quote: {
        amountIn: '25000000',
        amountInFormatted: '25.0',
        minAmountIn: '25000000',
        deadline: '2026-11-29T10:10:00.000Z',
        depositAddress: expect.stringMatching(/^0x[0-9a-f]{40}$/),
      },
      quoteRequest: { ...REQUEST, appFees: [{ fee: 20, limitOrderId: null }] },
      correlationId: expect.any(String),
    });
  });

  it('takes no fee of its own from a request with a key, by either header, and refuses a wrong one', async () => {
    for (const headers of [{ 'x-api-key': 'partner' }, { authorization: 'Bearer partner' }])
      expect((await quote({}, headers))[1]).toMatchObject({ quoteRequest: { appFees: [] } });
    expect((await quote({}, { 'x-api-key': 'wrong' }))[0]).toBe(401);
  });

  it.each([
    ['tokenIn is not valid', { originAsset: 'nep141:nothing' }],
    ['tokenOut is not valid', { destinationAsset: 'nep141:nothing' }],
    ['recipient is not valid', { recipient: 'alice' }],
    ['refundTo is not valid', { refundTo: 'bc1q' }],
    ['Amount is too low for bridge, try at least 8300', { amount: '1' }],
    [
      'Incorrect depositMode for originAsset from stellar chain',
      { originAsset: XLM, refundTo: `G${'A'.repeat(55)}` },
    ],
  ])('refuses with 400 %s', async (message, change) => {
    const [status, body] = await quote(change);
    expect(status).toBe(400);
    expect(String(body['message']).replace('8301', '8300')).toBe(message);
  });

  it('limits status requests by the minute', async () => {
    const [, { quote: made }] = await quote();
    const path = `/v0/status?depositAddress=${made['depositAddress']}`;
    const statuses = await Promise.all(Array.from({ length: 101 }, async () => (await call('GET', path))[0]));
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    nowAt += MINUTE_MS;
    expect((await call('GET', path))[0]).toBe(200);
  });
});
