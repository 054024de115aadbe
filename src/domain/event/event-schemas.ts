import { objectSchema, type Fields, type JsonSchema } from '../text/json-schema.ts';
import { PAYMENT_EVENTS } from './event.ts';
import { OPERATIONAL_EVENTS } from './operational-event.ts';
import { ENVELOPE, PAYMENT_ENVELOPE, TEST_DATA } from './stamp-event.ts';

/** An event type with a summary and the JSON Schema of its payload. */
export interface EventSchema {
  readonly type: string;
  readonly summary: string;
  readonly schema: JsonSchema;
}

/** The event types of payments, in the order in which the documentation lists them. */
export const PAYMENT_EVENT_SCHEMAS: readonly EventSchema[] = Object.entries(PAYMENT_EVENTS).map(
  ([type, { summary, data }]) => ({ type, summary, schema: schemaOf(type, PAYMENT_ENVELOPE, data) }),
);

/** All event types. Only webhook endpoints get those that are not about a payment. */
export const EVENT_SCHEMAS: readonly EventSchema[] = [
  ...PAYMENT_EVENT_SCHEMAS,
  ...Object.entries(OPERATIONAL_EVENTS).map(([type, { summary, data }]) => ({
    type,
    summary,
    schema: schemaOf(type, ENVELOPE, data),
  })),
  {
    type: 'webhook.test',
    summary: 'A test send to a webhook endpoint, about no payment.',
    schema: schemaOf('webhook.test', ENVELOPE, TEST_DATA),
  },
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

function schemaOf(type: string, envelope: Fields, data: Fields): JsonSchema {
  return objectSchema({ ...envelope, type: { const: type }, data: objectSchema(data) });
}
