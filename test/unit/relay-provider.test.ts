import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RelayApi, type RelayAnswer } from '../../src/providers/relay/relay-api.ts';
import { RelayProvider } from '../../src/providers/relay/relay-provider.ts';
import type { RelayQuote } from '../../src/providers/relay/quote/relay-quote.ts';
import { RelayStore } from '../../src/providers/relay/quote/relay-store.ts';
import { PlaceTaken } from '../../src/providers/shared/quote-store.ts';
import {
  ProviderCredentials,
  ProviderRefused,
  ProviderUnavailable,
} from '../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { UnfitQuote } from '../../src/ports/unfit-quote.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import {
  BASE_USDC,
  chainsAnswer,
  DEPOSIT_ADDRESS,
  EVM_WALLET,
  quoteAnswer,
  REQUEST,
  REQUEST_ID,
  SOLANA,
  SOLANA_NATIVE,
  SOLANA_USDC,
  ZERO_ADDRESS,
} from '../support/relay-answers.ts';
import { RELAY_OPTIONS } from '../support/relay-rows.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const FRESH_MS = 60_000;

const json = (value: unknown): RelayAnswer => ({ kind: 'json', value });
const error = (httpStatus: number, code: string | null): RelayAnswer => ({
  kind: 'error',
  httpStatus,
  code,
  message: 'no',
});

/** Answers by a script, and records the requests. */
class ScriptedApi extends RelayApi {
  readonly posts: { path: string; body: object }[] = [];
  chains: RelayAnswer = json(chainsAnswer());
  onPost: (path: string) => RelayAnswer = () => json(quoteAnswer());

  constructor() {
    super({ baseUrl: 'http://127.0.0.1:9', apiKey: 'relay-key-1', timeoutMs: 1_000, maxConcurrency: 1 });
  }

  override get(): Promise<RelayAnswer> {
    return Promise.resolve(this.chains);
  }

  override post(path: string, body: object): Promise<RelayAnswer> {
    this.posts.push({ path, body });
    return Promise.resolve(this.onPost(path));
  }
}

class MemoryStore extends RelayStore {
  readonly quotes: RelayQuote[] = [];
  failure: Error | null = null;

  constructor() {
    super({ query: () => Promise.reject(new StoreUnavailable()) }, 1_000);
  }

  override add(quote: RelayQuote): Promise<void> {
    if (this.failure !== null) return Promise.reject(this.failure);
    this.quotes.push(quote);
    return Promise.resolve();
  }
}

let api: ScriptedApi;
let store: MemoryStore;
let clock: FakeClock;
let provider: RelayProvider;

beforeEach(() => {
  api = new ScriptedApi();
  store = new MemoryStore();
  clock = new FakeClock();
  provider = new RelayProvider(RELAY_OPTIONS, api, store, clock, clock.timers);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await api.close(0);
});

