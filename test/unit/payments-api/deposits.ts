import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PaymentActionsController } from '../../../src/features/payments/payment-actions.controller.ts';
import { PaymentsService } from '../../../src/features/payments/payments.service.ts';
import { FeatureApp } from '../../support/feature-app.ts';
import { paymentToAdd } from '../../support/payment-to-add.ts';
import { quoteOf } from '../../support/proof-texts.ts';

const TX_HASH = `0x${'5a'.repeat(32)}`;

export function depositsSuite(): void {
  describe("submitting a payer's deposit", () => {
    let app: FeatureApp;

    beforeEach(async () => {
      app = await new FeatureApp().start([PaymentActionsController], [PaymentsService]);
      await app.payments.add(paymentToAdd('q-1'));
    });
    afterEach(() => app.stop());

    it('passes the hash on, and answers 202 with the payment', async () => {
      app.provider.deposits = [];
      const { status, json } = await app.post('/api/payments/q-1/deposit', { txHash: TX_HASH });
      expect([status, json.quoteId, json.status]).toEqual([202, 'q-1', 'AWAITING_DEPOSIT']);
      expect(app.provider.deposits).toEqual([['q-1', TX_HASH]]);
    });

    it('is 404 with a code of its own where the provider takes no hashes', async () => {
      const { status, json } = await app.post('/api/payments/q-1/deposit', { txHash: TX_HASH });
      expect([status, json.code]).toEqual([404, 'no_deposit_hints']);
    });

    it('is 202 where a witness sees the chain, whatever the provider takes', async () => {
      app.seenChains.add(10);
      await app.payments.add(paymentToAdd('q-3', { quoteText: quoteOf('q-3') }));
      const { status } = await app.post('/api/payments/q-3/deposit', { txHash: TX_HASH });
      expect(status).toBe(202);
    });

    it('is 404 for a payment that nobody knows, and asks no provider', async () => {
      app.provider.deposits = [];
      const { status, json } = await app.post('/api/payments/q-2/deposit', { txHash: TX_HASH });
      expect([status, json.code, app.provider.deposits]).toEqual([404, 'unknown_payment', []]);
    });

    it.each([[undefined], [''], ['0x12'], [7], ['x'.repeat(129)], [`${TX_HASH}?a=b`], [`${TX_HASH}\n`]])(
      'is 400 for the hash %j',
      async (txHash) => {
        app.provider.deposits = [];
        const { status, json } = await app.post('/api/payments/q-1/deposit', { txHash });
        expect([status, json.errors?.[0]?.field]).toEqual([400, 'txHash']);
        expect(app.provider.deposits).toEqual([]);
      },
    );
  });
}
