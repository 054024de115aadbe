import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { quoteRequest } from '../../../tools/testkit/provider-objects.ts';
import { jsonOf, type Stage } from '../../support/stage.ts';
import { OTHER_KEY, plainPaybell } from './plain-paybell.ts';

export function idempotency(): void {
  describe('idempotency', () => {
    let stage: Stage;
    let app: SharedService;
    let key = '';

    beforeAll(async () => {
      ({ stage, app } = await plainPaybell());
    });

    beforeEach(() => {
      key = crypto.randomUUID();
      stage.provider.slowDown(0);
    });

    function ask(body: unknown = quoteRequest(), headers: Record<string, string> = {}): Promise<Response> {
      return app.fetch('/api/quote', {
        method: 'POST',
        body,
        headers: { 'idempotency-key': key, ...headers },
      });
    }

    /** How many quotes the provider makes, and we store, while `work` runs. */
    async function made(work: () => Promise<void>): Promise<[atProvider: number, stored: number]> {
      const before = [stage.provider.calls.count('/api/quote'), await stage.countPayments()] as const;
      await work();
      return [
        stage.provider.calls.count('/api/quote') - before[0],
        (await stage.countPayments()) - before[1],
      ];
    }

    describe('an Idempotency-Key', () => {
      it('makes one quote of many requests at the same time', async () => {
        stage.provider.slowDown(300);
        const count = await made(async () => {
          const answers = await Promise.all(Array.from({ length: 10 }, () => ask()));
          const quotes = await Promise.all(answers.map((answer) => jsonOf(answer, 200)));
          expect(new Set(quotes.map((quote) => quote['quoteId'])).size).toBe(1);
        });
        expect(count).toEqual([1, 1]);
      });

      it('answers the stored bytes again later, the order of the fields apart, and says so', async () => {
        const first = await (await ask()).text();
        const count = await made(async () => {
          const reversed = Object.fromEntries(Object.entries(quoteRequest()).reverse());
          for (const body of [quoteRequest(), reversed]) {
            const again = await ask(body);
            expect(await again.text()).toBe(first);
            expect(again.headers.get('idempotency-replayed')).toBe('true');
          }
        });
        expect(count).toEqual([0, 0]);
      });

      it.each<[string, Record<string, unknown>]>([
        ['amount', { amount: '0.06' }],
        ['order', { orderId: 'another' }],
        ['metadata', { metadata: { shop: 'us' } }],
      ])('with another %s is a 409', async (_what, partial) => {
        await jsonOf(await ask(), 200);
        const count = await made(async () => {
          expect(await jsonOf(await ask(quoteRequest(partial)), 409)).toMatchObject({
            success: false,
            code: 'idempotency_mismatch',
          });
        });
        expect(count).toEqual([0, 0]);
      });

      it('keeps no failure: the same request works when the provider does again', async () => {
        stage.provider.fail({ status: 500 });
        expect((await ask()).status).toBe(503);
        stage.provider.recover();
        const count = await made(async () => void (await jsonOf(await ask(), 200)));
        expect(count).toEqual([1, 1]);
      });

      it('of one API key says nothing to another', async () => {
        const count = await made(async () => {
          const ours = await jsonOf(await ask(), 200);
          const theirs = await jsonOf(await ask(quoteRequest(), { 'x-api-key': OTHER_KEY }), 200);
          expect(theirs['quoteId']).not.toBe(ours['quoteId']);
        });
        expect(count).toEqual([2, 2]);
      });

      it('is not needed: without one each request is a quote of its own', async () => {
        const count = await made(async () => void (await stage.quotes(app, 3)));
        expect(count).toEqual([3, 3]);
      });
    });
  });
}
