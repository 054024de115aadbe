import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { OrdersController } from '../../../src/features/payments/orders.controller.ts';
import { FeatureApp } from '../../support/feature-app.ts';
import { paymentToAdd } from '../../support/payment-to-add.ts';
import { reportOf } from '../../support/poll-results.ts';

export function ordersSuite(): void {
  describe('an order', () => {
    const QUOTE = JSON.stringify({
      quoteId: 'q-1',
      send: { chain: { id: 8453 }, token: { address: '0xa', symbol: 'USDC' }, amount: '25.00' },
      receive: { chain: { id: 1 }, token: { address: '0xb', symbol: 'ETH' }, estimatedAmount: '0.01' },
    });
    let app: FeatureApp;

    beforeEach(async () => {
      app = await new FeatureApp().start(OrdersController, []);
    });
    afterEach(() => app.stop());

    it('has its payments, newest first, and which are open, completed and resolved', async () => {
      const orderId = 'A/1 ü?';
      const report = reportOf({ status: 'COMPLETED', deposit: { amount: '25' } });
      await app.payments.add(paymentToAdd('q-1', { orderId, report, quoteText: QUOTE }));
      await app.payments.add(paymentToAdd('q-2', { orderId }));
      const answer = await app.get(`/api/orders/${encodeURIComponent(orderId)}`);
      expect([answer.status, answer.json]).toEqual([
        200,
        {
          orderId,
          payments: [
            expect.objectContaining({ quoteId: 'q-2' }),
            expect.objectContaining({ quoteId: 'q-1' }),
          ],
          nextCursor: null,
          open: ['q-2'],
          completed: ['q-1'],
          resolved: [],
          sums: {
            send: [{ chainId: '8453', token: '0xa', symbol: 'USDC', asked: '25.00', came: '25' }],
            receive: [{ chainId: '1', token: '0xb', symbol: 'ETH', promised: '0.01', arrived: null }],
          },
        },
      ]);
      expect(app.payments.filters).toEqual([{ orderId, limit: 100 }]);
    });

    it.each([
      ['A-9', 404, 'unknown_order'],
      ['x'.repeat(201), 400, 'invalid_request'],
      ['a%00b', 400, 'invalid_request'],
    ])('%j is refused', async (orderId, status, code) => {
      const answer = await app.get(`/api/orders/${orderId}`);
      expect([answer.status, answer.json.code]).toEqual([status, code]);
    });
  });
}
