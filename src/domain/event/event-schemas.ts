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

/** A type of event: what it tells, and the JSON Schema of its payload. */
export interface EventSchema {
  readonly type: string;
  readonly summary: string;
  readonly schema: JsonSchema;
}

type Published = readonly [payload: abstract new () => object, summary: string];

const PAYMENT_EVENTS: Readonly<Record<EventType, Published>> = {
  'payment.created': [PaymentCreated, 'The quote is stored.'],
  'payment.deposit_received': [PaymentDepositReceived, 'The deposit was seen.'],
  'payment.executing': [PaymentExecuting, 'The swap is on its way.'],
  'payment.completed': [PaymentCompleted, 'The funds are at the recipient: exactly one for each payment.'],
  'payment.failed': [PaymentFailed, 'The execution failed.'],
  'payment.expired': [PaymentExpired, 'Nobody paid in time.'],
  'payment.updated': [
    PaymentUpdated,
    'The report changed in something that matters, or orderId or metadata were set; the status did not change.',
  ],
  'payment.stalled': [PaymentStalled, 'Nothing moves after the deposit, or the provider says nothing.'],
  'payment.anomaly': [PaymentAnomaly, 'The provider contradicts itself; the stored status stands.'],
};

/** The events of payments, in the order in which they are explained everywhere. */
export const PAYMENT_EVENT_SCHEMAS: readonly EventSchema[] = Object.entries(PAYMENT_EVENTS).map(
  ([type, published]) => schemaFor(type, published),
);

/** Every type of event there is; `webhook.test` comes to webhook endpoints only. */
export const EVENT_SCHEMAS: readonly EventSchema[] = [
  ...PAYMENT_EVENT_SCHEMAS,
  schemaFor('webhook.test', [WebhookTest, 'A test send to a webhook endpoint, about no payment.']),
];

/** The schema as a document of its own, draft 2020-12. */
export function schemaDocument({ type, summary, schema }: EventSchema): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:paybell:schema:${type}`,
    title: type,
    description: summary,
    ...schema,
  };
}

function schemaFor(type: string, [payload, summary]: Published): EventSchema {
  return { type, summary, schema: schemaOf(payload) };
}
