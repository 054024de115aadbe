import type { NewPayment, Payment } from './payment.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** The merchant's order id and metadata of a payment; null keeps the stored value. */
export type PaymentLabel = Pick<NewPayment, 'orderId' | 'metadata'>;

/** Sets order id and metadata. A change makes one `payment.updated`; equal values make no event. */
export function relabel(payment: Payment, label: PaymentLabel): Transition {
  const orderId = label.orderId ?? payment.orderId;
  const metadata = label.metadata ?? payment.metadata;
  if (orderId === payment.orderId && isSame(metadata, payment.metadata)) return unchanged(payment);
  const labelled: Payment = { ...numbered(payment), orderId, metadata };
  const event = draftOf('payment.updated', payment, labelled, { reportText: undefined });
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
