import { describe, expect, it } from '@jest/globals';

import { addressKey } from '../../src/domain/payment/address-key.ts';

const EVM = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B';

describe('the key of an address', () => {
  it('is the same for an EVM address in any case', () => {
    expect(addressKey(EVM)).toBe(EVM.toLowerCase());
    expect(addressKey(EVM.toUpperCase())).toBe(EVM.toLowerCase());
  });

  it.each([
    ['bech32', 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
    ['bech32m', 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr'],
    ['32 bytes in hexadecimal digits', `0x${'0a'.repeat(32)}`],
  ])('is the same for %s in capital letters, as a QR code has them', (_what, address) => {
    expect(addressKey(address.toUpperCase())).toBe(addressKey(address));
  });

  it.each([
    ['a Bitcoin address of base58', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
    ['a Tron address', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['a base58 address', 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy'],
    ['more digits than an EVM address has', `${EVM}Cd`],
    ['an EVM address within a text', `ethereum:${EVM}`],
  ])('is as it is written for %s', (_what, address) => {
    expect(addressKey(address)).toBe(address);
  });
});
