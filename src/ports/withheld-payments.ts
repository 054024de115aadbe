import type { Resolution } from '../domain/payment/payment.ts';
import type { LeaseOffer } from './deliveries.ts';
import type { Deliverable } from './new-deliveries.ts';

/** The number of withheld payments of each kind once VERIFY is no longer `require`. */
export interface WithheldCounts {
  /** Payments that nothing contradicts: the next report completes them. */
  readonly completing: number;
  readonly contradicted: number;
  /** Payments that a person has settled by hand. */
  readonly resolved: number;
}

/** The payment's completion does not wait for a proof. */
export class NotWithheld extends Error {
  readonly code = 'not_withheld';
  constructor(status: string) {
    super(`The payment is ${status}, and its provider's word for a completion is not withheld.`);
  }
}

/** Payments whose provider reports a completion that waits for its proof. */
export abstract class WithheldPayments {
  /** Completes the payment on a person's word, with its event and deliveries. Throws NotWithheld. */
  abstract release(
    quoteId: string,
    released: Pick<Resolution, 'note' | 'by'>,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable>;

  /** Makes the providers be asked at once about the payments that their next report completes, and counts all. */
  abstract leaveRequire(): Promise<WithheldCounts>;
}
