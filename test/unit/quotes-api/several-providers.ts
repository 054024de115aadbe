import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ChainLists } from '../../../src/features/quotes/chain-lists.ts';
import { QuotesSettings } from '../../../src/features/quotes/quotes.settings.ts';
import { ProviderCredentials, ProviderUnavailable } from '../../../src/ports/payment-provider.ts';
import { FakeProvider } from '../../support/fakes/provider.fake.ts';
import { FeatureApp } from '../../support/feature-app.ts';
import { QUOTE_BODY, startGateway } from '../../support/quotes-app.ts';

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const down = (): Promise<string> => Promise.reject(new ProviderUnavailable('down'));
const never = (): Promise<string> => new Promise(() => undefined);

const chains = (...entries: string[]): string => `{"success":true, "chains":[ ${entries.join(', ')} ]}`;
const currencies = (...entries: string[]): string => `{"success":true,"currencies":[${entries.join(',')}]}`;
const token = (chainId: number, address: string, more = ''): string =>
  `{"chainId":${chainId},"address":"${address}"${more}}`;

export function severalProvidersSuite(): void {
  describe('several providers', () => {
    let app: FeatureApp;
    let relay: FakeProvider;
    let oneclick: FakeProvider;

    beforeEach(async () => {
      oneclick = new FakeProvider('oneclick');
      app = await startGateway(new FeatureApp([oneclick]));
      relay = app.provider;
      relay.onChains = () => chains('{"id":8453,"name":"Base","fee":1.10}', '{"id":42161,"name":"Arbitrum"}');
      oneclick.onChains = () => chains('{"id":224235520,"name":"TON"}', '{"id":8453,"name":"base","x":1}');
    });
    afterEach(() => app.stop());

    const idsOf = (answer: { json: { chains: { id: number }[] } }): number[] =>
      answer.json.chains.map(({ id }) => id).sort((one, other) => one - other);

    describe('have their chains', () => {
      it('in one list: each once, with the fields of the preferred one, its digits, and the names of all that have it', async () => {
        expect((await app.get('/api/chains')).text).toBe(
          '{"success":true,"chains":[' +
            '{"id":8453,"name":"Base","fee":1.10,"metadata":{"providers":["http","oneclick"]}},' +
            '{"id":224235520,"name":"TON","metadata":{"providers":["oneclick"]}},' +
            '{"id":42161,"name":"Arbitrum","metadata":{"providers":["http"]}}]}',
        );
      });

      it('without those of one that is down from the start, which is not asked at each request, or does not answer', async () => {
        oneclick.onChains = down;
        for (let time = 0; time < 3; time += 1)
          expect(idsOf(await app.get('/api/chains'))).toEqual([8453, 42161]);
        expect([relay.chainReads, oneclick.chainReads]).toEqual([1, 1]);
        app.clock.advance(10_000);
        oneclick.onChains = never;
        expect(idsOf(await app.get('/api/chains'))).toEqual([8453, 42161]);
      });

      it('with the last list of one that is down, whoever it is, and nobody waits for it', async () => {
        await app.get('/api/chains');
        app.clock.advance(300_000);
        for (const provider of [relay, oneclick]) provider.onChains = never;
        expect(idsOf(await app.get('/api/chains'))).toEqual([8453, 42161, 224235520]);
      });

      it('not at all while all are down: the error is that of the preferred one', async () => {
        relay.onChains = () => Promise.reject(new ProviderCredentials());
        oneclick.onChains = down;
        expect((await app.get('/api/chains')).json.code).toBe('provider_credentials');
        expect((await app.post('/api/quote', { ...QUOTE_BODY, toChainId: 5 })).status).toBe(200);
        relay.onChains = () => chains('{"id":1}');
        expect(idsOf(await app.get('/api/chains'))).toEqual([1]);
      });

      it('known to who chooses a provider: true, false, or null before the first list; each list is as fresh as its own provider', async () => {
        const lists = new ChainLists(app.cells, app.clock.timers, new QuotesSettings());
        const answers = (): unknown[] =>
          ['http', 'oneclick'].map((name) => [lists.supports(name, 8453), lists.supports(name, 224235520)]);
        expect(answers()).toEqual([
          [null, null],
          [null, null],
        ]);
        oneclick.onChains = down;
        expect(await Promise.all(lists.all.map((list) => list.refresh()))).toEqual([300_000, 5_000]);
        expect(answers()).toEqual([
          [true, false],
          [null, null],
        ]);
        expect(() => lists.supports('other', 1)).toThrow('"other" is not configured');
      });
    });

    it('refuse a chain only when none has it, and let it pass while the list of one is not known', async () => {
      const quoteTo = (toChainId: number) => app.post('/api/quote', { ...QUOTE_BODY, toChainId });
      expect((await quoteTo(224235520)).status).toBe(200);
      expect((await quoteTo(56)).json.errors).toEqual([
        { field: 'toChainId', message: 'must be a chain of GET /api/chains' },
      ]);
      await app.stop();
      app = await startGateway(new FeatureApp([oneclick]));
      oneclick.onChains = down;
      expect((await app.post('/api/quote', { ...QUOTE_BODY, toChainId: 5 })).status).toBe(200);
    });

    it('let no quote wait for the list of one that is down, nor the list of chains', async () => {
      await app.stop();
      app = await startGateway(new FeatureApp([oneclick]), { laggardWaitMs: 3_000 });
      app.provider.onChains = relay.onChains;
      oneclick.onChains = down;
      await app.get('/api/chains');
      app.clock.advance(10_000);
      oneclick.onChains = never;
      const startedAt = performance.now();
      expect((await app.post('/api/quote', { ...QUOTE_BODY, toChainId: 42161 })).status).toBe(200);
      expect(idsOf(await app.get('/api/chains'))).toEqual([8453, 42161]);
      expect(performance.now() - startedAt).toBeLessThan(2_500);
    });

    describe('have their tokens', () => {
      it('in one list: an address in any case once, other addresses of a token apart, the best of each first', async () => {
        const wrapped = `0x${'4'.repeat(40)}`;
        relay.onSearch = () =>
          currencies(token(8453, USDC, ',"decimals":6,"metadata":{"verified":true}'), token(8453, wrapped));
        oneclick.onSearch = () =>
          currencies(
            token(224235520, 'EQb'),
            token(8453, USDC.toUpperCase().replace('X', 'x')),
            token(224235520, 'eqB'),
          );
        expect((await app.post('/api/currencies', {})).text).toBe(
          currencies(
            token(8453, USDC, ',"decimals":6,"metadata":{"verified":true,"providers":["http","oneclick"]}'),
            token(224235520, 'EQb', ',"metadata":{"providers":["oneclick"]}'),
            token(8453, wrapped, ',"metadata":{"providers":["http"]}'),
            token(224235520, 'eqB', ',"metadata":{"providers":["oneclick"]}'),
          ),
        );
        expect(
          (await app.post('/api/quote', { ...QUOTE_BODY, amount: '1.1234567' })).json.errors[0].field,
        ).toBe('amount');
      });

      it('up to the limit together, 20 by default', async () => {
        const many = (first: number): string[] =>
          Array.from({ length: 30 }, (_, index) =>
            token(8453, `0x${String(first + index).padStart(40, '0')}`),
          );
        relay.onSearch = () => currencies(...many(100));
        oneclick.onSearch = () => currencies(...many(200));
        const found = async (body: object): Promise<unknown[]> =>
          (await app.post('/api/currencies', body)).json.currencies;
        expect(await found({ limit: 3 })).toHaveLength(3);
        expect(await found({})).toHaveLength(20);
        expect(relay.searches).toEqual([{ limit: 3 }, {}]);
      });

      it('asked of those that have one of the chains, each about its own', async () => {
        await app.get('/api/chains');
        await app.post('/api/currencies', { chainIds: [224235520, 8453], term: 'usd' });
        await app.post('/api/currencies', { chainIds: [224235520] });
        expect((await app.post('/api/currencies', { chainIds: [56] })).json.currencies).toEqual([]);
        expect(relay.searches).toEqual([{ chainIds: [8453], term: 'usd' }]);
        expect(oneclick.searches).toEqual([
          { chainIds: [224235520, 8453], term: 'usd' },
          { chainIds: [224235520] },
        ]);
      });

      it.each([
        ['fails', down],
        ['does not answer', never],
      ])('without those of one that %s, unless all fail', async (_what, trouble) => {
        relay.onSearch = trouble;
        oneclick.onSearch = () => currencies(token(224235520, 'EQb'));
        expect((await app.post('/api/currencies', {})).json.currencies).toHaveLength(1);
        relay.onSearch = () => Promise.reject(new ProviderCredentials());
        oneclick.onSearch = down;
        expect((await app.post('/api/currencies', {})).json.code).toBe('provider_credentials');
      });

      it('left out where they are not readable', async () => {
        relay.onSearch = () => '{"currencies":[1,{"chainId":-1,"address":"a"},{"chainId":1},null]}';
        oneclick.onSearch = () => '{"success":true}';
        expect((await app.post('/api/currencies', {})).text).toBe(currencies());
      });
    });
  });
}
