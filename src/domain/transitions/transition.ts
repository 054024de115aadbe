import type { EventDraft, EventType } from '../event/event.ts';
import type { Payment } from '../payment/payment.ts';
import type { Report } from '../payment/report.ts';

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

/** The payment with the number of its next event. */
export function numbered(payment: Payment): Payment {
  return { ...payment, sequence: payment.sequence + 1, previousSequence: null };
}

/** The event that numbers the payment's newest change, `after`; its status did not change, unless `more` says so. */
export function draftOf(
  type: EventType,
  { previousSequence }: Payment,
  { sequence, status, late }: Payment,
  more: Pick<EventDraft, 'reportText'> & Partial<EventDraft>,
): EventDraft {
  const follows = previousSequence === null ? {} : { previousSequence };
  return { type, sequence, ...follows, status, previousStatus: status, late, ...more };
}
