import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { QuoteOrder } from '../../src/providers/relay/quote/relay-order.ts';
import { parseRelayQuote } from '../../src/providers/relay/quote/parse-relay-quote.ts';
import { toQuote } from '../../src/providers/relay/quote/relay-quote.ts';
import { isRecord } from '../../src/domain/payment/reading.ts';
import {
  amountOf,
  BASE_USDC,
  DEPOSIT_ADDRESS,
  EVM_WALLET,
  orderOf,
  quoteAnswer,
  REQUEST_ID,
  SOLANA,
  SOLANA_NATIVE,
  SOLANA_USDC,
  SOLANA_WALLET,
  transferCall,
  ZERO_ADDRESS,
} from '../support/relay-answers.ts';

type Answer = ReturnType<typeof quoteAnswer>;
type Fields = Record<string, unknown>;

const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const THIEF = '0x6666666666666666666666666666666666666666';

/** The answer with one changed member, named by its path; undefined removes the member. */
function changed(path: string, value: unknown): Answer {
  const answer = quoteAnswer();
  const names = path.split('.');
  const last = names.pop() ?? '';
  let holder: Fields = answer;
  for (const name of names) {
    const next = holder[name];
    if (!isRecord(next) && !Array.isArray(next)) throw new Error(`The answer has no ${path}.`);
    holder = next as Fields;
  }
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return answer;
}

function offerOf(answer: unknown, order: QuoteOrder = orderOf()) {
  const reading = parseRelayQuote(answer, order);
  if (reading.kind === 'unsafe') throw new Error(`unsafe: ${reading.check}`);
  return reading.offer;
}

function shown(answer: unknown, order: QuoteOrder = orderOf()) {
  return toQuote(QUOTE_ID, order, offerOf(answer, order), 300);
}

