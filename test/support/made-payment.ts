import { newPayment, type NewPayment, type Payment } from '../../src/domain/payment/payment.ts';

/** A payment as it stands before its first event, with the quote id `q` and nothing else that is known of it but `more`. */
export function madePayment(createdAt: Date, more: Partial<NewPayment> = {}): Payment {
  const unknown = { orderId: null, metadata: null, expiresAt: null, expectedMs: null };
  return newPayment({ quoteId: 'q', provider: 'http', ...unknown, ...more }, createdAt);
}
