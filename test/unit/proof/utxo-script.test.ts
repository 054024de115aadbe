import { describe, expect, it } from '@jest/globals';
import { bech32, createBase58check } from '@scure/base';
import { createHash } from 'node:crypto';

import { readCashAddress } from '../../../src/domain/chains/cash-address.ts';
import {
  addressOfScript,
  BITCOIN as BTC,
  BITCOIN_CASH as BCH,
  DOGECOIN as DOGE,
  LITECOIN as LTC,
  scriptOf,
} from '../../../src/domain/chains/utxo-script.ts';

const HASH = '751e76e8199196d454941c45d1b3a323f1433bd6';
const CASH_HASH = '76a04053bda0a88bda5177b86a15c3b29f559873';
const LONG = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const P2WPKH = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const TAPROOT = 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0';
const CASH = 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a';
const CASH_32 = 'bitcoincash:pvqqqqqqqqqqqqqqqqqqqqqqzg69v7ysqqqqqqqqqqqqqqqqqqqqqpkp7fqn0';
/** Version 0 and 32 bytes, whose last digit has a bit too many. */
const LOOSE = [0, ...bech32.toWords(Buffer.from(LONG, 'hex'))].map((word, at) =>
  at === 52 ? word | 1 : word,
);
const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest());
const base58 = (version: number, hash = HASH): string =>
  base58check.encode(Buffer.from(version.toString(16).padStart(2, '0') + hash, 'hex'));
const p2pkh = (hash: string): string => `76a914${hash}88ac`;
const p2sh = (hash: string): string => `a914${hash}87`;

