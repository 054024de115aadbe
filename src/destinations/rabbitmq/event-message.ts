import type { Options } from 'amqplib';

import type { DueDelivery } from '../../ports/deliveries.ts';

const APP_ID = 'paybell';
const CONTENT_TYPE = 'application/cloudevents+json';

/** A delivery as an AMQP message. */
export interface EventMessage {
  readonly id: string;
  readonly routingKey: string;
  readonly body: Buffer;
  readonly options: Options.Publish;
}

export function messageOf(delivery: DueDelivery): EventMessage {
  return {
    id: delivery.eventId,
    routingKey: delivery.type,
    body: Buffer.from(delivery.body, 'utf8'),
    options: {
      mandatory: true,
      persistent: true,
      contentType: CONTENT_TYPE,
      messageId: delivery.eventId,
      type: delivery.type,
      timestamp: Math.floor(delivery.time.getTime() / 1_000),
      appId: APP_ID,
      headers: {
        quote_id: delivery.quoteId,
        // Left out without an order id: some clients cannot decode an AMQP void.
        ...(delivery.orderId === null ? {} : { order_id: delivery.orderId }),
        ...(delivery.traceparent === null ? {} : { traceparent: delivery.traceparent }),
        // A fixed width: by default amqplib encodes 127 as a byte and 128 as a short.
        sequence: { '!': 'int32', value: delivery.sequence },
      },
    },
  };
}
