import { describe, expect, it } from '@jest/globals';
import { base58 } from '@scure/base';

import { CHAINS } from '../../src/providers/sandbox/sandbox-chains.ts';
import { searchSandbox } from '../../src/providers/sandbox/sandbox-provider.ts';
import { NATIVE_ADDRESS, nativeTokenOf, TOKENS } from '../../src/providers/sandbox/sandbox-tokens.ts';

const SOLANA = 792703809;
const BASE_USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

describe("the sandbox's tables", () => {
  it('have on each chain the native token of the spec, USDC and USDT', () => {
    for (const chain of CHAINS) {
      expect(nativeTokenOf(chain.id)).toMatchObject({ symbol: chain.nativeToken, address: NATIVE_ADDRESS });
      const symbols = TOKENS.filter((token) => token.chainId === chain.id).map((token) => token.symbol);
      expect(symbols).toEqual(expect.arrayContaining(['USDC', 'USDT']));
    }
  });

  it('have each address once a chain, lowercase on EVM chains and 32 bytes of base58 on Solana', () => {
    const keys = TOKENS.map((token) => `${token.chainId} ${token.address}`);
    expect(new Set(keys).size).toBe(keys.length);
    const contracts = TOKENS.filter((token) => token.address !== NATIVE_ADDRESS);
    const mints = contracts.filter(({ chainId }) => chainId === SOLANA);
    const evm = contracts.filter(({ chainId }) => chainId !== SOLANA);
    for (const { address } of mints) expect(base58.decode(address)).toHaveLength(32);
    for (const { address } of evm) expect(address).toMatch(/^0x[0-9a-f]{40}$/);
  });

  it('know that USDC and USDT have 18 decimals on BNB Chain and 6 elsewhere', () => {
    for (const token of TOKENS.filter(({ symbol }) => symbol === 'USDC' || symbol === 'USDT'))
      expect(token.decimals).toBe(token.chainId === 56 ? 18 : 6);
  });
});

describe('the currency search of the sandbox', () => {
  it("answers with the spec's Currency objects", () => {
    expect(searchSandbox({ address: BASE_USDC.toUpperCase() })).toEqual([
      {
        chainId: 8453,
        address: BASE_USDC,
        symbol: 'USDC',
        name: 'USD Coin',
        decimals: 6,
        vmType: 'evm',
        metadata: { logoURI: expect.stringMatching(/^https:\/\/.+\/usdc\.svg$/), verified: true },
      },
    ]);
  });

  it('keeps the case of a Solana address, however it was searched for', () => {
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    expect(searchSandbox({ address: mint.toLowerCase() })).toMatchObject([{ address: mint, vmType: 'svm' }]);
  });

  it('finds by symbol or name, the exact symbol first', () => {
    const found = searchSandbox({ term: 'usdc', chainIds: [137, 42161] });
    expect(found.map(({ symbol }) => symbol)).toEqual(['USDC', 'USDC', 'USDC.e', 'USDC.e']);
    expect(searchSandbox({ term: 'tether', limit: 100 })).toHaveLength(9);
    expect(searchSandbox({ term: 'no such token' })).toEqual([]);
  });

  it('answers only verified tokens when asked to', () => {
    const search = { term: 'USDC', limit: 100 };
    const unverified = searchSandbox(search).filter(({ metadata }) => !metadata.verified);
    expect(unverified.map(({ symbol }) => symbol)).toEqual(['USDC.e', 'USDC.e']);
    expect(searchSandbox({ ...search, verified: true })).toHaveLength(9);
  });

  it('answers 20 by default, at most 100, and never fails on an odd limit', () => {
    expect(searchSandbox({})).toHaveLength(20);
    expect(searchSandbox({ limit: 3 })).toHaveLength(3);
    expect(searchSandbox({ limit: 5_000 }).length).toBe(Math.min(TOKENS.length, 100));
    expect(searchSandbox({ limit: 0 })).toHaveLength(1);
    expect(searchSandbox({ limit: Number.NaN })).toHaveLength(20);
  });

  it('has a default list of the native token and the dollars of each chain', () => {
    expect(searchSandbox({ defaultList: true, limit: 100 })).toHaveLength(27);
    expect(searchSandbox({ defaultList: true, chainIds: [1] }).map(({ symbol }) => symbol)).toEqual([
      'ETH',
      'USDC',
      'USDT',
    ]);
  });

  it('shows the namesakes on all chains when asked to', () => {
    const everywhere = searchSandbox({ address: BASE_USDC, includeAllChains: true });
    expect(everywhere).toHaveLength(9);
    expect(new Set(everywhere.map(({ symbol }) => symbol))).toEqual(new Set(['USDC']));
  });

  it('finds nothing more with the external search, since it asks nobody', () => {
    expect(searchSandbox({ term: 'PEPE', useExternalSearch: true })).toEqual([]);
  });
});