describe("a quote of Relay's", () => {
  it('is refused without asking for it where it can be seen that Relay would refuse', async () => {
    await provider.checkQuote(REQUEST);
    const unpayable = { ...REQUEST, fromChainId: 137, fromToken: ZERO_ADDRESS };
    const refusal = { code: 'provider_refused', httpStatus: 422, field: 'fromToken' };
    await expect(provider.checkQuote(unpayable)).rejects.toMatchObject(refusal);
    await expect(provider.createQuote(unpayable)).rejects.toMatchObject(refusal);
    expect(api.posts).toEqual([]);
  });

  it('is stored before it is answered, with all that its status needs', async () => {
    const quote = await provider.createQuote(REQUEST);
    expect(quote).toMatchObject({
      quoteId: expect.stringMatching(UUID),
      expiresIn: 300,
      expectedMs: 12_000,
      depositAddress: DEPOSIT_ADDRESS,
    });
    expect(api.posts.map(({ path }) => path)).toEqual(['/quote/v2']);
    const now = clock.now();
    expect(store.quotes).toEqual([
      {
        quoteId: quote.quoteId,
        requestId: REQUEST_ID,
        depositAddress: DEPOSIT_ADDRESS,
        from: { chainId: 8453, chainName: 'Base', address: BASE_USDC, symbol: 'USDC', decimals: 6 },
        to: { chainId: 42161, chainName: 'Arbitrum', address: ZERO_ADDRESS, symbol: 'ETH', decimals: 18 },
        amount: '25500000',
        minAmountOut: '4000000000000000',
        recipient: EVM_WALLET,
        createdAt: now,
        expiresAt: new Date(now.getTime() + 300_000),
      },
    ]);
    expect(JSON.parse(quote.text)).toMatchObject({
      success: true,
      quoteId: quote.quoteId,
      send: { depositAddress: DEPOSIT_ADDRESS, amount: '25.5' },
      statusUrl: `/api/status/${quote.quoteId}`,
    });
  });

  it('is shown to nobody when it pays somebody else', async () => {
    const answer = quoteAnswer();
    answer.details['recipient'] = '0x6666666666666666666666666666666666666666';
    api.onPost = () => json(answer);
    const failure = await provider.createQuote(REQUEST).catch((thrown: unknown) => thrown);
    expect(failure).toEqual(new UnfitQuote('recipient'));
    expect(store.quotes).toEqual([]);
  });

  it('is shown to nobody when its address belongs to another quote', async () => {
    store.failure = new PlaceTaken();
    await expect(provider.createQuote(REQUEST)).rejects.toEqual(
      new UnfitQuote('deposit address of another quote'),
    );
  });

  it('is not answered when it could not be stored', async () => {
    store.failure = new StoreUnavailable();
    await expect(provider.createQuote(REQUEST)).rejects.toBe(store.failure);
  });

  it.each([
    [error(400, 'AMOUNT_TOO_LOW'), ProviderRefused],
    [{ kind: 'credentials' } as const, ProviderCredentials],
    [
      { kind: 'unavailable', reason: 'status 429', httpStatus: 429, retryAfterMs: null } as const,
      ProviderUnavailable,
    ],
    [json('<html>'), ProviderUnavailable],
  ])('that is answered with %j fails as the port says', async (answer, kind) => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    api.onPost = () => answer;
    await expect(provider.createQuote(REQUEST)).rejects.toBeInstanceOf(kind);
    expect(store.quotes).toEqual([]);
  });

  it('waits for the chains, without which no amount can be read', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    api.chains = { kind: 'unavailable', reason: 'timeout', httpStatus: null, retryAfterMs: null };
    await expect(provider.createQuote(REQUEST)).rejects.toEqual(new ProviderUnavailable('timeout'));
    expect(api.posts).toEqual([]);
  });
});

describe('the chains of the spec', () => {
  it('are those that can be paid on by deposit address', async () => {
    const { success, chains } = JSON.parse(await provider.readChains()) as {
      success: boolean;
      chains: { id: number }[];
    };
    expect(success).toBe(true);
    expect(chains.map(({ id }) => id)).toEqual([
      1,
      10,
      56,
      137,
      8453,
      42161,
      42220,
      43114,
      SOLANA,
      8_253_038,
      728_126_428,
      77,
    ]);
    expect(chains[3]).toEqual({ id: 137, name: 'Polygon', shortName: 'matic', nativeToken: 'MATIC' });
  });
});

