import type { EventDraft, EventType } from '../event/event.ts';
import { isSettled, type Payment } from '../payment/payment.ts';
import type { Report } from '../payment/report.ts';

/** The payment after a report, a silence or a new label. With no events and no `report`, nothing is written. */
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

/** The payment with one more contradiction. A person who released it did not know of this one: the release ends. */
export function contradictedBy(payment: Payment, contradiction: string): Payment {
  const { contradictions, resolution } = payment;
  return {
    ...numbered(payment),
    contradictions: [...contradictions, contradiction],
    resolution: isSettled(resolution) ? resolution : null,
  };
}

/** The event that numbers the payment's newest change, `after`; the status is unchanged, unless `more` says otherwise. */
export function draftOf(
  type: EventType,
  { previousSequence }: Payment,
  { sequence, status, late }: Payment,
  more: Pick<EventDraft, 'reportText'> & Partial<EventDraft>,
): EventDraft {
  const follows = previousSequence === null ? {} : { previousSequence };
  return { type, sequence, ...follows, status, previousStatus: status, late, ...more };
}
