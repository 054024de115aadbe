import type { Resolution } from '../domain/payment/payment.ts';
import type { LeaseOffer } from './deliveries.ts';
import type { Deliverable } from './new-deliveries.ts';

/** The number of withheld payments of each kind once VERIFY is no longer `require`. */
export interface WithheldCounts {
  /** Nothing contradicts them: the next report completes them. */
  readonly completing: number;
  readonly contradicted: number;
  /** A person has settled them otherwise. */
  readonly resolved: number;
}

/** The completion of the payment waits for no proof. */
export class NotWithheld extends Error {
  readonly code = 'not_withheld';
  constructor(status: string) {
    super(`The payment is ${status}, and its provider's word for a completion is not withheld.`);
  }
}

/** Payments whose provider reports a completion that waits for its proof. */
export abstract class WithheldPayments {
  /** Completes the payment by the word of a person, with its event and deliveries. Throws NotWithheld. */
  abstract release(
    quoteId: string,
    released: Pick<Resolution, 'note' | 'by'>,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable>;

  /** Has the providers asked at once about the payments that their next report completes, and counts all. */
  abstract leaveRequire(): Promise<WithheldCounts>;
}
