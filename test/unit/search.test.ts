import { describe, expect, it } from '@jest/globals';

import { isFound, isSearch, readSearch, termsIn } from '../../src/domain/payment/search.ts';

const HASH = '0xAbCdEf0123456789aBcDeF0123456789abcdef0123456789abcdef0123456789';
const SOLANA = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';

const PAYMENT = {
  quoteId: '5AF8532c-5bf4-45c2-b099-1b36e96e91a3',
  orderId: 'A-1',
  quoteText: JSON.stringify({ send: { depositAddress: SOLANA } }),
  reportText: JSON.stringify({ execution: { txHash: HASH } }),
};

const finds = (text: string, payment: Partial<typeof PAYMENT> | { quoteText: null } = {}): boolean =>
  isFound(readSearch(text), { ...PAYMENT, ...payment });

describe('what may be searched for', () => {
  it.each([['A-1'], [' A-1 '], ['x'.repeat(200)]])('is %j', (text) => {
    expect(isSearch(text)).toBe(true);
  });

  it.each([[''], ['  '], ['x'.repeat(201)], ['a\nb'], [5], [null]])('is not %j', (text) => {
    expect(isSearch(text)).toBe(false);
  });
});

describe('a search', () => {
  it.each([
    ['the order id', 'A-1'],
    ['the order id between spaces', '  A-1\t'],
    ['the order id in another case', 'a-1'],
    ['a beginning of the order id', 'A-'],
    ['the quote id', PAYMENT.quoteId],
    ['the quote id in another case', PAYMENT.quoteId.toLowerCase()],
    ['a whole transaction', HASH],
    ['a transaction in another case', HASH.toUpperCase().replace('0X', '0x')],
    ['a transaction without 0x', HASH.slice(2)],
    ['a beginning of a transaction', HASH.slice(0, 8)],
    ['six digits of a transaction', HASH.slice(2, 8)],
    ['a whole base58 address', SOLANA],
    ['a beginning of a base58 address', SOLANA.slice(0, 8)],
  ])('finds %s', (_what, text) => {
    expect(finds(text)).toBe(true);
  });

  it.each([
    ['the end of the order id', '-1'],
    ['an order id that goes on', 'A-11'],
    ['a part of the quote id', PAYMENT.quoteId.slice(0, 13)],
    ['the end of a transaction', HASH.slice(-12)],
    ['a transaction that goes on in another way', `${HASH.slice(0, 30)}ffff`],
    ['five digits of a transaction', HASH.slice(2, 7)],
    ['seven characters of a base58 address', SOLANA.slice(0, 7)],
    ['a base58 address in another case', SOLANA.toLowerCase()],
    ['the name of a field', 'depositAddress'],
    ['a text that is no term', 'deposit address'],
  ])('does not find %s', (_what, text) => {
    expect(finds(text)).toBe(false);
  });

  it('finds nothing in a quote or a report that is not there', () => {
    expect(finds(SOLANA, { quoteText: null })).toBe(false);
    expect(finds(HASH, { quoteText: null })).toBe(true);
  });

  it('asks the index for the first twelve characters', () => {
    expect(readSearch(HASH)).toMatchObject({ term: 'abcdef012345', isWholeTerm: true, isHex: true });
    expect(readSearch(HASH.slice(0, 14))).toMatchObject({ term: 'abcdef012345', isWholeTerm: true });
    expect(readSearch(HASH.slice(0, 13))).toMatchObject({ term: 'abcdef01234', isWholeTerm: false });
    expect(readSearch(SOLANA)).toMatchObject({ term: '7xkxtg2cw87d', isHex: false });
  });

  it('asks the index for nothing that would find too much, or that it does not have', () => {
    for (const text of ['abcde', '0xabcde', 'ordered', 'shop 2026 spring', 'commande-é-2026'])
      expect([text, readSearch(text).term]).toEqual([text, null]);
    expect(readSearch('abcdef').term).toBe('abcdef');
    expect(readSearch('order-17').term).toBe('order-17');
  });
});

describe('the index', () => {
  it('has the values that look like an id, an address or a transaction, each once, in order', () => {
    const json = JSON.stringify({
      b: HASH,
      a: [SOLANA, HASH.slice(0, 20)],
      status: 'EXECUTING',
      amount: '12345678901',
    });
    expect(termsIn(json)).toEqual(['7xkxtg2cw87d', 'abcdef012345']);
  });

  it.each([
    ['words without a digit', 'DEPOSIT_RECEIVED'],
    ['numbers', '1763640000000'],
    ['what is too short', 'abcdef123'],
    ['what is too long', 'a1'.repeat(66)],
    ['sentences', 'the deposit 1 was seen'],
  ])('has no %s', (_what, value) => {
    expect(termsIn(JSON.stringify({ value }))).toEqual([]);
  });

  it('has what stands before 0x within a value', () => {
    expect(termsIn(JSON.stringify(['shop10x7order']))).toEqual(['shop10x7orde']);
  });

  it('has values of ten to 130 characters', () => {
    expect(termsIn(JSON.stringify(['abcdefghi1']))).toEqual(['abcdefghi1']);
    expect(termsIn(JSON.stringify(['a1'.repeat(65)]))).toEqual(['a1'.repeat(6)]);
  });
});
