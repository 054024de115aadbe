import type { JsonSchema } from '../domain/json-fields.ts';
import type { AsyncApiRules } from './asyncapi-rules.ts';
import { EVENT_SCHEMAS, PAYMENT_EVENT_SCHEMAS, type EventSchema } from './event-schemas.ts';

type Json = Readonly<Record<string, unknown>>;

/** A way on which events leave, and how its messages look around the event itself. */
interface Outlet {
  readonly name: string;
  readonly events: readonly EventSchema[];
  readonly contentType: string;
  readonly headers: JsonSchema;
  readonly channel: Json;
  readonly operation: Json;
}

const text = (description: string): JsonSchema => ({ type: 'string', description });

const WEBHOOK: Outlet = {
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

const rabbitmq = (exchange: string): Outlet => ({
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

/** The AsyncAPI 3 document: every way on which events leave, with the payloads' own schemas. */
export function asyncApiOf({ version, exchange }: AsyncApiRules): Json {
  const outlets = [WEBHOOK, rabbitmq(exchange)];
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Paybell',
      version,
      description: 'Tells of every status change of a payment by webhook and RabbitMQ, as CloudEvents 1.0.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries(outlets.map((outlet) => [outlet.name, channelOf(outlet)])),
    operations: Object.fromEntries(outlets.map((outlet) => [`${outlet.name}.send`, operationOf(outlet)])),
    components: {
      schemas: Object.fromEntries(EVENT_SCHEMAS.map(({ type, schema }) => [type, schema])),
      messages: Object.fromEntries(outlets.flatMap(messagesOf)),
      messageTraits: Object.fromEntries(
        outlets.map(({ name, contentType, headers }) => [name, { contentType, headers }]),
      ),
    },
  };
}

function channelOf({ name, events, channel }: Outlet): Json {
  const messages = events.map(({ type }) => [type, refTo(`components/messages/${name}.${type}`)]);
  return { ...channel, messages: Object.fromEntries(messages) };
}

function operationOf({ name, events, operation }: Outlet): Json {
  const messages = events.map(({ type }) => refTo(`channels/${name}/messages/${type}`));
  return { action: 'send', channel: refTo(`channels/${name}`), ...operation, messages };
}

function messagesOf({ name, events }: Outlet): [string, Json][] {
  return events.map(({ type, summary }) => [
    `${name}.${type}`,
    {
      name: type,
      title: type,
      summary,
      payload: refTo(`components/schemas/${type}`),
      traits: [refTo(`components/messageTraits/${name}`)],
    },
  ]);
}

function refTo(path: string): { $ref: string } {
  return { $ref: `#/${path}` };
}
