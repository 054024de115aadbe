import type { PaymentToAdd } from '../../src/ports/payments.ts';

export function paymentToAdd(quoteId: string, more: Partial<PaymentToAdd> = {}): PaymentToAdd {
  return {
    quoteId,
    provider: 'http',
    orderId: null,
    metadata: null,
    expiresAt: null,
    expectedMs: null,
    quoteText: `{"quoteId":"${quoteId}"}`,
    report: null,
    ...more,
  };
}