describe('the usual address of a script', () => {
  it.each<[string, number, string, string]>([
    ['a key hash', BTC, '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH', p2pkh(HASH)],
    ['a key hash of zeros', BTC, '1111111111111111111114oLvT2', p2pkh('0'.repeat(40))],
    ['a script hash', BTC, '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC', p2sh(CASH_HASH)],
    ['a witness key hash', BTC, P2WPKH, `0014${HASH}`],
    [
      'a witness script hash',
      BTC,
      'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
      '00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262',
    ],
    ['Taproot', BTC, TAPROOT, `5120${LONG}`],
    ['a later version', BTC, 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', '5210751e76e8199196d454941c45d1b3a323'],
    ['the last version', BTC, 'bc1sw50qgdz25j', '6002751e'],
    ['a key hash of Litecoin', LTC, base58(0x30), p2pkh(HASH)],
    ['a script hash of Litecoin', LTC, base58(0x32), p2sh(HASH)],
    ['a witness key hash of Litecoin', LTC, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9', `0014${HASH}`],
    ['a key hash of Dogecoin', DOGE, base58(0x1e), p2pkh(HASH)],
    ['a script hash of Dogecoin', DOGE, base58(0x16), p2sh(HASH)],
    ['a key hash of Bitcoin Cash', BCH, CASH, p2pkh(CASH_HASH)],
    [
      'a script hash of Bitcoin Cash',
      BCH,
      'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
      p2sh(CASH_HASH),
    ],
    [
      'a long script hash of Bitcoin Cash',
      BCH,
      CASH_32,
      'aa20000000000000000000000000000012345678900000000000000000000000000087',
    ],
  ])('is read and written for %s', (_what, chainId, address, script) => {
    expect(scriptOf(chainId, address)).toBe(script);
    expect(addressOfScript(chainId, script.toUpperCase())).toBe(address);
  });

  it.each<[string, number, string]>([
    ['OP_RETURN', BTC, '6a0b68656c6c6f20776f726c64'],
    ['a public key', BTC, `21${'02'.repeat(33)}ac`],
    ['a witness of another length', BTC, `0015${HASH}00`],
    ['a witness with more behind', BTC, `0014${HASH}51`],
    ['a short Taproot, which is an anchor', BTC, '51024e73'],
    ['a witness on Dogecoin', DOGE, `0014${HASH}`],
    ['a witness on Bitcoin Cash', BCH, `0014${HASH}`],
    ['a long script hash on Bitcoin', BTC, `aa20${LONG}87`],
    ['nothing', BTC, ''],
    ['another chain', 1, p2pkh(HASH)],
  ])('does not exist for %s', (_what, chainId, script) => {
    expect(addressOfScript(chainId, script)).toBeNull();
  });
});

describe('another spelling of an address', () => {
  it.each<[string, number, string, string]>([
    ['bech32 in capitals', BTC, P2WPKH.toUpperCase(), `0014${HASH}`],
    ['bech32m in capitals', BTC, TAPROOT.toUpperCase(), `5120${LONG}`],
    ['the older script hash of Litecoin', LTC, base58(0x05), p2sh(HASH)],
    ['cashaddr without its prefix', BCH, CASH.slice(12), p2pkh(CASH_HASH)],
    ['cashaddr in capitals', BCH, CASH.toUpperCase(), p2pkh(CASH_HASH)],
    ['cashaddr in capitals without its prefix', BCH, CASH.slice(12).toUpperCase(), p2pkh(CASH_HASH)],
    [
      'cashaddr of a wallet that takes tokens',
      BCH,
      'bitcoincash:zpm2qsznhks23z7629mms6s4cwef74vcwvrqekrq9w',
      p2pkh(CASH_HASH),
    ],
    ['the legacy key hash on Bitcoin Cash', BCH, '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu', p2pkh(CASH_HASH)],
    ['the legacy script hash on Bitcoin Cash', BCH, '3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC', p2sh(CASH_HASH)],
  ])('is read: %s', (_what, chainId, address, script) => {
    expect(scriptOf(chainId, address)).toBe(script);
  });

  it.each<[string, string]>([
    ['1KXrWXciRDZUpQwQmuM1DbwsKDLYAYsVLR', 'bitcoincash:qr95sy3j9xwd2ap32xkykttr4cvcu7as4y0qverfuy'],
    ['16w1D5WRVKJuZUsSRzdLp9w3YGcgoxDXb', 'bitcoincash:qqq3728yw0y47sqn6l2na30mcw6zm78dzqre909m2r'],
    ['3LDsS579y7sruadqu11beEJoTjdFiFCdX4', 'bitcoincash:pr95sy3j9xwd2ap32xkykttr4cvcu7as4yc93ky28e'],
    ['31nwvkZwyPdgzjBJZXfDmSWsC4ZLKpYyUw', 'bitcoincash:pqq3728yw0y47sqn6l2na30mcw6zm78dzq5ucqzc37'],
  ])('names one script, as the specification has it: %s and %s', (legacy, cash) => {
    expect(scriptOf(BCH, cash)).toBe(scriptOf(BCH, legacy));
    expect(scriptOf(BCH, cash)).not.toBeNull();
  });
});

describe('no address of the chain', () => {
  // The invalid vectors of BIP-173 and BIP-350, then those of cashaddr, then others.
  it.each<[string, number, string]>([
    ['another first part', BTC, 'tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut'],
    ['the older checksum for Taproot', BTC, 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
    [
      'the older checksum for version 16',
      BTC,
      'BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL',
    ],
    ['the newer checksum for version 0', BTC, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh'],
    ['a letter that is no digit', BTC, 'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4'],
    ['version 17', BTC, 'BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R'],
    ['1 byte', BTC, 'bc1pw5dgrnzv'],
    ['41 bytes', BTC, 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav'],
    [
      '40 bytes of version 1',
      BTC,
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y',
    ],
    ['16 bytes of version 0', BTC, 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P'],
    ['more than 4 bits of padding', BTC, 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf'],
    ['padding that is not zero', BTC, bech32.encode('bc', LOOSE)],
    ['no data', BTC, 'bc1gmk9yu'],
    ['a wrong checksum', BTC, 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['mixed letter case', BTC, P2WPKH.replace('w508', 'W508')],
    ['the test network', BTC, 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['a test network in base58', BTC, base58(0x6f)],
    ['Bitcoin on Litecoin', LTC, P2WPKH],
    ['Litecoin on Bitcoin', BTC, 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
    ['a key hash of Bitcoin on Litecoin', LTC, base58(0x00)],
    ['a script hash of Bitcoin on Dogecoin', DOGE, base58(0x05)],
    ['a witness on Dogecoin', DOGE, P2WPKH],
    ['a witness on Bitcoin Cash', BCH, P2WPKH],
    ['cashaddr on Bitcoin', BTC, CASH],
    ['a mistyped key hash', BTC, '1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMh'],
    ['base58 in lower case', BTC, '1bggz9tcn4rm9kbzdn7kprqz87sz26samh'],
    ['21 bytes after the version', BTC, base58(0x00, `${HASH}00`)],
    ['a valid checksum over no address', BCH, 'bitcoincash:qpzry9x8gf2tvdw0s3jn54khce6mua7lcw20ayyn'],
    ['a checksum of another prefix', BCH, 'bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t'],
    ['that without its prefix', BCH, 'pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t'],
    ['24 bytes', BCH, 'bitcoincash:q9adhakpwzztepkpwp5z0dq62m6u5v5xtyj7j3h2ws4mr9g0'],
    ['32 bytes of a key', BCH, 'bitcoincash:qvch8mmxy0rtfrlarg7ucrxxfzds5pamg73h7370aa87d80gyhqxq5nlegake'],
    [
      '64 bytes',
      BCH,
      'bitcoincash:qlg0x333p4238k0qrc5ej7rzfw5g8e4a4r6vvzyrcy8j3s5k0en7calvclhw46hudk5flttj6ydvjc0pv3nchp52amk97tqa5zygg96mtky5sv5w',
    ],
    ['a prefix twice', BCH, `bitcoincash:${CASH}`],
    ['a prefix in another case', BCH, `BITCOINCASH:${CASH.slice(12)}`],
    ['cashaddr of mixed case', BCH, CASH.replace('qpm2', 'qPm2')],
    ['a mistyped cashaddr', BCH, CASH.replace('qpm2', 'qpm3')],
    ['nothing', BTC, ''],
    ['a space', BTC, ` ${P2WPKH}`],
    ['a line behind', BTC, `${base58(0x00)}\n`],
    ['a line behind cashaddr', BCH, `${CASH}\n`],
    ['a very long text', BTC, '1'.repeat(1_000_000)],
    ['a very long witness', BTC, `bc1${'q'.repeat(1_000_000)}`],
    ['a very long cashaddr', BCH, 'q'.repeat(1_000_000)],
    ['letters of other scripts', BTC, 'ｂｃ1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['an address of an EVM chain', BTC, `0x${HASH}`],
    ['another chain', 1, P2WPKH],
  ])('is %s', (_what, chainId, text) => {
    expect(scriptOf(chainId, text)).toBeNull();
  });

  it('is a cashaddr whose reserved bit is set', () => {
    expect(readCashAddress('prefix:0qxsg0rgpa')).toBeNull();
  });
});
