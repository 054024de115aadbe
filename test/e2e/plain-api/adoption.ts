import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { jsonOf, Stage } from '../../support/stage.ts';
import { arrivalsAt, waitForStories } from '../../support/published-events.ts';
import { plainPaybell } from './plain-paybell.ts';

export function adoption(): void {
  describe('adoption', () => {
    let stage: Stage;
    let app: SharedService;

    beforeAll(async () => {
      ({ stage, app } = await plainPaybell());
      await stage.addShop(app);
    });

    function track(quoteId: string, order: object = {}): Promise<Response> {
      return app.fetch('/api/payments', { method: 'POST', body: { quoteId, ...order } });
    }

    describe('a quote that was made elsewhere', () => {
      it('is looked up at the provider when its status is asked for, once for all, and tracked from then on', async () => {
        const quoteId = stage.provider.addQuote({
          status: 'DEPOSIT_RECEIVED',
          unansweredOf: { amount: '1.10' },
        });
        const answers = await Promise.all(
          Array.from({ length: 10 }, () => app.fetch(`/api/status/${quoteId}`)),
        );
        for (const answer of answers) {
          expect(await jsonOf(answer, 200)).toMatchObject({
            quoteId,
            status: 'DEPOSIT_RECEIVED',
            unansweredOf: { amount: '1.10' },
          });
          expect(Date.parse(answer.headers.get('last-modified') ?? '')).not.toBeNaN();
        }
        stage.say([quoteId], 'COMPLETED');
        await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 3);
        const published = arrivalsAt(stage.shop).filter(({ subject }) => subject === quoteId);
        expect(published.map(({ type }) => type)).toEqual([
          'payment.created',
          'payment.deposit_received',
          'payment.completed',
        ]);
      });

      it('is tracked by POST /api/payments: 201 with order and metadata, then 200, and nothing is published again', async () => {
        const quoteId = stage.provider.addQuote();
        const order = { orderId: 'B-7', metadata: { from: 'before' } };
        expect(await jsonOf(await track(quoteId, order), 201)).toMatchObject({
          quoteId,
          ...order,
          quote: null,
        });
        for (const again of [order, {}, { orderId: 'B-7' }])
          expect(await jsonOf(await track(quoteId, again), 200)).toMatchObject({
            quoteId,
            ...order,
            sequence: 1,
          });
        const [created] = await stage.published(app, quoteId, ['created']);
        expect(created?.data).toMatchObject(order);
      });
    });

    describe('a payment that retention has removed', () => {
      it('is answered as the provider reports it, and never tracked again: payment.completed came once', async () => {
        const quoteId = stage.provider.addQuote({ status: 'COMPLETED' });
        await jsonOf(await track(quoteId, { orderId: 'B-9' }), 201);
        const [, completed] = await stage.published(app, quoteId, ['created', 'completed']);
        await stage.database.query('DELETE FROM payment WHERE quote_id = $1', [quoteId]);

        const polls = stage.provider.calls.polls(quoteId).length;
        const answers = await Promise.all(
          Array.from({ length: 10 }, () => app.fetch(`/api/status/${quoteId}`)),
        );
        for (const answer of answers)
          expect(await jsonOf(answer, 200)).toMatchObject({ quoteId, status: 'COMPLETED' });
        expect(stage.provider.calls.polls(quoteId)).toHaveLength(polls + 1);
        expect(await jsonOf(await track(quoteId), 409)).toMatchObject({ code: 'payment_removed' });
        for (const path of ['', '/events', '/stream'])
          expect(await jsonOf(await app.fetch(`/api/payments/${quoteId}${path}`), 404)).toMatchObject({
            code: 'payment_removed',
          });
        const refresh = await app.fetch(`/api/payments/${quoteId}/refresh`, { method: 'POST' });
        expect(await jsonOf(refresh, 404)).toMatchObject({ code: 'payment_removed' });
        expect(
          (await stage.database.query('SELECT 1 FROM payment WHERE quote_id = $1', [quoteId])).length,
        ).toBe(0);
        const published = arrivalsAt(stage.shop).filter(({ subject }) => subject === quoteId);
        expect(published.filter(({ type }) => type === 'payment.completed').map(({ id }) => id)).toEqual([
          completed?.id,
        ]);
      });
    });
  });
}
