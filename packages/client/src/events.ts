import type { PaybellEvent, PaymentEvent } from './event-types.ts';

export type { PaybellEvent, PaymentEvent } from './event-types.ts';

/** The `type` of an event, such as `payment.completed`. */
export type EventType = PaybellEvent['type'];

/** The event of one type, such as `EventOf<'payment.completed'>`. */
export type EventOf<Type extends EventType> = Extract<PaybellEvent, { readonly type: Type }>;

/** Tells whether an event is about a payment, also where this version does not know its type. */
export function isPaymentEvent(event: PaybellEvent): event is PaymentEvent {
  const { subject, data } = event as Partial<PaymentEvent>;
  return typeof subject === 'string' && subject !== '' && isSequence(data?.sequence);
}

/**
 * The `previousSequence` that an event states after Paybell's database went back: the numbers between it and the event's own
 * are never given again. Null for every other event.
 */
export function statedPredecessor({ data }: PaymentEvent): number | null {
  const { previousSequence: before } = data as { readonly previousSequence?: unknown };
  const isStated = before === 0 || isSequence(before);
  return isStated && (before as number) < data.sequence ? (before as number) : null;
}

/** True for the number of an event among those of its payment: 1, 2, 3, … */
export function isSequence(sequence: unknown): boolean {
  return Number.isSafeInteger(sequence) && (sequence as number) > 0;
}
