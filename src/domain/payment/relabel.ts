import type { EventDraft } from '../event/event.ts';
import type { NewPayment, Payment } from './payment.ts';
import { unchanged, type Transition } from './transition.ts';

/** What the merchant calls a payment; null leaves what is stored. */
export type PaymentLabel = Pick<NewPayment, 'orderId' | 'metadata'>;

/** Sets or changes what the merchant calls a payment. It is told once; what is known already is not told again. */
export function relabel(payment: Payment, label: PaymentLabel): Transition {
  const orderId = label.orderId ?? payment.orderId;
  const metadata = label.metadata ?? payment.metadata;
  if (orderId === payment.orderId && isSame(metadata, payment.metadata)) return unchanged(payment);
  const labelled: Payment = { ...payment, orderId, metadata, sequence: payment.sequence + 1 };
  const event: EventDraft = {
    type: 'payment.updated',
    sequence: labelled.sequence,
    status: payment.status,
    previousStatus: payment.status,
    late: payment.late,
    reportText: undefined,
  };
  return { payment: labelled, events: [event], report: null };
}

function isSame(one: Payment['metadata'], other: Payment['metadata']): boolean {
  if (one === null || other === null) return one === other;
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(other).length &&
    entries.every(([key, value]) => Object.hasOwn(other, key) && other[key] === value)
  );
}
