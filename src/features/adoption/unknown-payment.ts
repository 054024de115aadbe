import { PaymentRemoved, type NotStored, type StoredPayment } from '../../ports/payments.ts';

/** No payment with this id is stored, and the provider does not know it. */
export class UnknownPayment extends Error {
  readonly code = 'unknown_payment';
  constructor() {
    super('There is no payment with this id.');
  }
}

/** The error for a payment that was not found; UnknownPayment also if it has been stored since. */
export function whyMissing(read: StoredPayment | NotStored): PaymentRemoved | UnknownPayment {
  return read === 'removed' ? new PaymentRemoved(404) : new UnknownPayment();
}
