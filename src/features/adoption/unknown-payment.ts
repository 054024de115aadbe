import { PaymentRemoved, type Payments } from '../../ports/payments.ts';

/** No payment with this id is stored, and the provider does not know it. */
export class UnknownPayment extends Error {
  readonly code = 'unknown_payment';
  constructor() {
    super('There is no payment with this id.');
  }
}

/** The error for a payment that is not stored: removed by retention, or unknown. */
export async function whyMissing(
  payments: Payments,
  quoteId: string,
): Promise<PaymentRemoved | UnknownPayment> {
  return (await payments.wasRemoved(quoteId)) ? new PaymentRemoved(404) : new UnknownPayment();
}
