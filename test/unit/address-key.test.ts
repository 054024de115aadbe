import { describe, expect, it } from '@jest/globals';

import { addressKey } from '../../src/domain/payment/address-key.ts';

const EVM = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';

describe('the key of an address', () => {
  it('is the same for an EVM address in any case', () => {
    expect(addressKey(EVM)).toBe(EVM.toLowerCase());
    expect(addressKey(EVM.toUpperCase())).toBe(EVM.toLowerCase());
  });

  it.each([
    ['a base58 address', 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy'],
    ['more digits than an EVM address has', `${EVM}Cd`],
    ['an EVM address within a text', `ethereum:${EVM}`],
  ])('is as it is written for %s', (_what, address) => {
    expect(addressKey(address)).toBe(address);
  });
});
