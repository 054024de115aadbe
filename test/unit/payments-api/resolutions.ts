import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PaymentsService } from '../../../src/features/payments/payments.service.ts';
import { PaymentActionsController } from '../../../src/features/payments/payment-actions.controller.ts';
import { FeatureApp } from '../../support/feature-app.ts';
import { paymentToAdd } from '../../support/payment-to-add.ts';

export function resolutionsSuite(): void {
  describe('resolutions', () => {
    const PATH = '/api/payments/q-1/resolve';
    let app: FeatureApp;

    beforeEach(async () => {
      app = await new FeatureApp().start([PaymentActionsController], [PaymentsService]);
      await app.payments.add(paymentToAdd('q-1'));
    });
    afterEach(() => app.stop());

    const byAnna = { 'x-test-key': 'anna' };
    const remove = async (
      path: string,
    ): Promise<{ status: number; json: { resolution?: unknown; code?: string } }> => {
      const response = await fetch(`${app.url}${path}`, { method: 'DELETE' });
      return { status: response.status, json: (await response.json()) as object };
    };

    it('releasing a withheld payment passes the reason and the name of the key on', async () => {
      const row = app.payments.rows.get('q-1');
      if (row !== undefined) row.payment = { ...row.payment, status: 'EXECUTING' };
      const { status, json } = await app.post('/api/payments/q-1/release', { reason: 'ticket 7' }, byAnna);
      expect([status, json.quoteId]).toEqual([200, 'q-1']);
      expect(app.released).toEqual([{ note: 'ticket 7', by: 'anna' }]);
    });

    it.each<[string, object, number, object]>([
      ['q-1', { reason: 'ticket 7' }, 409, { code: 'not_withheld' }],
      ['q-2', { reason: 'ticket 7' }, 404, { code: 'unknown_payment' }],
      ['q-1', {}, 400, { errors: [{ field: 'reason' }] }],
      ['q-1', { reason: ' ' }, 400, { errors: [{ field: 'reason' }] }],
      ['q-1', { reason: 'x', note: 'y' }, 400, { errors: [{ field: 'note' }] }],
    ])('releasing %s with %j is %d', async (quoteId, body, status, problem) => {
      const answer = await app.post(`/api/payments/${quoteId}/release`, body);
      expect([answer.status, answer.json]).toMatchObject([status, problem]);
    });

    describe('resolving a payment', () => {
      it('answers it with the reason, the note, the name of the key and the time; the status stands', async () => {
        const answer = await app.post(PATH, { reason: 'refunded', note: 'ticket 7' }, byAnna);
        expect([answer.status, answer.json]).toMatchObject([
          200,
          {
            quoteId: 'q-1',
            status: 'AWAITING_DEPOSIT',
            tracking: 'active',
            sequence: 2,
            resolution: { reason: 'refunded', note: 'ticket 7', by: 'anna', at: '2026-11-20T12:00:00.000Z' },
          },
        ]);
      });

      it('again is no second event, and with another reason replaces the first', async () => {
        await app.post(PATH, { reason: 'refunded' }, byAnna);
        expect((await app.post(PATH, { reason: 'refunded', note: null }, byAnna)).json.sequence).toBe(2);
        const { json } = await app.post(PATH, { reason: 'duplicate' });
        expect([json.sequence, json.resolution.reason, json.resolution.by]).toEqual([3, 'duplicate', 'shop']);
      });

      it('can be taken back', async () => {
        await app.post(PATH, { reason: 'other' });
        for (let n = 0; n < 2; n += 1)
          expect(await remove(PATH)).toMatchObject({ status: 200, json: { resolution: null, sequence: 3 } });
      });

      it.each<[object, string]>([
        [{}, 'reason'],
        [{ reason: 'stolen' }, 'reason'],
        [{ reason: ['refunded'] }, 'reason'],
        [{ reason: 'refunded', note: '' }, 'note'],
        [{ reason: 'refunded', note: 7 }, 'note'],
        [{ reason: 'refunded', note: 'x'.repeat(501) }, 'note'],
        [{ reason: 'refunded', note: 'a\u202eb' }, 'note'],
        [{ reason: 'refunded', notes: 'x' }, 'notes'],
        [{ reason: 'refunded', by: 'ben' }, 'by'],
      ])('refuses %j, naming the field', async (body, field) => {
        const answer = await app.post(PATH, body);
        expect([answer.status, answer.json.errors[0].field]).toEqual([400, field]);
        expect(app.payments.rows.get('q-1')?.payment.resolution).toBeNull();
      });

      it('that is not known is 404, and so is one that was removed', async () => {
        const body = { reason: 'refunded' };
        app.payments.remove('q-1');
        for (const [path, code] of [
          ['/api/payments/q-2/resolve', 'unknown_payment'],
          [PATH, 'payment_removed'],
        ] as const) {
          const answer = await app.post(path, body);
          expect([answer.status, answer.json.code]).toEqual([404, code]);
          expect(await remove(path)).toMatchObject({ status: 404, json: { code } });
        }
      });
    });
  });
}