describe("Relay's quote", () => {
  it("becomes the spec's quote, every field of it, with exact amounts", () => {
    expect(shown(quoteAnswer())).toEqual({
      success: true,
      quoteId: QUOTE_ID,
      expiresIn: 300,
      send: {
        depositAddress: DEPOSIT_ADDRESS,
        chain: { id: 8453, name: 'Base' },
        token: { address: BASE_USDC, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
        amount: '25.5',
      },
      receive: {
        chain: { id: 42161, name: 'Arbitrum' },
        token: { address: ZERO_ADDRESS, symbol: 'ETH', name: 'Ether', decimals: 18 },
        estimatedAmount: '0.004',
        estimatedAmountUsd: '12',
        minimumAmount: '0.004',
      },
      recipient: EVM_WALLET,
      fees: {
        totalUsd: '13.4972',
        gas: { amount: '0.000000097', usd: '0.000291', currency: 'ETH' },
        relayer: { amount: '3.469103', usd: '3.469103', currency: 'USDC' },
        app: { amount: '10.02777', usd: '10.027770', currency: 'USDC' },
      },
      estimatedTime: '12s',
      steps: 1,
      statusUrl: `/api/status/${QUOTE_ID}`,
      depositNote: expect.stringMatching(
        /^Send exactly 25\.5 USDC on Base to this address, .* 300 seconds\./,
      ),
    });
  });

  it.each([
    ['at the top', quoteAnswer()],
    ['in its step only', changed('requestId', undefined)],
    ['in its step, and a word for none at the top', changed('requestId', 'N/A')],
    ['in its step, and one that no row could have at the top', changed('requestId', 'x'.repeat(5_000))],
  ])('has its request id %s', (_name, answer) => {
    expect(offerOf(answer).requestId).toBe(REQUEST_ID);
  });

  it.each([
    [
      'a mixed-case token',
      'details.currencyIn.currency.address',
      BASE_USDC.toUpperCase().replace('0X', '0x'),
    ],
    ['a mixed-case recipient', 'details.recipient', EVM_WALLET.toUpperCase().replace('0X', '0x')],
    ['no order', 'protocol', undefined],
    ['an order without payments', 'protocol.v2.orderData.output', {}],
    ['a value of 0 as a number', 'steps.0.items.0.data.value', 0],
    ['no value', 'steps.0.items.0.data.value', undefined],
    ['no chain in its transaction', 'steps.0.items.0.data.chainId', undefined],
    ['a transaction that has no more than the address', 'steps.0.items.0.data', { to: DEPOSIT_ADDRESS }],
    ['no transaction', 'steps.0.items', []],
    ['no name of its step', 'steps.0.id', undefined],
    [
      'something after the transfer',
      'steps.0.items.0.data.data',
      `${transferCall(DEPOSIT_ADDRESS, 25_500_000n)}beef`,
    ],
    ['an unknown field', 'details.newField', [1]],
  ])('may come with %s', (_name, path, value) => {
    expect(offerOf(changed(path, value)).depositAddress).toBe(DEPOSIT_ADDRESS);
  });

  it.each([
    ['request id', 'no id', 'requestId', null],
    ['deposit step', 'no steps', 'steps', []],
    ['deposit step', 'an approval before it', 'steps', [{ id: 'approve' }, ...quoteAnswer().steps]],
    ['deposit step', 'another step', 'steps.0.id', 'swap'],
    ['deposit address', 'an empty address', 'steps.0.depositAddress', ''],
    ['deposit address', 'an address that is a number', 'steps.0.depositAddress', 7],
    ['deposit address', 'an address of another machine', 'steps.0.depositAddress', SOLANA_WALLET],
    ['deposit address', 'the zero address', 'steps.0.depositAddress', ZERO_ADDRESS],
    ['deposit address', "the token's own contract", 'steps.0.depositAddress', BASE_USDC],
    ['recipient', 'another recipient', 'details.recipient', THIEF],
    ['recipient', 'no recipient', 'details.recipient', undefined],
    ['destination token', 'another chain', 'details.currencyOut.currency.chainId', 10],
    ['destination token', 'another token', 'details.currencyOut.currency.address', BASE_USDC],
    ['destination token', 'no token', 'details.currencyOut.currency', undefined],
    ['origin token', 'another chain', 'details.currencyIn.currency.chainId', 10],
    ['origin token', 'another token', 'details.currencyIn.currency.address', ZERO_ADDRESS],
    ['origin token', 'other decimals', 'details.currencyIn.currency.decimals', 18],
    ['amount', 'another amount', 'details.currencyIn.amount', '25500001'],
    ['amount', 'an amount that cannot be read', 'details.currencyIn.amount', '25.5'],
    ['estimated amount', 'nothing to receive', 'details.currencyOut.amount', '0'],
    ['estimated amount', 'less than nothing to receive', 'details.currencyOut.amount', '-1'],
    ['estimated amount', 'other decimals', 'details.currencyOut.currency.decimals', 6],
    ['estimated amount', 'no decimals', 'details.currencyOut.currency.decimals', undefined],
    ['payment of the deposit address', 'two', 'steps.0.items', [{}, {}]],
    ['payment of the deposit address', 'another chain', 'steps.0.items.0.data.chainId', 1],
    ['payment of the deposit address', 'a plain transfer to another', 'steps.0.items.0.data', { to: THIEF }],
    ['payment of the deposit address', 'another token', 'steps.0.items.0.data.to', THIEF],
    ['payment of the deposit address', 'no target', 'steps.0.items.0.data.to', undefined],
    ['payment of the deposit address', 'no call', 'steps.0.items.0.data.data', '0x'],
    [
      'payment of the deposit address',
      'an approval',
      'steps.0.items.0.data.data',
      `0x095ea7b3${'0'.repeat(128)}`,
    ],
    ['payment of the deposit address', 'native money', 'steps.0.items.0.data.value', '1'],
    ['payment of the deposit address', 'a strange value', 'steps.0.items.0.data.value', 'much'],
    [
      'payment of the deposit address',
      'another payee',
      'steps.0.items.0.data.data',
      transferCall(THIEF, 25_500_000n),
    ],
    [
      'payment of the deposit address',
      'another amount',
      'steps.0.items.0.data.data',
      transferCall(DEPOSIT_ADDRESS, 25_500_001n),
    ],
    ['recipient of the order', 'a thief', 'protocol.v2.orderData.output.payments.0.recipient', THIEF],
    ['recipient of the order', 'no list', 'protocol.v2.orderData.output.payments', 'all to me'],
    [
      'recipient of the order',
      'a second payee',
      'protocol.v2.orderData.output.payments',
      [{ recipient: EVM_WALLET }, { recipient: THIEF }],
    ],
  ])('fails the check of its %s with %s', (check, _name, path, value) => {
    const answer = changed(path, value);
    if (path === 'requestId') delete answer.steps[0]?.['requestId'];
    expect(parseRelayQuote(answer, orderOf())).toEqual({ kind: 'unsafe', check });
  });

  it('is never shown when it is anything else, and never throws', () => {
    const order = orderOf();
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(parseRelayQuote(value, order).kind).toBe('unsafe');
      }),
    );
  });

  it('is unsafe or the same offer, whichever of its members is replaced', () => {
    const paths = [
      'requestId',
      'steps',
      'steps.0',
      'steps.0.items',
      'steps.0.items.0',
      'steps.0.items.0.data',
    ];
    const more = [
      'details',
      'details.currencyIn',
      'details.currencyOut',
      'details.currencyIn.currency',
      'protocol',
    ];
    const order = orderOf();
    fc.assert(
      fc.property(fc.constantFrom(...paths, ...more), fc.anything(), (path, value) => {
        const reading = parseRelayQuote(changed(path, value), order);
        if (reading.kind === 'offer') expect(reading.offer.depositAddress).toBe(DEPOSIT_ADDRESS);
      }),
    );
  });
});

