import {
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
} from './event-payload.ts';
import type { EventType } from './event.ts';
import { type JsonSchema, schemaOf } from '../text/json-fields.ts';

/** An event type with a summary and the JSON Schema of its payload. */
export interface EventSchema {
  readonly type: string;
  readonly summary: string;
  readonly schema: JsonSchema;
}

type Described = readonly [payload: abstract new () => object, summary: string];

const PAYMENT_EVENTS: Readonly<Record<EventType, Described>> = {
  'payment.created': [PaymentCreated, 'The quote is stored.'],
  'payment.deposit_received': [PaymentDepositReceived, 'The deposit was seen.'],
  'payment.executing': [PaymentExecuting, 'The swap is on its way.'],
  'payment.completed': [PaymentCompleted, 'The funds are at the recipient: exactly one for each payment.'],
  'payment.failed': [PaymentFailed, 'The execution failed.'],
  'payment.expired': [PaymentExpired, 'No deposit arrived in time.'],
  'payment.updated': [
    PaymentUpdated,
    'The report changed in something that matters, or orderId or metadata were set; the status did not change.',
  ],
  'payment.stalled': [PaymentStalled, 'Nothing moves after the deposit, or the provider says nothing.'],
  'payment.anomaly': [PaymentAnomaly, 'The provider contradicts itself; the stored status stands.'],
};

/** The event types of payments, in the order in which the documentation lists them. */
export const PAYMENT_EVENT_SCHEMAS: readonly EventSchema[] = Object.entries(PAYMENT_EVENTS).map(
  ([type, described]) => schemaFor(type, described),
);

/** All event types. Only webhook endpoints get `webhook.test`. */
export const EVENT_SCHEMAS: readonly EventSchema[] = [
  ...PAYMENT_EVENT_SCHEMAS,
  schemaFor('webhook.test', [WebhookTest, 'A test send to a webhook endpoint, about no payment.']),
];

/** The schema as a standalone JSON Schema document, draft 2020-12. */
export function schemaDocument({ type, summary, schema }: EventSchema): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:paybell:schema:${type}`,
    title: type,
    description: summary,
    ...schema,
  };
}

function schemaFor(type: string, [payload, summary]: Described): EventSchema {
  return { type, summary, schema: schemaOf(payload) };
}
