import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { fromRaw, readDecimals, readRaw, toRaw } from '../../src/providers/shared/raw-amount.ts';
import { ProviderRefused } from '../../src/ports/payment-provider.ts';

const tokenOf = (decimals: number) => ({ symbol: 'USDC', decimals });

describe('an amount in the smallest unit', () => {
  it.each([
    ['25.5', 6, '25500000'],
    ['25.500000', 6, '25500000'],
    ['0.000001', 6, '1'],
    ['1', 0, '1'],
    ['0.010000000000000001', 18, '10000000000000001'],
    ['0.1', 255, `1${'0'.repeat(254)}`],
    [`${'9'.repeat(60)}.${'9'.repeat(18)}`, 18, '9'.repeat(78)],
  ])('of %s with %i decimals is %s', (human, decimals, raw) => {
    expect(toRaw(human, tokenOf(decimals))).toBe(raw);
  });

  it.each([
    ['0.0000001', 6],
    ['1.0', 0],
    ['0', 6],
    ['0.000000', 6],
    ['-1', 6],
    ['1e3', 6],
    ['', 6],
    ['1,5', 6],
  ])('is refused for %j with %i decimals, naming the amount', (human, decimals) => {
    let error: unknown;
    try {
      toRaw(human, tokenOf(decimals));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ProviderRefused);
    expect(error).toMatchObject({ httpStatus: 422, field: 'amount' });
  });

  it('comes back as it was, for every amount and number of decimals', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 59n }),
        fc.integer({ min: 0, max: 60 }),
        (raw, decimals) => {
          const human = fromRaw(raw, decimals);
          expect(toRaw(human, tokenOf(decimals))).toBe(raw.toString());
          expect(human).not.toMatch(/\.\d*0$|\.$/);
        },
      ),
    );
  });

  it.each([
    ['25000000', 6, '25'],
    ['25500000', 6, '25.5'],
    ['1', 18, '0.000000000000000001'],
    ['0', 18, '0'],
    ['-1500', 3, '-1.5'],
    ['7', 0, '7'],
  ])('%s with %i decimals is shown as %s', (raw, decimals, human) => {
    expect([fromRaw(raw, decimals), fromRaw(BigInt(raw), decimals)]).toEqual([human, human]);
  });

  it.each([
    ['123', 123n],
    ['-5', -5n],
    [42, 42n],
    ['1.5', null],
    ['0x10', null],
    ['', null],
    [1.5, null],
    [2 ** 60, null],
    [null, null],
    [{}, null],
    ['9'.repeat(81), null],
  ])('is read from %j', (value, raw) => {
    expect(readRaw(value)).toBe(raw);
  });

  it.each([
    [0, 0],
    [255, 255],
    [256, null],
    [-1, null],
    [1.5, null],
    ['6', null],
    [undefined, null],
  ])('has %j decimals as far as they can be read', (value, decimals) => {
    expect(readDecimals(value)).toBe(decimals);
  });
});
