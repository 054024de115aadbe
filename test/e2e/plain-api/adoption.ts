import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { jsonOf, Stage } from '../../support/stage.ts';
import { arrivalsAt, waitForStories } from '../../support/published-events.ts';
import { closedPaybell, plainPaybell } from './plain-paybell.ts';

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

      it('and was adopted by a status request is given its order id by POST /api/payments, published by payment.updated', async () => {
        const quoteId = stage.provider.addQuote({ status: 'COMPLETED' });
        await jsonOf(await app.fetch(`/api/status/${quoteId}`), 200);
        const order = { orderId: 'B-8', metadata: { from: 'before' } };
        const answers = await Promise.all(Array.from({ length: 8 }, () => track(quoteId, order)));
        for (const answer of answers)
          expect(await jsonOf(answer, 200)).toMatchObject({ quoteId, ...order, sequence: 3 });
        const [, completed, updated] = await stage.published(app, quoteId, [
          'created',
          'completed',
          'updated',
        ]);
        expect(completed?.data).toMatchObject({ orderId: null });
        expect(updated?.data).toMatchObject({
          ...order,
          status: 'COMPLETED',
          previousStatus: 'COMPLETED',
          payment: { quoteId, status: 'COMPLETED' },
        });
      });

      it('that is tracked by many at once is stored once', async () => {
        const quoteId = stage.provider.addQuote();
        const answers = await Promise.all(Array.from({ length: 8 }, () => track(quoteId)));
        expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
          ...Array<number>(7).fill(200),
          201,
        ]);
        expect(
          (await stage.eventsOf(app, quoteId)).filter(({ type }) => type === 'payment.created'),
        ).toHaveLength(1);
      });

      it('and that the provider does not know either is a 404, and is not stored', async () => {
        const before = await stage.countPayments();
        const quoteId = crypto.randomUUID();
        for (const answer of [await track(quoteId), await app.fetch(`/api/status/${quoteId}`)])
          expect(await jsonOf(answer, 404)).toMatchObject({ success: false, code: 'unknown_payment' });
        for (const path of [`/api/payments/${quoteId}`, `/api/payments/${quoteId}/events`])
          expect((await app.fetch(path)).status).toBe(404);
        expect(await stage.countPayments()).toBe(before);
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

    describe('a refresh', () => {
      it('asks the provider now, and at most once a second however many want it', async () => {
        const { stage: slow, app: patient } = await closedPaybell();
        const quoteId = await slow.quote(patient);
        await jsonOf(await patient.fetch(`/api/status/${quoteId}`), 200);
        const refresh = () => patient.fetch(`/api/payments/${quoteId}/refresh`, { method: 'POST' });
        while (slow.provider.calls.polls(quoteId).length < 3) {
          const answers = await Promise.all([refresh(), refresh(), refresh()]);
          expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        }
        const polls = slow.provider.calls.polls(quoteId);
        const gaps = polls.slice(1).map((time, index) => time - (polls[index] ?? 0));
        expect(Math.min(...gaps)).toBeGreaterThan(950);
        slow.say([quoteId], 'EXECUTING');
        let status: unknown;
        while (status !== 'EXECUTING') ({ status } = await jsonOf(await refresh(), 200));
        expect((await slow.eventsOf(patient, quoteId)).map(({ type }) => type)).toEqual([
          'payment.created',
          'payment.executing',
        ]);
      });

      it('of an unknown payment is a 404', async () => {
        const path = `/api/payments/${crypto.randomUUID()}/refresh`;
        expect(await jsonOf(await app.fetch(path, { method: 'POST' }), 404)).toMatchObject({
          code: 'unknown_payment',
        });
      });
    });
  });
}
