import { describe, expect, it } from '@jest/globals';

import type { QuoteRequest } from '../../src/domain/payment/quote.ts';
import { misfitOf } from '../../src/domain/payment/quote-misfit.ts';

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';
const CHECKSUMMED = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const ZERO = `0x${'0'.repeat(40)}`;
const OTHER = `0x${'66'.repeat(20)}`;
const SOLANA_WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const REQUEST: QuoteRequest = {
  fromChainId: 8453,
  toChainId: 42161,
  fromToken: USDC,
  toToken: ZERO,
  amount: '1.50',
  recipient: '0x03508bb71268bba25ecacc8f620e01866650532c',
};

interface Shown {
  readonly request?: Partial<QuoteRequest>;
  readonly send?: object;
  readonly receive?: object;
  readonly [member: string]: unknown;
}

const side = (id: unknown, address: unknown, more: object): object => ({
  chain: { id, name: 'a chain' },
  token: { address, symbol: 'USDC', decimals: 6 },
  ...more,
});

/** Returns the misfit of a quote in which these parts differ from the request. */
function found(
  { request = {}, send = {}, receive = {}, ...more }: Shown,
  text = (json: string) => json,
): unknown {
  const asked = { ...REQUEST, ...request };
  const quote = {
    quoteId: 'q-1',
    send: {
      depositAddress: '0xd',
      ...side(asked.fromChainId, asked.fromToken, { amount: asked.amount }),
      ...send,
    },
    receive: { ...side(asked.toChainId, asked.toToken, { estimatedAmount: asked.amount }), ...receive },
    recipient: asked.recipient,
    ...more,
  };
  return misfitOf(asked, text(JSON.stringify(quote)));
}

/** The first part of a number that JSON.stringify would write in another way. */
const raw = (digits: string) => (json: string) => json.replace('"amount":"1.50"', `"amount":${digits}`);

