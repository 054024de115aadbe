/** Neither stored here nor known to the provider. */
export class UnknownPayment extends Error {
  readonly code = 'unknown_payment';
  constructor() {
    super('There is no payment with this id.');
  }
}
