import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { SYSTEM_TIMERS } from '../../../src/platform/scheduling/system-timers.ts';
import {
  ProviderCredentials,
  ProviderMisconfigured,
  ProviderRefused,
  ProviderUnavailable,
} from '../../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../../src/ports/payments.ts';
import { NOT_ENDED } from '../../../src/ports/unanswered-quotes.ts';
import { ProviderAtCapacity } from '../../../src/ports/provider-at-capacity.ts';
import { Timers } from '../../../src/ports/timers.ts';
import { UnfitQuote } from '../../../src/ports/unfit-quote.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { FakeProvider, quoteText, reportOf } from '../../support/fakes/provider.fake.ts';
import type { FakeQuoteBudget } from '../../support/fakes/quote-budget.fake.ts';
import { FeatureApp, type Answer } from '../../support/feature-app.ts';
import { QUOTE_BODY, startGateway } from '../../support/quotes-app.ts';

const fails = (error: Error) => async (): Promise<never> => {
  throw error;
};
const REFUSED = new ProviderRefused(422, 'no such route', 'toToken');

export function choosingSuite(): void {
  describe('a quote with several providers', () => {
    let app: FeatureApp;
    let first: FakeProvider;
    let second: FakeProvider;
    let third: FakeProvider;

    const open = async (...more: unknown[]): Promise<void> => {
      [second, third] = [new FakeProvider('relay'), new FakeProvider('oneclick')];
      app = await startGateway(new FeatureApp([second, third]), ...(more as [{}, object[]]));
      first = app.provider;
    };
    const quote = (more: object = {}): Promise<Answer> => app.post('/api/quote', { ...QUOTE_BODY, ...more });
    const asked = (): number[] => [first, second, third].map(({ quoteRequests }) => quoteRequests.length);
    /** Brings the preferred provider into trouble. */
    const fail = async (): Promise<void> => {
      // The lists are read before, since a list that is read ends the trouble.
      await app.get('/api/chains');
      for (let time = 0; time < 2; time += 1)
        app.circuit.recordQuoting('quote', new ProviderUnavailable('status 500'));
    };
    beforeEach(() => open());
    afterEach(() => {
      jest.restoreAllMocks();
      return app.stop();
    });

    it('is of the preferred one; the answer, and the stored payment, name it', async () => {
      const { json } = await quote();
      expect(json.provider).toBe('http');
      expect((await app.payments.find(json.quoteId))?.provider).toBe('http');
      expect(asked()).toEqual([1, 0, 0]);
    });

    it('is of the named one alone, whatever it answers', async () => {
      expect((await quote({ provider: 'oneclick' })).json.provider).toBe('oneclick');
      third.onQuote = fails(REFUSED);
      const { status, json } = await quote({ provider: 'oneclick' });
      expect([status, json.detail]).toEqual([422, 'no such route']);
      expect(asked()).toEqual([0, 0, 2]);
    });

    it('is refused with the names there are, when it names another', async () => {
      for (const provider of ['stripe', 'HTTP']) {
        const { status, json } = await quote({ provider });
        expect([status, json.errors]).toEqual([
          400,
          [{ field: 'provider', message: 'must be one of: http, relay, oneclick' }],
        ]);
      }
      expect(asked()).toEqual([0, 0, 0]);
    });

    it.each([
      ['refuses the route', REFUSED],
      ['is unavailable', new ProviderUnavailable('status 500')],
      ['refuses our key', new ProviderCredentials()],
      ['has no payment API', new ProviderMisconfigured('GET /x')],
    ])('is of the next one when the preferred one %s', async (_what, error) => {
      first.onQuote = fails(error);
      expect((await quote()).json.provider).toBe('relay');
      expect(asked()).toEqual([1, 1, 0]);
    });

    it('is of the next one when the preferred one answers what was not asked for, which is logged and counted, and never stored', async () => {
      const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
      first.onQuote = () => quoteText('q-thief', `,"recipient":"0x${'66'.repeat(20)}"`);
      expect((await quote({ orderId: 'A-1' })).json.provider).toBe('relay');
      const alone = await quote({ provider: 'http' });
      expect([alone.status, alone.json.code, alone.json.detail]).toEqual([
        503,
        'provider_unavailable',
        "The payment provider's quote differs from the request (recipient), and is not shown.",
      ]);
      expect(alone.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await app.payments.find('q-thief')).toBeNull();
      expect((await app.get('/api/unanswered-quotes')).json.data).toMatchObject([
        { provider: 'http', orderId: null, reason: 'unsafe quote: recipient', quoteId: null },
        { provider: 'http', orderId: 'A-1', reason: 'unsafe quote: recipient', quoteId: null },
      ]);
      const listed = async (provider: string) =>
        (await app.get(`/api/unanswered-quotes?provider=${provider}`)).json;
      expect((await listed('http&provider=relay')).data).toHaveLength(2);
      expect((await listed('stripe')).errors).toEqual([
        { field: 'provider', message: 'must be one of http, relay, oneclick; it may be repeated' },
      ]);
      expect(app.meter.unfitQuotes).toBe(2);
      expect(logged.mock.calls.map(([line]) => line)).toEqual(
        Array(2).fill(
          'a quote of http differs from its request and was not returned to the client; the failed check: recipient',
        ),
      );
    });

    it('is of the next one while the preferred one has no room for it, which is no trouble of it', async () => {
      first.onQuote = fails(new ProviderAtCapacity('25 channels are open'));
      for (let time = 0; time < 3; time += 1) expect((await quote()).json.provider).toBe('relay');
      expect(asked()).toEqual([3, 3, 0]);
      expect((await app.get('/api/unanswered-quotes')).json.data).toEqual([]);
      const { status, json } = await quote({ provider: 'http' });
      expect([status, json.code, json.detail]).toEqual([
        503,
        'provider_unavailable',
        'The payment provider makes no such quote now: 25 channels are open.',
      ]);
    });

    it('is refused with all reasons when all refuse, and can be tried again when one was only unavailable', async () => {
      for (const provider of [first, second, third]) provider.onQuote = fails(REFUSED);
      const refused = await quote();
      expect([refused.status, refused.json.detail]).toEqual([
        422,
        'http: no such route; relay: no such route; oneclick: no such route',
      ]);
      second.onQuote = fails(new ProviderUnavailable('timeout', 7_000));
      const unavailable = await quote();
      expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '7']);
    });

    it('is not asked of one in trouble while another is well, and of it at last', async () => {
      await fail();
      expect((await quote()).json.provider).toBe('relay');
      for (const provider of [second, third]) provider.onQuote = fails(REFUSED);
      expect((await quote()).json.provider).toBe('http');
      expect(asked()).toEqual([1, 2, 1]);
    });

    it('is asked of those in trouble in the order of preference, whoever says so first', async () => {
      await fail();
      for (const [index, delayMs] of [40, 20, 0].entries()) {
        const health = app.cells.all[index]?.health as { isFailing(): Promise<boolean> };
        health.isFailing = () => sleep(delayMs, true);
      }
      expect((await quote()).json.provider).toBe('http');
    });

    it('is not asked of one whose last list lacks a chain; none has both: refused', async () => {
      first.onChains = () => '{"chains":[{"id":8453}]}';
      second.onChains = () => '{"chains":[{"id":8453},{"id":42161}]}';
      third.onChains = () => '{"chains":[{"id":728126428}]}';
      await app.get('/api/chains');
      expect((await quote()).json.provider).toBe('relay');
      const { status, json } = await quote({ toChainId: 728126428 });
      expect([status, json.errors]).toEqual([
        422,
        [{ field: 'toChainId', message: 'no provider has both chains' }],
      ]);
      expect(asked()).toEqual([0, 1, 0]);
    });

    it('keeps its provider under an Idempotency-Key; another provider is another body', async () => {
      const key = { 'idempotency-key': 'k' };
      const made = await app.post('/api/quote', QUOTE_BODY, key);
      first.onQuote = fails(REFUSED);
      expect((await app.post('/api/quote', QUOTE_BODY, key)).text).toBe(made.text);
      expect((await app.post('/api/quote', { ...QUOTE_BODY, provider: 'relay' }, key)).status).toBe(409);
    });

    it('with an exact amount is asked of those that can deliver it; the others say which can', async () => {
      const none = await quote({ amountIs: 'receive' });
      expect([none.status, none.json.errors[0].field]).toEqual([422, 'amountIs']);
      third.deliversExactAmounts = true;
      const { json } = await quote({ amountIs: 'receive', refundTo: '0x1' });
      expect(json.provider).toBe('oneclick');
      expect(third.quoteRequests).toEqual([{ ...QUOTE_BODY, amountIs: 'receive', refundTo: '0x1' }]);
      const other = await quote({ amountIs: 'receive', provider: 'relay' });
      expect(other.json.detail).toBe('relay cannot deliver an exact amount; these can: oneclick');
      for (const bad of [{ amountIs: 'both' }, { refundTo: '' }, { refundTo: 5 }, { provider: 5 }])
        expect((await quote(bad)).json.errors[0].field).toBe(Object.keys(bad)[0]);
    });

    it('replaces a name that a provider gives itself, and keeps every digit', async () => {
      first.onQuote = () => quoteText(randomUUID(), ',"fee":1.10,"provider":"x"');
      const { json, text } = await quote();
      expect(json.provider).toBe('http');
      expect(text).toContain('"fee":1.10,');
    });

    describe('by QUOTE_POLICY=best', () => {
      beforeEach(async () => {
        await app.stop();
        await open({ asksForBest: true });
      });

      it('is of the one that delivers most, compared as decimals', async () => {
        first.onEstimate = () => '9.99';
        second.onEstimate = () => '10.000000000000000001';
        third.onEstimate = () => '10';
        expect((await quote()).json.provider).toBe('relay');
        expect(asked()).toEqual([0, 1, 0]);
      });

      it('leaves out one in trouble, and takes one without an estimate after the others', async () => {
        await fail();
        first.onEstimate = () => '100';
        second.onEstimate = fails(REFUSED);
        third.onEstimate = () => '1';
        expect((await quote()).json.provider).toBe('oneclick');
        third.onQuote = fails(REFUSED);
        expect((await quote()).json.provider).toBe('relay');
      });

      const budgetOf = (index: number) => app.cells.all[index]?.quoteBudget as FakeQuoteBudget;

      it('counts an estimate as a quote against the limit, and none that is refused without asking', async () => {
        second.onEstimate = () => '2';
        third.checkQuote = fails(REFUSED);
        await quote();
        expect([budgetOf(1).taken, budgetOf(2).taken]).toEqual([2, 0]);
      });

      it('pauses the quotes of one that answers an estimate with too many requests', async () => {
        second.onEstimate = fails(new ProviderUnavailable('status 429', 7_000, true));
        expect((await quote()).json.provider).toBe('http');
        const named = await quote({ provider: 'relay' });
        expect([named.status, named.headers.get('retry-after')]).toEqual([503, '7']);
      });

      it('counts an estimate that was not asked for', async () => {
        jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
        second.onEstimate = fails(new UnfitQuote('destination token'));
        expect((await quote()).json.provider).toBe('http');
        expect(app.meter.unfitQuotes).toBe(1);
      });

      it('asks one whose estimates fail for none any more, until it is forgotten', async () => {
        let estimates = 0;
        second.onEstimate = () => {
          estimates += 1;
          throw new ProviderUnavailable('time-out');
        };
        for (let time = 0; time < 4; time += 1) expect((await quote()).json.provider).toBe('http');
        expect(estimates).toBe(2);
      });
    });

    describe('within its time', () => {
      const begin = async (settings: object): Promise<void> => {
        await app.stop();
        await open(settings, [{ provide: Timers, useValue: SYSTEM_TIMERS }]);
        await app.get('/api/chains');
      };
      const after = (ms: number) => async (): Promise<string> => {
        await sleep(ms);
        return quoteText(randomUUID());
      };

      it('is of the preferred one that needs its share of a short time', async () => {
        await begin({ timeoutMs: 3_000 });
        first.onQuote = after(500);
        expect((await quote()).json.provider).toBe('http');
        expect(app.unanswered.all).toEqual([]);
      });

      it('is not tracked where it comes too late and is not what was asked for', async () => {
        jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
        await begin({ timeoutMs: 300 });
        first.onQuote = () => sleep(200, quoteText('q-late', ',"recipient":"0x1"'));
        expect((await quote()).json.provider).toBe('relay');
        await waitFor(() => app.meter.unfitQuotes === 1);
        await sleep(10);
        expect(await app.payments.find('q-late')).toBeNull();
      });

      it('has the time of its estimates in it', async () => {
        await begin({ timeoutMs: 2_000, asksForBest: true });
        first.onEstimate = () => new Promise(() => undefined);
        second.onQuote = fails(REFUSED);
        third.onQuote = fails(REFUSED);
        // An estimate takes 800 ms; its share of the remaining time is 400 ms.
        first.onQuote = after(550);
        expect((await quote()).status).toBe(503);
      });
    });

    describe('before it is asked for', () => {
      it('has a row, which goes with the payment', async () => {
        const rows: unknown[] = [];
        first.onQuote = async () => {
          rows.push(...(await app.unanswered.list({ limit: 10 })).quotes);
          return quoteText(randomUUID());
        };
        expect((await quote()).status).toBe(200);
        expect(rows).toEqual([
          expect.objectContaining({ provider: 'http', reason: NOT_ENDED, quoteId: null }),
        ]);
        expect(app.unanswered.all).toEqual([]);
      });

      it('is not asked for where that row cannot be stored', async () => {
        jest.spyOn(app.unanswered, 'begin').mockRejectedValue(new StoreUnavailable());
        expect([(await quote()).status, asked()]).toEqual([503, [0, 0, 0]]);
      });

      it('has none where no real money moves', async () => {
        Object.assign(first, { isSimulated: true });
        first.onQuote = async () => {
          expect(app.unanswered.all).toEqual([]);
          return quoteText(randomUUID());
        };
        expect((await quote()).status).toBe(200);
      });

      it('keeps it where the adapter could not store what it opened, and not where there were too many requests', async () => {
        first.onQuote = fails(new StoreUnavailable());
        expect((await quote()).status).toBe(503);
        first.onQuote = fails(new ProviderUnavailable('status 429', 1_000, true));
        await quote();
        expect(app.unanswered.all).toEqual([
          expect.objectContaining({ provider: 'http', reason: NOT_ENDED }),
        ]);
      });

      it('is not asked for where the row took all the time', async () => {
        await app.stop();
        await open({ timeoutMs: 300 }, [{ provide: Timers, useValue: SYSTEM_TIMERS }]);
        jest.spyOn(app.unanswered, 'begin').mockImplementation(async () => {
          await sleep(400);
          return '1';
        });
        const ended = jest.spyOn(app.unanswered, 'withdraw');
        expect((await quote()).status).toBe(503);
        await waitFor(() => ended.mock.calls.length > 0);
        expect([asked()[0], ended.mock.calls[0]]).toEqual([0, ['1']]);
      });

      it('keeps it where the payment could not be stored', async () => {
        app.payments.failNextAdd = new StoreUnavailable();
        expect((await quote()).status).toBe(503);
        expect(app.unanswered.all).toEqual([expect.objectContaining({ reason: NOT_ENDED })]);
      });
    });

    describe('that does not come in time', () => {
      const body = { ...QUOTE_BODY, orderId: 'A-1', metadata: { shop: 'eu' } };
      beforeEach(async () => {
        await app.stop();
        // The time is less than the reserve of the other providers: each gets the least time.
        await open({ timeoutMs: 300 }, [{ provide: Timers, useValue: SYSTEM_TIMERS }]);
      });

      it('is made by the next one; the late one is stored, tracked without the order, and not shown', async () => {
        let answer: (text: string) => void = () => undefined;
        first.onQuote = () => new Promise((resolve) => (answer = resolve));
        const { json } = await app.post('/api/quote', body);
        expect(json.provider).toBe('relay');
        await waitFor(() => app.unanswered.all.length === 1);
        const lateId = randomUUID();
        answer(quoteText(lateId));
        await waitFor(() => app.unanswered.all[0]?.quoteId === lateId);
        expect(await app.payments.find(lateId)).toMatchObject({
          provider: 'http',
          orderId: null,
          metadata: null,
        });
        const { data } = (await app.get('/api/unanswered-quotes')).json;
        expect(data).toEqual([
          expect.objectContaining({ provider: 'http', orderId: 'A-1', quoteId: lateId }),
        ]);
        expect(data[0].request).toEqual(QUOTE_BODY);
      });

      it('is told in the log as not tracked where the database fails, and not named as tracked', async () => {
        const said = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
        let answer: (text: string) => void = () => undefined;
        first.onQuote = () => new Promise((resolve) => (answer = resolve));
        await app.post('/api/quote', body);
        await waitFor(() => app.unanswered.all.length === 1);
        app.payments.failNextAdd = new StoreUnavailable();
        answer(quoteText(randomUUID()));
        await waitFor(() => said.mock.calls.length > 0);
        expect(said.mock.calls).toEqual([[expect.stringMatching(/^a late quote of http is not tracked: /)]]);
        expect(app.unanswered.all[0]?.quoteId).toBeNull();
        said.mockRestore();
      });

      it('is stored as unanswered when the provider gave no usable answer, and not when it refused', async () => {
        first.onQuote = fails(new ProviderUnavailable('connection closed'));
        second.onQuote = fails(REFUSED);
        expect((await app.post('/api/quote', body)).json.provider).toBe('oneclick');
        await waitFor(() => app.unanswered.all.length > 0);
        expect(app.unanswered.all).toEqual([
          expect.objectContaining({ provider: 'http', reason: 'connection closed', quoteId: null }),
        ]);
      });

      it('is not stored as unanswered when the request never reached the provider', async () => {
        first.onQuote = fails(new ProviderUnavailable('connection refused'));
        second.onQuote = fails(new ProviderUnavailable('name not found'));
        third.onQuote = fails(new ProviderUnavailable('timeout'));
        expect((await app.post('/api/quote', body)).status).toBe(503);
        await waitFor(() => app.unanswered.all.length > 0);
        expect(app.unanswered.all.map(({ provider }) => provider)).toEqual(['oneclick']);
      });

      it('fails when nobody answers, within the time of all', async () => {
        for (const provider of [first, second, third]) provider.onQuote = () => new Promise(() => undefined);
        expect((await app.post('/api/quote', body)).status).toBe(503);
        expect(asked()).toEqual([1, 1, 1]);
        expect(app.unanswered.all).toHaveLength(3);
      });
    });

    it('that was made elsewhere is adopted from the provider that knows it', async () => {
      const quoteId = randomUUID();
      third.statuses.set(quoteId, reportOf(quoteId));
      expect((await app.get(`/api/status/${quoteId}`)).status).toBe(200);
      expect((await app.payments.find(quoteId))?.provider).toBe('oneclick');
      expect((await app.get(`/api/status/${randomUUID()}`)).status).toBe(404);
      const silentId = randomUUID();
      second.statuses.set(silentId, {
        kind: 'unavailable',
        reason: 'status 500',
        retryAfterMs: null,
        httpStatus: 500,
      });
      expect((await app.get(`/api/status/${silentId}`)).status).toBe(503);
    });
  });
}