describe('a search for tokens', () => {
  const token = (chainId: number, address: string, vmType: string, more: object = {}) => ({
    chainId,
    address,
    symbol: 'T',
    name: 'Token',
    decimals: 6,
    vmType,
    metadata: { logoURI: 'https://logo.example/t.png', verified: true },
    ...more,
  });
  const found = async (answer: unknown, limit?: number) => {
    api.onPost = () => json(answer);
    const search = limit === undefined ? {} : { limit };
    const text = await provider.searchCurrencies(search);
    return (JSON.parse(text) as { currencies: { address: string }[] }).currencies;
  };

  it('passes on every field, with the limit of the spec', async () => {
    const search = {
      chainIds: [8453],
      term: 'usdc',
      address: BASE_USDC,
      verified: true,
      defaultList: false,
      includeAllChains: true,
      useExternalSearch: false,
    };
    api.onPost = () => json([]);
    await provider.searchCurrencies(search);
    await provider.searchCurrencies({ limit: 1_000 });
    expect(api.posts).toEqual([
      { path: '/currencies/v2', body: { ...search, limit: 20 } },
      { path: '/currencies/v2', body: { limit: 100 } },
    ]);
  });

  it.each([
    [[SOLANA], { address: SOLANA_NATIVE }],
    [[8453, 1], { address: ZERO_ADDRESS }],
    [[], { address: ZERO_ADDRESS }],
    [undefined, { address: ZERO_ADDRESS }],
    [[999], { address: ZERO_ADDRESS }],
    [[1, SOLANA], { tokens: [`1:${ZERO_ADDRESS}`, `${SOLANA}:${SOLANA_NATIVE}`] }],
  ])('for the native tokens of %j asks for %j', async (chainIds, asked) => {
    api.onPost = () => json([]);
    const chains = chainIds === undefined ? {} : { chainIds };
    await provider.searchCurrencies({ address: ZERO_ADDRESS, ...chains });
    expect(api.posts[0]?.body).toEqual({ ...chains, ...asked, limit: 20 });
  });

  it('shows addresses as the spec has them, and base58 ones as they are', async () => {
    const currencies = await found([
      token(8453, BASE_USDC.toUpperCase().replace('0X', '0x'), 'evm'),
      token(SOLANA, SOLANA_USDC, 'svm'),
      token(SOLANA, SOLANA_NATIVE, 'svm'),
      token(5, 'native', 'newvm', { metadata: { isNative: true } }),
      token(1, ZERO_ADDRESS, 'evm'),
    ]);
    expect(currencies.map(({ address }) => address)).toEqual([
      BASE_USDC,
      SOLANA_USDC,
      ZERO_ADDRESS,
      ZERO_ADDRESS,
      ZERO_ADDRESS,
    ]);
    expect(currencies[1]).toEqual(token(SOLANA, SOLANA_USDC, 'svm'));
  });

  it('leaves out what is on a chain that Relay has switched off', async () => {
    const currencies = await found([
      token(7_777_777, ZERO_ADDRESS, 'evm'),
      token(8453, BASE_USDC, 'evm'),
      token(999_999, BASE_USDC, 'evm'),
    ]);
    expect(currencies).toEqual([token(8453, BASE_USDC, 'evm'), token(999_999, BASE_USDC, 'evm')]);
  });

  it('leaves out what cannot be read', async () => {
    const bad = [null, 7, {}, token(1, '', 'evm'), token(1, BASE_USDC, 'evm', { decimals: 1.5 })];
    expect(
      await found([...bad, token(1, BASE_USDC, 'evm', { vmType: null, metadata: null, name: 1 })]),
    ).toEqual([
      { chainId: 1, address: BASE_USDC, symbol: 'T', name: 'T', decimals: 6, vmType: 'evm', metadata: {} },
    ]);
  });

  it('falls back to the older list where there is no newer one, flattened and cut', async () => {
    const groups = [
      [token(1, BASE_USDC, 'evm'), token(10, BASE_USDC, 'evm')],
      [token(8453, BASE_USDC, 'evm')],
    ];
    for (const missing of [
      error(404, null),
      { kind: 'unavailable', reason: 'status 404', httpStatus: 404, retryAfterMs: null } as const,
    ]) {
      clock.advance(FRESH_MS);
      api.onPost = (path) => (path === '/currencies/v2' ? missing : json(groups));
      const text = await provider.searchCurrencies({ limit: 2 });
      expect((JSON.parse(text) as { currencies: object[] }).currencies).toHaveLength(2);
    }
    expect(api.posts.map(({ path }) => path)).toEqual(
      ['v2', 'v1', 'v2', 'v1'].map((version) => `/currencies/${version}`),
    );
  });

  it('is asked once a minute for equal searches', async () => {
    const text = await provider.searchCurrencies({ term: 'usdc' }).catch(() => 'x');
    expect(text).toBe('x');
    api.onPost = () => json([]);
    const searches = [{ term: 'eth' }, { term: 'eth' }, { term: 'ETH' }];
    await Promise.all(searches.map((search) => provider.searchCurrencies(search)));
    await provider.searchCurrencies({ term: 'eth' });
    expect(api.posts).toHaveLength(3);
    clock.advance(FRESH_MS);
    await provider.searchCurrencies({ term: 'eth' });
    expect(api.posts).toHaveLength(4);
  });

  it('keeps a bounded number of answers', async () => {
    api.onPost = () => json([]);
    for (let i = 0; i <= 200; i += 1) await provider.searchCurrencies({ term: `t${i}` });
    await provider.searchCurrencies({ term: 't200' });
    expect(api.posts).toHaveLength(201);
    await provider.searchCurrencies({ term: 't0' });
    expect(api.posts).toHaveLength(202);
  });

  it('that is answered with no list fails', async () => {
    await expect(found({ currencies: [] })).rejects.toBeInstanceOf(ProviderUnavailable);
  });

  it('works while the chains are away', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    api.chains = { kind: 'unavailable', reason: 'timeout', httpStatus: null, retryAfterMs: null };
    expect(await found([token(SOLANA, SOLANA_NATIVE, 'svm')])).toMatchObject([{ address: ZERO_ADDRESS }]);
  });
});

describe('the relay provider', () => {
  it('states its limits and its name', () => {
    expect([provider.name, provider.limits]).toEqual([
      'relay',
      { maxConcurrency: 4, batchSize: 40, timeoutMs: 1_000, maxRpm: 200, ownRpm: 15, maxQuotesPerMinute: 50 },
    ]);
  });
});
