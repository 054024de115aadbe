import type { PaymentLabel } from '../domain/transitions/relabel.ts';
import type { Deliverable } from './new-deliveries.ts';

/** A label to set, and whether it may give a completed payment another order. */
export interface LabelToSet extends PaymentLabel {
  readonly mayRename?: boolean;
}

/** `previousOrderId`: the payment's former order, if it got another one. */
export interface Labelled extends Deliverable {
  readonly previousOrderId: string | null;
}

/** The payment is completed, and has another order than the one to set. */
export class OrderAlreadyNamed extends Error {
  readonly code = 'order_already_named';
  constructor() {
    super(
      'The payment is completed, and has another order already. A key of role operator or admin may name another one, for one payment at a time.',
    );
  }
}
