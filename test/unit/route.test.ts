import { describe, expect, it } from '@jest/globals';

import { hasToken, isOnChain, mayMention, readRoute } from '../../src/domain/payment/route.ts';

const QUOTE = {
  send: {
    depositAddress: '0xd',
    chain: { id: 8453, name: 'Base' },
    token: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', symbol: 'USDC' },
    amount: '25.420000000000000001',
  },
  receive: {
    chain: { id: 792703809, name: 'Solana' },
    token: { address: 'So11111111111111111111111111111111111111112', symbol: 'SOL' },
    estimatedAmount: '0.1',
  },
  recipient: '7xKX',
};
const REPORT = {
  depositAddress: '0xe',
  route: {
    from: { chainId: 1, chainName: 'Ethereum', token: '0xa' },
    to: { chainId: 10, chainName: 'Optimism', token: '0xb' },
    amount: '25420000',
    recipient: '0xc',
  },
};
const NONE = { chainId: null, chainName: null, token: null, symbol: null, amount: null };

const routeOf = (quote: unknown, report: unknown) =>
  readRoute({
    quoteText: quote === null ? null : JSON.stringify(quote),
    reportText: report === null ? null : JSON.stringify(report),
  });

describe('the route of a payment', () => {
  it('is that of the quote', () => {
    expect(routeOf(QUOTE, REPORT)).toEqual({
      origin: {
        chainId: '8453',
        chainName: 'Base',
        token: QUOTE.send.token.address,
        symbol: 'USDC',
        amount: '25.420000000000000001',
      },
      destination: {
        chainId: '792703809',
        chainName: 'Solana',
        token: QUOTE.receive.token.address,
        symbol: 'SOL',
        amount: '0.1',
      },
      depositAddress: '0xd',
      recipient: '7xKX',
    });
  });

  it('is that of the report where there is no quote, without amounts: those have another unit', () => {
    expect(routeOf(null, REPORT)).toEqual({
      origin: { ...NONE, chainId: '1', chainName: 'Ethereum', token: '0xa' },
      destination: { ...NONE, chainId: '10', chainName: 'Optimism', token: '0xb' },
      depositAddress: '0xe',
      recipient: '0xc',
    });
  });

  it.each([null, {}, [], 7, { send: 7, receive: { chain: [], token: null } }, { route: 'none' }])(
    'is unknown where neither says it: %j',
    (said) => {
      const nothing = { origin: NONE, destination: NONE, depositAddress: null, recipient: null };
      expect(routeOf(said, said)).toEqual(nothing);
    },
  );

  it('keeps every digit of an amount that is sent as a number', () => {
    const quoteText =
      '{"send": {"amount": 123456789012345678901234567890.10 }, "receive":{"estimatedAmount":7}}';
    const { origin, destination } = readRoute({ quoteText, reportText: null });
    expect([origin.amount, destination.amount]).toEqual(['123456789012345678901234567890.10', '7']);
  });
});

describe('a filter', () => {
  const route = routeOf(QUOTE, null);

  it.each([
    ['8453', true],
    ['base', true],
    ['SOLANA', true],
    ['1', false],
    ['Bas', false],
  ])('by chain %s finds it: %s', (chain, isFound) => {
    expect(isOnChain(route, chain)).toBe(isFound);
  });

  it.each([
    ['usdc', true],
    ['SOL', true],
    [QUOTE.send.token.address.toUpperCase().replace('0X', '0x'), true],
    [QUOTE.receive.token.address, true],
    [QUOTE.receive.token.address.toLowerCase(), false],
    ['USD', false],
    ['Base', false],
  ])('by token %s finds it: %s', (token, isFound) => {
    expect(hasToken(route, token)).toBe(isFound);
  });

  it.each<[string | null, string | null, string, boolean]>([
    ['{"name":"BASE"}', null, 'Base', true],
    [null, '{"chainId":8453}', '8453', true],
    ['{"name":"Solana"}', '{}', 'base', false],
    [null, null, 'x', false],
    [String.raw`{"name":"B\u0061se"}`, null, 'base', true],
  ])('takes a text apart where it may have the word: %s %s %s', (quoteText, reportText, word, may) => {
    expect(mayMention({ quoteText, reportText }, word)).toBe(may);
  });
});
