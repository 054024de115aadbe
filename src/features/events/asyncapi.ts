import { EVENT_SCHEMAS } from '../../domain/event/event-schemas.ts';
import { rejectedQueueOf } from '../../ports/track-requests.ts';
import type { AsyncApiSettings } from './asyncapi.settings.ts';
import { rabbitmq, STREAMS, WEBHOOK, type Json, type EventChannel } from './channels.ts';

/** The AsyncAPI 3 document: every channel of events, with the schemas of their payloads, and the track queue. */
export function asyncApiOf({ version, exchange, trackQueue }: AsyncApiSettings): Json {
  const eventChannels = [WEBHOOK, rabbitmq(exchange), ...STREAMS];
  const track = trackQueue === null ? null : trackOf(trackQueue);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Paybell',
      version,
      description:
        'Publishes every status change of a payment by webhook, RabbitMQ and stream, as CloudEvents 1.0.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: {
      ...Object.fromEntries(
        eventChannels.map((eventChannel) => [eventChannel.name, channelOf(eventChannel)]),
      ),
      ...(track === null ? {} : { track: track.channel }),
    },
    operations: {
      ...Object.fromEntries(
        eventChannels.map((eventChannel) => [`${eventChannel.name}.send`, operationOf(eventChannel)]),
      ),
      ...(track === null ? {} : { 'track.receive': track.operation }),
    },
    components: {
      schemas: Object.fromEntries(EVENT_SCHEMAS.map(({ type, schema }) => [type, schema])),
      messages: {
        ...Object.fromEntries(eventChannels.flatMap(messagesOf)),
        ...(track === null ? {} : { track: track.message }),
      },
      messageTraits: Object.fromEntries(
        eventChannels.map(({ name, contentType, headers }) => [
          name,
          headers === null ? { contentType } : { contentType, headers },
        ]),
      ),
    },
  };
}

/** The message with which internal services track a quote; the same fields as `POST /api/payments`. */
const TRACK_PAYLOAD: Json = {
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
  },
};

function trackOf(queue: string): { channel: Json; operation: Json; message: Json } {
  return {
    channel: {
      address: queue,
      title: 'Track queue',
      description: `Quotes to be tracked. Rejected messages go to "${rejectedQueueOf(queue)}" with the reason.`,
      messages: { track: refTo('components/messages/track') },
      bindings: { amqp: { is: 'queue', queue: { name: queue, durable: true, autoDelete: false } } },
    },
    operation: {
      action: 'receive',
      channel: refTo('channels/track'),
      summary: 'Paybell tracks the quote, and acknowledges once its payment is stored.',
      messages: [refTo('channels/track/messages/track')],
    },
    message: {
      name: 'track',
      title: 'Track a quote',
      contentType: 'application/json',
      payload: TRACK_PAYLOAD,
    },
  };
}

function channelOf({ name, events, channel }: EventChannel): Json {
  const messages = events.map(({ type }) => [type, refTo(`components/messages/${name}.${type}`)]);
  return { ...channel, messages: Object.fromEntries(messages) };
}

function operationOf({ name, events, operation }: EventChannel): Json {
  const messages = events.map(({ type }) => refTo(`channels/${name}/messages/${type}`));
  return { action: 'send', channel: refTo(`channels/${name}`), ...operation, messages };
}

function messagesOf({ name, events }: EventChannel): [string, Json][] {
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
