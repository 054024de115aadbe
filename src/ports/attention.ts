/** Records which payments clients ask for: a payment that a client reads is polled sooner. */
export abstract class Attention {
  /** Records one request for the payment. Cheap, and never throws: it is only a hint. */
  abstract hint(quoteId: string): void;
}
