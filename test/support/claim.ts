import type { Payment } from '../../src/domain/payment/payment.ts';
import type { Claim } from '../../src/ports/schedule.ts';

/**
 * A claim for the next poll of this payment, whose last poll was answered and whose interval is 7 s; `more` has other values.
 */
export function claimOf(payment: Payment, more: Partial<Claim> = {}): Claim {
  return {
    paymentId: '1',
    quoteId: payment.quoteId,
    token: '1',
    knownDigest: null,
    storedDigest: '',
    payment,
    completedReport: null,
    verification: null,
    silentSince: null,
    failures: 0,
    scheduledInMs: null,
    nextInMs: 7_000,
    urgency: 0,
    hintedAt: null,
    answeredAgoMs: null,
    ...more,
  };
}
