import type { EventDraft } from '../event/event.ts';
import type { Payment } from './payment.ts';
import type { Report } from './report.ts';

/** What an observation makes of a payment. Without events and without `report`, nothing needs to be written. */
export interface Transition {
  readonly payment: Payment;
  readonly events: readonly EventDraft[];
  /** The report that becomes the stored one; null when the stored one stands. */
  readonly report: Report | null;
}

export function unchanged(payment: Payment): Transition {
  return { payment, events: [], report: null };
}
