import { describe, expect, it } from '@jest/globals';

import { payableAt, parseChains } from '../../src/providers/relay/catalog/parse-chains.ts';
import type { RelayAnswer } from '../../src/providers/relay/relay-api.ts';
import { RelayChains } from '../../src/providers/relay/catalog/relay-chains.ts';
import { ProviderCredentials, ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import {
  BASE_USDC,
  BITCOIN,
  BITCOIN_NATIVE,
  chainsAnswer,
  knownChains,
  SOLANA,
  SOLANA_NATIVE,
  SOLANA_USDC,
  TRON,
  TRON_NATIVE,
  ZERO_ADDRESS,
} from '../support/relay-answers.ts';

const FRESH_MS = 300_000;
const DOWN: RelayAnswer = { kind: 'unavailable', reason: 'status 503', httpStatus: 503, retryAfterMs: 7_000 };

const chainOf = (id: number) => {
  const chain = knownChains().get(id);
  if (chain === undefined) throw new Error(`There is no chain ${id}.`);
  return chain;
};

describe("Relay's chains", () => {
  it.each([
    [1, 'Ethereum', 'eth', 'ETH'],
    [10, 'Optimism', 'op', 'ETH'],
    [56, 'BNB Chain', 'bnb', 'BNB'],
    [137, 'Polygon', 'matic', 'MATIC'],
    [8453, 'Base', 'base', 'ETH'],
    [42161, 'Arbitrum', 'arb', 'ETH'],
    [42220, 'Celo', 'celo', 'CELO'],
    [43114, 'Avalanche', 'avax', 'AVAX'],
    [SOLANA, 'Solana', 'sol', 'SOL'],
    [BITCOIN, 'Bitcoin', 'bitcoin', 'BTC'],
    [77, 'Strange', 'strange', 'DRM'],
  ])('have the names of the spec, or their own: %i is %s, %s, %s', (id, name, shortName, nativeToken) => {
    expect(chainOf(id)).toMatchObject({ id, name, shortName, nativeToken });
  });

  it.each([
    [8453, ['ETH', 'USDC']],
    [137, ['USDC']],
    [42220, ['USDC']],
    [43114, ['USDC']],
    [7_777_777, []],
    [34_443, []],
    [59_144, []],
  ])('of %i can be paid with %j', (id, symbols) => {
    expect(chainOf(id).payable.map(({ symbol }) => symbol)).toEqual(symbols);
  });

  it('without a list of what is taken can be paid with what is bridged', () => {
    const erc20Currencies = [
      { symbol: 'USDC', address: BASE_USDC, decimals: 6, supportsBridging: true },
      { symbol: 'OLD', address: `0x${'12'.repeat(20)}`, decimals: 18, supportsBridging: false },
    ];
    const currency = { symbol: 'ETH', address: ZERO_ADDRESS, decimals: 18, supportsBridging: true };
    const answer = { chains: [{ id: 8453, vmType: 'evm', currency, erc20Currencies }] };
    const payable = parseChains(answer)?.get(8453)?.payable ?? [];
    expect(payable.map(({ symbol }) => symbol)).toEqual(['ETH', 'USDC']);
  });

  it('do not take a native token that is listed but can not be bridged', () => {
    const chain = {
      id: 137,
      vmType: 'evm',
      currency: { symbol: 'POL', address: ZERO_ADDRESS, decimals: 18, supportsBridging: false },
      solverCurrencies: [{ symbol: 'POL', address: ZERO_ADDRESS, decimals: 18 }],
    };
    expect(parseChains({ chains: [chain] })?.get(137)?.payable).toEqual([]);
  });

  it.each([
    [8453, ZERO_ADDRESS, 'ETH'],
    [8453, BASE_USDC.toUpperCase().replace('0X', '0x'), 'USDC'],
    [SOLANA, ZERO_ADDRESS, 'SOL'],
    [SOLANA, SOLANA_NATIVE, 'SOL'],
    [SOLANA, SOLANA_USDC, 'USDC'],
    [SOLANA, SOLANA_USDC.toLowerCase(), undefined],
    [137, ZERO_ADDRESS, undefined],
    [8453, `0x${'9'.repeat(40)}`, undefined],
  ])('on %i have at %s the token %s', (id, address, symbol) => {
    expect(payableAt(chainOf(id), address)?.symbol).toBe(symbol);
  });

  it.each([
    [BITCOIN, BITCOIN_NATIVE],
    [TRON, TRON_NATIVE],
    [77, 'dream'],
  ])('on %i have their native token at %s', (id, address) => {
    expect(chainOf(id).nativeAddress).toBe(address);
  });

  it('know the native address of a machine where Relay does not say it', () => {
    const chains = parseChains({ chains: [{ id: 5, vmType: 'svm' }, { id: 6, vmType: 'newvm' }, { id: 7 }] });
    expect([5, 6, 7].map((id) => chains?.get(id)?.nativeAddress)).toEqual([SOLANA_NATIVE, null, null]);
  });

  it.each([null, [], {}, { chains: {} }, { chains: [] }, { chains: [null, { id: -1 }] }, '<html>'])(
    'are none in %j',
    (value) => {
      expect(parseChains(value)).toBeNull();
    },
  );

  it('are read whatever their fields are', () => {
    const odd = {
      id: 3,
      solverCurrencies: [1, { address: 'x', decimals: 300 }, null],
      currency: 'ETH',
      depositFee: 0.8,
    };
    expect(parseChains({ chains: [odd] })?.get(3)).toEqual({
      id: 3,
      name: 'Chain 3',
      shortName: '3',
      nativeToken: '',
      vmType: 'unknown',
      nativeAddress: null,
      isDisabled: false,
      payable: [],
    });
  });
});

describe('the cache of chains', () => {
  const scene = () => {
    const clock = new FakeClock();
    const asked: string[] = [];
    const script = { answer: { kind: 'json', value: chainsAnswer() } as RelayAnswer };
    const api = {
      get: (path: string) => {
        asked.push(path);
        return Promise.resolve(script.answer);
      },
    };
    return { clock, asked, script, chains: new RelayChains(api, clock.timers) };
  };

  it('is filled once for all who ask, and for five minutes', async () => {
    const { clock, asked, chains } = scene();
    await Promise.all([chains.all(), chains.all(), chains.all()]);
    clock.advance(FRESH_MS - 1);
    expect((await chains.all()).size).toBe(knownChains().size);
    expect(asked).toEqual(['/chains']);
    clock.advance(1);
    await chains.all();
    expect(asked).toHaveLength(2);
  });

  it('serves what it has while Relay is down, and does not ask at each call', async () => {
    const { clock, asked, script, chains } = scene();
    const first = await chains.all();
    clock.advance(FRESH_MS);
    script.answer = DOWN;
    expect([await chains.all(), await chains.all()]).toEqual([first, first]);
    expect(asked).toHaveLength(2);
    clock.advance(10_000);
    script.answer = { kind: 'json', value: { chains: [{ id: 99 }] } };
    expect([...(await chains.all()).keys()]).toEqual([99]);
  });

  it('keeps what it has when the answer can not be read', async () => {
    const { clock, script, chains } = scene();
    const first = await chains.all();
    clock.advance(FRESH_MS);
    script.answer = { kind: 'json', value: { chains: [] } };
    expect(await chains.all()).toBe(first);
  });

  it.each([
    [DOWN, new ProviderUnavailable('status 503', 7_000)],
    [{ kind: 'credentials' } as const, new ProviderCredentials()],
    [
      { kind: 'error', httpStatus: 404, code: null, message: 'no' } as const,
      new ProviderUnavailable('status 404'),
    ],
    [{ kind: 'json', value: '<html>' } as const, new ProviderUnavailable('unreadable answer')],
  ])("is Relay's failure %j as long as there never was a list", async (answer, error) => {
    const { script, chains } = scene();
    script.answer = answer;
    await expect(chains.all()).rejects.toEqual(error);
  });
});
