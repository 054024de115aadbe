import type { NewPayment, Payment } from '../payment/payment.ts';
import { draftOf, numbered, unchanged, type Transition } from './transition.ts';

/** The merchant's order id and metadata of a payment; null keeps the stored value. */
export type PaymentLabel = Pick<NewPayment, 'orderId' | 'metadata'>;

/** True if the label gives a completed payment another order: one payment would become two paid orders in the shop. */
export function renamesCompleted({ status, orderId }: Payment, label: PaymentLabel): boolean {
  return status === 'COMPLETED' && orderId !== null && label.orderId !== null && label.orderId !== orderId;
}

/** True if the label has another order id or other metadata. */
export function isRelabelled({ orderId, metadata }: PaymentLabel, label: PaymentLabel): boolean {
  return (label.orderId ?? orderId) !== orderId || !isSame(label.metadata ?? metadata, metadata);
}

/**
 * Sets order id and metadata. A change makes one `payment.updated`, which says whether it names the order of a completed payment,
 * or another order; equal values make no event.
 */
export function relabel(payment: Payment, label: PaymentLabel): Transition {
  if (!isRelabelled(payment, label)) return unchanged(payment);
  const orderId = label.orderId ?? payment.orderId;
  const metadata = label.metadata ?? payment.metadata;
  const labelled: Payment = { ...numbered(payment), orderId, metadata };
  const naming = orderId === payment.orderId ? {} : namingOf(payment);
  const event = draftOf('payment.updated', payment, labelled, { reportText: undefined, ...naming });
  return { payment: labelled, events: [event], report: null };
}

function namingOf({ status, orderId }: Payment): { named?: true; previousOrderId?: string } {
  if (orderId !== null) return { previousOrderId: orderId };
  return status === 'COMPLETED' ? { named: true } : {};
}

function isSame(one: Payment['metadata'], other: Payment['metadata']): boolean {
  if (one === null || other === null) return one === other;
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(other).length &&
    entries.every(([key, value]) => Object.hasOwn(other, key) && other[key] === value)
  );
}
