import type { JsonSchema } from '../../domain/text/json-fields.ts';
import { EVENT_SCHEMAS, PAYMENT_EVENT_SCHEMAS, type EventSchema } from '../../domain/event/event-schemas.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A channel of events, with the content type and headers of its messages. */
export interface EventChannel {
  readonly name: string;
  readonly events: readonly EventSchema[];
  readonly contentType: string;
  /** Null: the messages have no headers. */
  readonly headers: JsonSchema | null;
  readonly channel: Json;
  readonly operation: Json;
}

const text = (description: string): JsonSchema => ({ type: 'string', description });

export const WEBHOOK: EventChannel = {
  name: 'webhook',
  events: EVENT_SCHEMAS,
  contentType: 'application/json',
  headers: {
    type: 'object',
    required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    properties: {
      'webhook-id': text("The event's id, the same at every attempt."),
      'webhook-timestamp': text("The attempt's time in unix seconds."),
      'webhook-signature': text('Standard Webhooks: a signature for each valid secret, spaces between.'),
    },
  },
  channel: {
    address: null,
    title: 'Webhooks',
    description: 'The URL of each webhook endpoint. Per payment, an event follows the one before it.',
  },
  operation: {
    summary: 'Paybell posts each event to every enabled endpoint that asked for its type.',
    bindings: { http: { method: 'POST' } },
  },
};

export const rabbitmq = (exchange: string): EventChannel => ({
  name: 'rabbitmq',
  events: PAYMENT_EVENT_SCHEMAS,
  contentType: 'application/cloudevents+json',
  headers: {
    type: 'object',
    required: ['quote_id', 'sequence'],
    properties: {
      quote_id: text('The quote id of the payment.'),
      order_id: text('Absent where the payment has no order id.'),
      sequence: { type: 'integer', minimum: 1, description: 'As in `data.sequence`.' },
    },
  },
  channel: {
    address: '{type}',
    title: 'RabbitMQ',
    description: `The routing key in the durable topic exchange "${exchange}". In order per payment.`,
    parameters: {
      type: { description: "The event's type.", enum: PAYMENT_EVENT_SCHEMAS.map(({ type }) => type) },
    },
    bindings: {
      amqp: {
        is: 'routingKey',
        exchange: { name: exchange, type: 'topic', durable: true, autoDelete: false },
      },
    },
  },
  operation: {
    summary: 'Paybell publishes each event, persistent and with publisher confirms.',
    bindings: { amqp: { deliveryMode: 2, mandatory: true, timestamp: true } },
  },
});

function streamAt(name: string, address: string, more: Json): EventChannel {
  return {
    name,
    events: PAYMENT_EVENT_SCHEMAS,
    contentType: 'application/json',
    headers: null,
    channel: { address, ...more },
    operation: {
      summary: 'Paybell sends events as Server-Sent Events; `Last-Event-ID` continues after an event.',
      bindings: { http: { method: 'GET' } },
    },
  };
}

export const STREAMS: readonly EventChannel[] = [
  streamAt('stream', '/api/events/stream', {
    title: 'Stream of all events',
    description: 'The data of Server-Sent Events, in the order of the log.',
  }),
  streamAt('payment-stream', '/api/payments/{quoteId}/stream', {
    title: 'Stream of one payment',
    description: 'The data of Server-Sent Events, from the first event of the payment on.',
    parameters: { quoteId: { description: 'The quote id of the payment.' } },
  }),
];