describe('a quote', () => {
  it.each<[string, Shown]>([
    ['as it was asked for', {}],
    [
      'without what shortened quotes leave out',
      { recipient: undefined, send: { token: { symbol: 'USDC' } } },
    ],
    ['without any of it', { recipient: null, send: { chain: null, token: null, amount: null }, receive: {} }],
    ['with a checksummed address for one in small letters', { send: { token: { address: CHECKSUMMED } } }],
    [
      'with small letters for a checksummed address',
      { request: { toToken: CHECKSUMMED }, receive: { token: { address: USDC } } },
    ],
    ['with an EVM recipient in capitals', { recipient: '0x03508BB71268BBA25ECACC8F620E01866650532C' }],
    [
      'with a bech32 recipient in capitals',
      {
        request: { recipient: 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9' },
        recipient: 'LTC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KGMN4N9',
      },
    ],
    [
      'with the newer form of a Bitcoin Cash address, without its prefix',
      {
        request: { recipient: '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu' },
        recipient: 'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
      },
    ],
    [
      'with the newer form of a Litecoin address',
      {
        request: { recipient: '3CNHUhP3uyB9EUtRLsmvFUmvGdjGdkTxJw' },
        recipient: 'MJaRnao1s62a2zAKSkmG582KbLKianqb7v',
      },
    ],
    [
      'with the base58 form of a Tron address',
      {
        request: { recipient: '0x0000000000000000000000000000000000000000' },
        recipient: 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb',
      },
    ],
    [
      'with the bounceable form of a TON address',
      {
        request: { recipient: 'UQCfiz9eGixNboCRorPE1eb3CBcmNURTYnGAn64NvMva77UP' },
        recipient: 'EQCfiz9eGixNboCRorPE1eb3CBcmNURTYnGAn64NvMva7-jK',
      },
    ],
    ['with the other address of a native token', { receive: { token: { address: `0x${'E'.repeat(40)}` } } }],
    ['with the native address of another kind of chain', { receive: { token: { address: '1'.repeat(32) } } }],
    [
      'with the zero address for the coin of Sui',
      { request: { fromToken: '0x2::sui::SUI' }, send: { token: { address: ZERO } } },
    ],
    [
      'with the long form of the coin of Sui',
      {
        request: { fromToken: '0x2::sui::SUI' },
        send: { token: { address: `0x${'0'.repeat(63)}2::sui::SUI`, symbol: 'SUI' } },
      },
    ],
    [
      'with the address of the symbol that was asked for',
      { request: { fromToken: 'usdc' }, send: { token: { address: USDC, symbol: 'USDC' } } },
    ],
    ['with a token as text', { send: { token: USDC }, receive: { token: 'ETH' } }],
    [
      'with chains as text and as numbers alone',
      { send: { chain: { id: '8453' } }, receive: { chain: 42161 } },
    ],
    ['with fewer zeros', { send: { amount: '1.5' } }],
    ['with more zeros', { send: { amount: '1.500000000000000000' } }],
    ['with another estimate', { receive: { estimatedAmount: '0.0004' } }],
    [
      'of an exact output with any amount to send',
      { request: { amountIs: 'receive' }, send: { amount: '1.7' } },
    ],
  ])('fits %s', (_what, shown) => {
    expect(found(shown)).toBeNull();
  });

  it.each([
    ['send', 'origin chain'],
    ['receive', 'destination chain'],
  ])('differs where %s is no object', (side, part) => {
    for (const shown of ['[]', '"USDC"', '7']) expect(misfitOf(REQUEST, `{"${side}":${shown}}`)).toBe(part);
  });

  it.each<[string, Shown, string]>([
    ['another recipient', { recipient: OTHER }, 'recipient'],
    [
      'a base58 recipient in another case',
      { request: { recipient: SOLANA_WALLET }, recipient: SOLANA_WALLET.toLowerCase() },
      'recipient',
    ],
    ['an object as recipient', { recipient: { address: REQUEST.recipient } }, 'recipient'],
    ['a number as recipient', { recipient: 0 }, 'recipient'],
    ['an empty recipient', { recipient: '' }, 'recipient'],
    ['another origin chain', { send: { chain: { id: 1 } } }, 'origin chain'],
    ['an origin chain of another type', { send: { chain: { id: [8453] } } }, 'origin chain'],
    ['another destination chain', { receive: { chain: { id: '1' } } }, 'destination chain'],
    ['another origin token', { send: { token: { address: OTHER, symbol: 'USDC' } } }, 'origin token'],
    ['the native token for another', { send: { token: { address: ZERO } } }, 'origin token'],
    ['another token than the native one', { receive: { token: { address: USDC } } }, 'destination token'],
    ['a list as destination token', { receive: { token: [ZERO] } }, 'destination token'],
    [
      'another token than the symbol',
      { request: { fromToken: 'USDC' }, send: { token: { address: OTHER, symbol: 'DAI' } } },
      'origin token',
    ],
    ['another amount to send', { send: { amount: '1000' } }, 'amount to send'],
    [
      'an amount that differs in its last digit',
      { send: { amount: '1.500000000000000001' } },
      'amount to send',
    ],
    ['a formula as amount', { send: { amount: '=1+1' } }, 'amount to send'],
    ['an exponent beyond all numbers', { send: { amount: '1e400' } }, 'amount to send'],
    ['a sign', { send: { amount: '+1.5' } }, 'amount to send'],
    [
      'a zero before the amount, which no reader of amounts takes',
      { send: { amount: '01.5' } },
      'amount to send',
    ],
    ['a list as amount', { send: { amount: ['1.5'] } }, 'amount to send'],
    [
      'less than an exact output',
      { request: { amountIs: 'receive' }, receive: { estimatedAmount: '1.49' } },
      'amount to receive',
    ],
  ])('with %s does not fit', (_what, shown, part) => {
    expect(found(shown)).toBe(part);
  });

  it.each([
    ['1.5', null],
    ['1.50000', null],
    ['1e400', 'amount to send'],
    ['1.5000000000000000000001', 'amount to send'],
  ])('with the number %s as amount is compared digit by digit', (digits, part) => {
    expect(found({}, raw(digits))).toBe(part);
  });
});
