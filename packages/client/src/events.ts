import type { PaybellEvent, PaymentEvent } from './event-types.ts';

export type { PaybellEvent, PaymentEvent } from './event-types.ts';

export type EventType = PaybellEvent['type'];

/** The event of this type: `EventOf<'payment.completed'>`. */
export type EventOf<Type extends EventType> = Extract<PaybellEvent, { readonly type: Type }>;

/** True for an event that belongs to a payment, of a type that is known here or not. */
export function isPaymentEvent(event: PaybellEvent): event is PaymentEvent {
  const { subject, data } = event as Partial<PaymentEvent>;
  return typeof subject === 'string' && subject !== '' && isNumber(data?.sequence);
}

function isNumber(sequence: unknown): boolean {
  return Number.isSafeInteger(sequence) && (sequence as number) > 0;
}