describe('a quote for a native token', () => {
  const order = orderOf({ fromToken: ZERO_ADDRESS, amount: '0.01' });
  const native = (data: Fields): Answer => {
    const answer = quoteAnswer();
    const currency = { chainId: 8453, address: ZERO_ADDRESS, symbol: 'ETH', name: 'Ether', decimals: 18 };
    answer.details['currencyIn'] = amountOf(currency, '10000000000000000', '30');
    const plain = {
      to: DEPOSIT_ADDRESS.toLowerCase(),
      data: '0x',
      value: '10000000000000000',
      chainId: 8453,
    };
    answer.steps[0] = { ...answer.steps[0], items: [{ data: { ...plain, ...data } }] };
    return answer;
  };

  it('is a plain transfer to the deposit address', () => {
    expect(shown(native({}), order).send).toMatchObject({
      depositAddress: DEPOSIT_ADDRESS,
      token: { address: ZERO_ADDRESS, symbol: 'ETH' },
      amount: '0.01',
    });
  });

  it.each([
    ['another payee', { to: THIEF }],
    ['another amount', { value: '10000000000000001' }],
    ['a call', { data: '0xdeadbeef' }],
    ['another chain', { chainId: 42161 }],
  ])('is unsafe with %s', (_name, data) => {
    expect(parseRelayQuote(native(data), order)).toEqual({
      kind: 'unsafe',
      check: 'payment of the deposit address',
    });
  });
});

