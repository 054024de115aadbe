import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { ChainList } from '../../../src/features/quotes/chain-list.ts';
import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
} from '../../../src/ports/payment-provider.ts';
import { CHAINS_TEXT, quoteText } from '../../support/fakes/provider.fake.ts';
import { QUOTE_BODY, startGateway } from '../../support/quotes-app.ts';
import type { FeatureApp } from '../../support/feature-app.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

export function lookupsSuite(): void {
  describe('lookups', () => {
    const FRESH_MS = 300_000;
    let app: FeatureApp;
    let recordQuoting: jest.SpiedFunction<FeatureApp['circuit']['recordQuoting']>;

    beforeEach(async () => {
      app = await startGateway();
      recordQuoting = jest.spyOn(app.circuit, 'recordQuoting');
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

    describe('the list of chains that is kept', () => {
      const failing = (): Promise<string> => Promise.reject(new ProviderUnavailable('down'));
      const misconfigured = new ProviderMisconfigured('GET https://pay.example/api/chains');
      let said: string[];
      let chains: ChainList;

      beforeEach(() => {
        said = [];
        for (const level of ['warn', 'log'] as const)
          jest
            .spyOn(Logger.prototype, level)
            .mockImplementation((line: unknown) => void said.push(`${level} ${String(line)}`));
        chains = new ChainList(app.cells.preferred, app.clock.timers);
      });
      afterEach(() => {
        jest.restoreAllMocks();
      });

      it('is read every five minutes, and every five seconds while it fails; both are logged once, and shown in health', async () => {
        expect(await chains.refresh()).toBe(FRESH_MS);
        app.provider.onChains = failing;
        app.clock.advance(FRESH_MS);
        for (let time = 0; time < 3; time += 1) {
          expect(await chains.refresh()).toBe(5_000);
          app.clock.advance(5_000);
        }
        app.provider.onChains = () => CHAINS_TEXT;
        expect(await chains.refresh()).toBe(FRESH_MS);
        expect(app.provider.chainReads).toBe(5);
        expect(
          recordQuoting.mock.calls.map(([lookup, failure]) => [lookup, (failure as Error | null)?.message]),
        ).toEqual([
          ['chains', undefined],
          ...Array.from({ length: 3 }, () => ['chains', 'The payment provider is not available: down']),
          ['chains', undefined],
        ]);
        expect(said).toEqual([
          'warn the list of chains of http could not be read: The payment provider is not available: down',
          'log the list of chains of http is read again',
        ]);
      });

      it('waits for as long as the provider asks, and says which URL was asked', async () => {
        app.provider.onChains = () => Promise.reject(new ProviderUnavailable('status 429', 60_000));
        expect(await chains.refresh()).toBe(60_000);
        expect(await chains.refresh()).toBe(60_000);
        expect(app.provider.chainReads).toBe(1);
        app.provider.urlOf = () => 'GET https://pay.example/api/chains';
        app.provider.onChains = () => Promise.reject(new ProviderCredentials());
        app.clock.advance(60_000);
        await chains.refresh();
        app.provider.onChains = () => Promise.reject(misconfigured);
        app.clock.advance(5_000);
        await chains.refresh();
        expect(said.slice(1)).toEqual([
          'warn the list of chains of http could not be read: GET https://pay.example/api/chains: The payment provider does not accept the key that this service sends.',
          'warn the list of chains of http could not be read: GET https://pay.example/api/chains answered 404. Check PROVIDER_BASE_URL (without /api).',
        ]);
      });

      it('is not read anew by a correction of the clock', async () => {
        await chains.refresh();
        for (const ms of [86_400_000, -172_800_000]) {
          app.clock.jump(ms);
          expect(await chains.refresh()).toBe(FRESH_MS);
          await chains.text();
        }
        expect(app.provider.chainReads).toBe(1);
      });

      it('is read again soon after something else failed, and not at each failure', async () => {
        await chains.refresh();
        for (let time = 0; time < 50; time += 1) {
          chains.requestRead();
          await chains.refresh();
          app.clock.advance(100);
        }
        expect(app.provider.chainReads).toBe(3);
      });

      it('is no trouble once the service stops', async () => {
        app.provider.onChains = failing;
        chains.stop();
        await chains.refresh();
        expect([said, recordQuoting.mock.calls]).toEqual([[], []]);
      });
    });

    describe('quotes and searches', () => {
      it('are shown in health, and make the chains doubted where the provider is at fault', async () => {
        await app.get('/api/chains');
        const failures = [new ProviderCredentials(), new ProviderRefused(422, 'no'), null];
        for (const failure of failures) {
          app.provider.onQuote = () => (failure === null ? quoteText('q') : Promise.reject(failure));
          app.provider.onSearch = () => (failure === null ? '{"currencies":[]}' : Promise.reject(failure));
          await app.post('/api/quote', QUOTE_BODY);
          await app.post('/api/currencies', {});
        }
        expect(recordQuoting.mock.calls).toEqual([
          ['chains', null],
          ...failures.flatMap((failure) => [
            ['quote', failure],
            ['currencies', failure],
          ]),
        ]);
      });

      it('of a provider that is not there are 502, and the log names the URL', async () => {
        app.provider.onQuote = () =>
          Promise.reject(new ProviderMisconfigured('POST https://pay.example/api/quote'));
        const { status, json } = await app.post('/api/quote', QUOTE_BODY);
        expect([status, json.code]).toEqual([502, 'provider_misconfigured']);
        expect(json.detail).toContain('PROVIDER_BASE_URL');
        expect(JSON.stringify(json)).not.toContain('pay.example');
      });
    });

    describe('a token search', () => {
      it('passes on what was given and nothing else, and answers verbatim', async () => {
        const text =
          '{ "success":true, "currencies":[ {"decimals":6, "supply":123456789012345678901234567890} ] }';
        app.provider.onSearch = () => text;
        const search = {
          chainIds: [8453],
          term: 'usdc',
          verified: false,
          limit: 100,
          includeAllChains: true,
        };
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
  });
}
