import { EVENT_TYPES } from '../../domain/event/event.ts';
import {
  RABBITMQ,
  type DestinationDescriptor,
  type EventChannel,
  type RequestChannel,
} from '../../ports/destinations.ts';
import { rejectedQueueOf } from '../../ports/track-requests.ts';

const FAILURES = ['nack', 'unroutable', 'broker_refused'] as const;
export type RabbitmqFailure = (typeof FAILURES)[number];

/** The settings for the descriptor. */
interface Described {
  readonly exchange: string;
  /** Null: none is configured. */
  readonly trackQueue: string | null;
  /** Whether events are recorded for the exchange from now on; null: this process does not decide. */
  readonly isEnabled: boolean | null;
}

export function rabbitmqDescriptor({ exchange, trackQueue, isEnabled }: Described): DestinationDescriptor {
  return {
    kind: RABBITMQ,
    name: exchangeName(exchange),
    failures: FAILURES,
    delayCauses: ['waiting', 'failing'],
    targets: { isEnabled },
    channel: channelOf(exchange),
    requests: trackQueue === null ? [] : [trackChannelOf(trackQueue)],
  };
}

/** The exchange's name for people; never an id. */
export function exchangeName(exchange: string): string {
  return `RabbitMQ (exchange ${exchange})`;
}

function channelOf(exchange: string): EventChannel {
  return {
    name: RABBITMQ,
    events: 'payments',
    contentType: 'application/cloudevents+json',
    headers: {
      type: 'object',
      required: ['quote_id', 'sequence'],
      properties: {
        quote_id: { type: 'string', description: 'The quote id of the payment.' },
        order_id: { type: 'string', description: 'Absent where the payment has no order id.' },
        sequence: { type: 'integer', minimum: 1, description: 'As in `data.sequence`.' },
        traceparent: { type: 'string', description: 'W3C Trace Context; only where tracing was on.' },
      },
    },
    channel: {
      address: '{type}',
      title: 'RabbitMQ',
      description: `The routing key in the durable topic exchange "${exchange}". In order per payment.`,
      parameters: { type: { description: "The event's type.", enum: EVENT_TYPES } },
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
  };
}

function trackChannelOf(queue: string): RequestChannel {
  return {
    name: 'track',
    channel: {
      address: queue,
      title: 'Track queue',
      description: `Quotes to be tracked. Rejected messages go to "${rejectedQueueOf(queue)}" with the reason.`,
      bindings: { amqp: { is: 'queue', queue: { name: queue, durable: true, autoDelete: false } } },
    },
    operation: { summary: 'Paybell tracks the quote, and acknowledges once its payment is stored.' },
    message: {
      title: 'Track a quote',
      contentType: 'application/json',
      headers: {
        type: 'object',
        properties: {
          traceparent: { type: 'string', description: 'W3C Trace Context; it counts where tracing is on.' },
        },
      },
      payload: TRACK_PAYLOAD,
      examples: [{ payload: { quoteId: '5af8532c-5bf4-45c2-b099-1b36e96e91a3', orderId: 'A-1001' } }],
    },
  };
}

/** The message by which internal services track a quote; its fields are those of `POST /api/payments`. */
const TRACK_PAYLOAD = {
  type: 'object',
  required: ['quoteId'],
  properties: {
    quoteId: { type: 'string', description: 'The quote to track.' },
    orderId: { type: ['string', 'null'], minLength: 1, maxLength: 200 },
    metadata: {
      type: ['object', 'null'],
      maxProperties: 50,
      additionalProperties: { type: 'string', maxLength: 500 },
    },
    quote: { type: ['object', 'null'], description: 'The quote object as the provider answered it.' },
  },
};