describe('a quote from Solana', () => {
  const answerOf = (address: string, decimals: number, amount: string, items: unknown): Answer => {
    const answer = quoteAnswer();
    const currency = { chainId: SOLANA, address, symbol: 'T', name: 'Token', decimals };
    answer.details['currencyIn'] = amountOf(currency, amount, '30');
    answer.steps[0] = { ...answer.steps[0], depositAddress: SOLANA_WALLET, items };
    return answer;
  };
  const sol = orderOf({ fromChainId: SOLANA, fromToken: ZERO_ADDRESS, amount: '0.5' });
  const usdc = orderOf({ fromChainId: SOLANA, fromToken: SOLANA_USDC, amount: '0.5' });

  it.each([
    ['instructions', [{ data: { instructions: [{}, { keys: [{ pubkey: SOLANA_WALLET }] }] } }]],
    ['a transfer', [{ data: { to: SOLANA_WALLET, chainId: SOLANA } }]],
    ['nothing', undefined],
  ])('shows the native token at the zero address, with %s', (_name, items) => {
    expect(shown(answerOf(SOLANA_NATIVE, 9, '500000000', items), sol).send).toMatchObject({
      depositAddress: SOLANA_WALLET,
      chain: { id: SOLANA, name: 'Solana' },
      token: { address: ZERO_ADDRESS, decimals: 9 },
      amount: '0.5',
    });
  });

  it('keeps the case of a token', () => {
    for (const data of [{ to: SOLANA_USDC }, { to: SOLANA_WALLET }, { instructions: [{ keys: [] }] }]) {
      const answer = answerOf(SOLANA_USDC, 6, '500000', [{ data }]);
      expect(shown(answer, usdc).send.token.address).toBe(SOLANA_USDC);
    }
  });

  it.each([
    ['another payee', { to: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' }],
    ['instructions that pay another', { instructions: [{ keys: [{ pubkey: SOLANA_NATIVE }] }] }],
    [
      'another payee beside good instructions',
      { to: SOLANA_USDC, instructions: [{ keys: [{ pubkey: SOLANA_WALLET }] }] },
    ],
    ['instructions for nothing', { instructions: [] }],
    ['a payee in another case', { to: SOLANA_WALLET.toLowerCase() }],
    ['another chain', { to: SOLANA_WALLET, chainId: 1 }],
  ])('is unsafe with %s', (_name, data) => {
    expect(parseRelayQuote(answerOf(SOLANA_NATIVE, 9, '500000000', [{ data }]), sol)).toEqual({
      kind: 'unsafe',
      check: 'payment of the deposit address',
    });
  });
});

describe('the fees of a quote', () => {
  it.each([
    ['0.000291', '3.469103', '10.027770', '13.4972'],
    ['0', '0', '0', '0'],
    ['0.00004', '0', '0', '0'],
    ['0.00005', '0', '0', '0.0001'],
    ['0.1', '0.2', undefined, '0.3'],
    ['1', '-3', '0.5', '-1.5'],
    ['0.5', 'NaN', '25', '25.5'],
    ['90071992547409930.0001', '0.0002', '0', '90071992547409930.0003'],
  ])('%s, %s and %s make %s', (gas, relayer, app, total) => {
    const answer = quoteAnswer();
    answer.fees = { gas: { amountUsd: gas }, relayer: { amountUsd: relayer }, app: { amountUsd: app } };
    expect(offerOf(answer).fees).toEqual({ totalUsd: total });
  });

  it("are Relay's account of the costs where there are none", () => {
    expect(offerOf(changed('fees', undefined)).fees).toEqual({ totalUsd: '13.4878' });
  });

  it('are what goes in less what comes out where there is no account either', () => {
    const answer = changed('fees', undefined);
    delete answer.details['expandedPriceImpact'];
    expect(offerOf(answer).fees).toEqual({ totalUsd: '13.497' });
  });

  it('are left out rather than made up', () => {
    const answer = changed('fees', 'none');
    delete answer.details['expandedPriceImpact'];
    answer.details['currencyIn'] = { ...(answer.details['currencyIn'] as Fields), amountUsd: null };
    expect(offerOf(answer).fees).toEqual({});
  });

  it.each([
    ['amount', '1.5'],
    ['amountUsd', 'free'],
    ['currency', null],
  ])('leave out a part whose %s cannot be read', (member, value) => {
    const { fees } = offerOf(changed(`fees.app.${member}`, value));
    expect(Object.keys(fees)).toEqual(['totalUsd', 'gas', 'relayer']);
  });
});

describe('the estimate of a quote', () => {
  it.each([
    [12, '12s'],
    [1.2, '2s'],
    [0, '1s'],
    ['12', undefined],
    [-1, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [undefined, undefined],
  ])('of %j is %j', (timeEstimate, estimatedTime) => {
    expect(shown(changed('details.timeEstimate', timeEstimate)).estimatedTime).toBe(estimatedTime);
  });

  it('in USD is left out where Relay has none', () => {
    expect(shown(changed('details.currencyOut.amountUsd', null)).receive).not.toHaveProperty(
      'estimatedAmountUsd',
    );
  });
});
