import type {
  PaymentAnomaly,
  PaymentCompleted,
  PaymentCreated,
  PaymentDepositReceived,
  PaymentExecuting,
  PaymentExpired,
  PaymentFailed,
  PaymentStalled,
  PaymentUpdated,
  WebhookTest,
} from '../domain/event/event-payload.ts';

/** The fields of a payload: what arrives is parsed JSON, and no instance of its class. */
type FieldsOf<Payload> = { readonly [Name in keyof Payload]: Payload[Name] };
type Published<Payload extends { readonly data: object }> = FieldsOf<
  Omit<Payload, 'data'> & { readonly data: FieldsOf<Payload['data']> }
>;

/** An event about a payment; `type` says which. */
export type PaymentEvent =
  | Published<PaymentCreated>
  | Published<PaymentDepositReceived>
  | Published<PaymentExecuting>
  | Published<PaymentCompleted>
  | Published<PaymentFailed>
  | Published<PaymentExpired>
  | Published<PaymentUpdated>
  | Published<PaymentStalled>
  | Published<PaymentAnomaly>;

/** Whatever Paybell sends; a newer Paybell may send types that are not known here. */
export type PaybellEvent = PaymentEvent | Published<WebhookTest>;

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
