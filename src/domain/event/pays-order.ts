import type { Payment } from '../payment/payment.ts';
import { isFinal } from '../payment/status.ts';
import type { EventDraft } from './event.ts';

/** Whether an event says that a payment pays its order: it completes the payment, or labels a completed one. */
export function paysOrder({ type, status, resolution }: EventDraft, { orderId }: Payment): boolean {
  const isLabel = type === 'payment.updated' && resolution === undefined && isFinal(status);
  return orderId !== null && (type === 'payment.completed' || isLabel);
}
