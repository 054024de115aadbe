import type { EventDraft } from '../event/event.ts';
import type { Payment } from './payment.ts';
import type { Report } from './report.ts';

/** The payment after a report, a silence or a new label. Without events and `report` there is nothing to write. */
export interface Transition {
  readonly payment: Payment;
  readonly events: readonly EventDraft[];
  /** The report to store; null keeps the stored report. */
  readonly report: Report | null;
}

export function unchanged(payment: Payment): Transition {
  return { payment, events: [], report: null };
}
