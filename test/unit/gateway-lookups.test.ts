import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ProviderCredentials, ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { CHAINS_TEXT } from '../support/fakes/provider.fake.ts';
import { QUOTE_BODY, startGateway } from '../support/gateway-app.ts';
import type { SliceApp } from '../support/slice-app.ts';
import { waitFor } from '../support/wait-for.ts';

const FRESH_MS = 300_000;
let app: SliceApp;

beforeEach(async () => {
  app = await startGateway();
});
afterEach(() => app.stop());

describe('the chains', () => {
  it('are answered verbatim and read once in five minutes', async () => {
    for (let i = 0; i < 3; i += 1) expect((await app.get('/api/chains')).text).toBe(CHAINS_TEXT);
    await app.post('/api/quote', QUOTE_BODY);
    expect(app.provider.chainReads).toBe(1);
    app.clock.advance(FRESH_MS);
    app.provider.onChains = () => '{"chains":[{"id":8453}],"new":1}';
    expect((await app.get('/api/chains')).text).toBe('{"chains":[{"id":8453}],"new":1}');
  });

  it('are read once for all who ask at the same time', async () => {
    const answers: ((text: string) => void)[] = [];
    app.provider.onChains = () => new Promise((resolve) => answers.push(resolve));
    const asking = Array.from({ length: 10 }, () => app.get('/api/chains'));
    await waitFor(() => app.provider.chainReads > 0);
    for (const answer of answers) answer(CHAINS_TEXT);
    expect(new Set((await Promise.all(asking)).map(({ text }) => text))).toEqual(new Set([CHAINS_TEXT]));
    expect(app.provider.chainReads).toBe(1);
  });

  it('are served stale while the provider is down, which is not asked at each request', async () => {
    await app.get('/api/chains');
    app.clock.advance(FRESH_MS);
    app.provider.onChains = () => Promise.reject(new ProviderUnavailable('down'));
    for (let i = 0; i < 3; i += 1) expect((await app.get('/api/chains')).text).toBe(CHAINS_TEXT);
    expect(app.provider.chainReads).toBe(2);
    app.clock.advance(10_000);
    app.provider.onChains = () => '{"chains":[]}';
    expect((await app.get('/api/chains')).text).toBe('{"chains":[]}');
  });

  it("are the provider's error when there never was a list, and come with its recovery", async () => {
    app.provider.onChains = () => Promise.reject(new ProviderUnavailable('down', 9_000));
    const answer = await app.get('/api/chains');
    expect([answer.status, answer.json.code]).toEqual([503, 'provider_unavailable']);
    expect(answer.headers.get('retry-after')).toBe('9');
    app.provider.onChains = () => CHAINS_TEXT;
    expect((await app.get('/api/chains')).status).toBe(200);
  });
});

describe('a token search', () => {
  it('passes on what was given and nothing else, and answers verbatim', async () => {
    const text =
      '{ "success":true, "currencies":[ {"decimals":6, "supply":123456789012345678901234567890} ] }';
    app.provider.onSearch = () => text;
    const search = { chainIds: [8453], term: 'usdc', verified: false, limit: 100, includeAllChains: true };
    const answer = await app.post('/api/currencies', { ...search, address: null, other: 1 });
    expect([answer.status, answer.text]).toEqual([200, text]);
    await app.post('/api/currencies', {});
    await app.post('/api/currencies', '');
    expect(app.provider.searches).toEqual([search, {}, {}]);
  });

  it.each([
    ['chainIds', 8453],
    ['chainIds', ['8453']],
    ['chainIds', [1.5]],
    ['chainIds', Array.from({ length: 101 }, (_, i) => i + 1)],
    ['address', 7],
    ['address', 'x'.repeat(201)],
    ['term', ['a']],
    ['term', 'a\u0001'],
    ['limit', 0],
    ['limit', 101],
    ['limit', 1.5],
    ['limit', '20'],
    ['verified', 'true'],
    ['defaultList', 1],
    ['includeAllChains', 'no'],
    ['useExternalSearch', {}],
  ])('refuses %s = %j, naming it, and asks nobody', async (field, value) => {
    const answer = await app.post('/api/currencies', { [field]: value });
    expect([answer.status, answer.json.errors]).toEqual([
      400,
      [{ field, message: expect.stringMatching(/^must be /) }],
    ]);
    expect(app.provider.calls).toBe(0);
  });

  it("that the provider does not answer is the provider's error", async () => {
    app.provider.onSearch = () => Promise.reject(new ProviderCredentials());
    expect((await app.post('/api/currencies', {})).status).toBe(502);
  });
});
