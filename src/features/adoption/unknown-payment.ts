import { PaymentRemoved, type Payments } from '../../ports/payments.ts';

/** Neither stored here nor known to the provider. */
export class UnknownPayment extends Error {
  readonly code = 'unknown_payment';
  constructor() {
    super('There is no payment with this id.');
  }
}

/** Why no payment with this id is stored. */
export async function whyMissing(
  payments: Payments,
  quoteId: string,
): Promise<PaymentRemoved | UnknownPayment> {
  return (await payments.wasRemoved(quoteId)) ? new PaymentRemoved(404) : new UnknownPayment();
}
