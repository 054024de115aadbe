import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { decideDecimals } from '../../../src/domain/payment/said-decimals.ts';
import { SYSTEM_TIMERS } from '../../../src/platform/scheduling/system-timers.ts';
import { ProviderUnavailable } from '../../../src/ports/payment-provider.ts';
import { Timers } from '../../../src/ports/timers.ts';
import { FakeProvider } from '../../support/fakes/provider.fake.ts';
import { FeatureApp } from '../../support/feature-app.ts';
import { QUOTE_BODY, startGateway } from '../../support/quotes-app.ts';

const { fromChainId, fromToken } = QUOTE_BODY;
/** The statements of http, relay and oneclick about the paid token; null: the provider has no such token. */
type Said = readonly [http: number | null, relay: number | null, oneclick: number | null];

export function decimalsSuite(): void {
  describe('the fraction digits of one token', () => {
    it.each<[said: number[], contract: number | null, decided: number | null]>([
      [[18, 6, 6], null, 6],
      [[6, 18, 6], null, 6],
      [[18, 6], null, null],
      [[18, 6, 8], null, null],
      [[18, 18, 6, 6], null, null],
      [[18, 18, 6], 6, 6],
      [[18, 6], 0, 0],
    ])('of which providers say %j and its contract %j are %j', (said, contract, decided) => {
      const byName = new Map(said.map((decimals, index) => [`p${index}`, decimals]));
      expect(decideDecimals(byName, contract)).toBe(decided);
    });

    let app: FeatureApp;
    let providers: readonly [FakeProvider, FakeProvider, FakeProvider];
    let warnings: string[];

    beforeEach(async () => {
      const others = [new FakeProvider('relay'), new FakeProvider('oneclick')] as const;
      app = await startGateway(new FeatureApp(others));
      providers = [app.provider, ...others];
      warnings = [];
      jest
        .spyOn(Logger.prototype, 'warn')
        .mockImplementation((line: unknown) => void warnings.push(String(line)));
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await app.stop();
    });

    const say = (said: Said): void => {
      for (const [index, provider] of providers.entries()) {
        const decimals = said[index] ?? null;
        const token = { chainId: fromChainId, address: fromToken.toLowerCase(), symbol: 'USDC', decimals };
        const text = JSON.stringify({ success: true, currencies: decimals === null ? [] : [token] });
        provider.onSearch = ({ chainIds, address }) =>
          chainIds?.[0] === fromChainId && address === fromToken ? text : '{"success":true,"currencies":[]}';
      }
    };
    const quote = async (more: object = {}): Promise<unknown[]> => {
      const { status, json } = await app.post('/api/quote', { ...QUOTE_BODY, ...more });
      return [status, status === 200 ? json.provider : json.errors[0].field];
    };

    it.each<[said: Said, contract: number | null, named: string | null, answered: unknown[]]>([
      [[18, 6, 6], null, null, [200, 'relay']],
      [[18, 6, 6], null, 'http', [422, 'fromToken']],
      [[18, 6, 6], null, 'oneclick', [200, 'oneclick']],
      [[18, 18, 6], 6, null, [200, 'oneclick']],
      [[18, 6, null], null, null, [200, 'oneclick']],
      [[18, 6, null], null, 'relay', [422, 'fromToken']],
      [[18, 6, null], 6, null, [200, 'relay']],
      [[18, 6, 8], 7, null, [422, 'fromToken']],
      [[6, 6, null], null, null, [200, 'http']],
      [[18, null, null], null, null, [200, 'http']],
    ])('%j, with %j at the contract and %j named: %j', async (said, contract, named, answered) => {
      say(said);
      if (contract !== null) app.contractDecimals.set(fromToken, contract);
      expect(await quote(named === null ? {} : { provider: named })).toEqual(answered);
    });

    it('are asked for once in ten minutes, and a dispute is logged once, with what each says', async () => {
      say([18, 6, 6]);
      for (let time = 0; time < 3; time += 1) await quote();
      expect(warnings).toEqual([
        `the providers differ on the fraction digits of ${fromToken} on chain ${fromChainId} (http 18, relay 6, oneclick 6): ` +
          'quotes go through those with 6 only, what most say',
      ]);
      const searches = (): number =>
        providers[0].searches.filter(({ address }) => address === fromToken).length;
      expect(searches()).toBe(1);
      app.clock.advance(600_000);
      say([6, 6, 6]);
      expect(await quote()).toEqual([200, 'http']);
      expect(searches()).toBe(2);
    });

    const DOWN = (): Promise<string> => Promise.reject(new ProviderUnavailable('down'));

    it('are in doubt also of a provider that cannot be asked', async () => {
      say([18, 6, 6]);
      providers[2].onSearch = DOWN;
      expect(await quote()).toEqual([422, 'fromToken']);
      app.clock.advance(10_000);
      say([18, 6, 6]);
      expect(await quote()).toEqual([200, 'relay']);
    });

    it('are not those of a provider whose list is not readable', async () => {
      say([18, 6, 6]);
      providers[2].onSearch = () => '{"currencies":[{"chainId":8453,"address":7,"decimals":"x"}, null]}';
      expect(await quote()).toEqual([200, 'oneclick']);
    });

    it('are compared with the contract where the others cannot be asked', async () => {
      say([18, 6, 6]);
      for (const provider of providers.slice(1)) provider.onSearch = DOWN;
      app.contractDecimals.set(fromToken, 6);
      expect(await quote()).toEqual([200, 'relay']);
    });

    it('stay known of a provider that is away later, and of a contract', async () => {
      say([6, 18, null]);
      app.contractDecimals.set(fromToken, 18);
      expect(await quote({ provider: 'relay' })).toEqual([200, 'relay']);
      app.clock.advance(600_000);
      providers[1].onSearch = DOWN;
      app.contractDecimals.set(fromToken, new Error('down'));
      expect(await quote({ provider: 'http' })).toEqual([422, 'fromToken']);
    });

    it('are asked of a contract again soon after no RPC has answered', async () => {
      say([6, 18, null]);
      app.contractDecimals.set(fromToken, new Error('down'));
      expect(await quote({ provider: 'relay' })).toEqual([422, 'fromToken']);
      app.contractDecimals.set(fromToken, 18);
      app.clock.advance(10_000);
      expect(await quote({ provider: 'relay' })).toEqual([200, 'relay']);
    });

    it('are waited for a part of the time of the quote', async () => {
      await app.stop();
      const others = [new FakeProvider('relay'), new FakeProvider('oneclick')] as const;
      const settings = { timeoutMs: 1_000, laggardWaitMs: 5_000 };
      app = await startGateway(new FeatureApp(others), settings, [
        { provide: Timers, useValue: SYSTEM_TIMERS },
      ]);
      providers = [app.provider, ...others];
      say([6, 6, 6]);
      others[1].onSearch = () => new Promise(() => undefined);
      const startedAt = performance.now();
      expect(await quote()).toEqual([200, 'http']);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    });

    it('stand in `metadata` by provider where they differ, and the token has those that count', async () => {
      say([18, 6, 6]);
      const search = { chainIds: [fromChainId], address: fromToken };
      const found = async (): Promise<object[]> =>
        (await app.post('/api/currencies', search)).json.currencies;
      const names = ['http', 'relay', 'oneclick'];
      expect(await found()).toMatchObject([
        { decimals: 6, metadata: { providers: names, decimals: { http: 18, relay: 6, oneclick: 6 } } },
      ]);
      say([6, 6, 6]);
      expect(await found()).toMatchObject([{ decimals: 6, metadata: { providers: names } }]);
      expect(JSON.stringify(await found())).not.toContain('"decimals":{');
    });
  });
}
