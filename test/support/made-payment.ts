import { newPayment, type NewPayment, type Payment } from '../../src/domain/payment/payment.ts';

/** A payment before its first event, with the quote id `q` and no other known fact but `more`. */
export function madePayment(createdAt: Date, more: Partial<NewPayment> = {}): Payment {
  const unknown = { orderId: null, metadata: null, expiresAt: null, expectedMs: null };
  return newPayment({ quoteId: 'q', provider: 'http', ...unknown, ...more }, createdAt);
}
