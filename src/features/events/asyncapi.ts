import { exampleEvent } from '../../domain/event/example-event.ts';
import { SUBSCRIBED_TYPES } from '../../domain/event/operational-event.ts';
import { testEvent } from '../../domain/event/stamp-event.ts';
import { EVENT_SCHEMAS, PAYMENT_EVENT_SCHEMAS, type EventSchema } from '../../domain/event/event-schemas.ts';
import type { DestinationDescriptor, EventChannel, Json, RequestChannel } from '../../ports/destinations.ts';

/** Constant, so that every process returns the same document. */
const STAMP = {
  id: '019aa0c4-7c1e-7b6e-9d0e-1c2f3a4b5c6d',
  source: 'paybell',
  time: new Date('2026-11-20T12:00:00.000Z'),
};
/** One event of each type, which the channels share. */
const EXAMPLES: readonly (readonly [type: string, body: string])[] = [
  ...SUBSCRIBED_TYPES.map((type) => [type, exampleEvent(type, STAMP)] as const),
  ['webhook.test', testEvent(STAMP, '5af8532c-5bf4-45c2-b099-1b36e96e91a3')],
];

/** The channels of the event streams. Each destination describes its own. */
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

/** The AsyncAPI 3 document: every channel of events with the schemas of its payloads, and the channels of requests. */
export function asyncApiOf(version: string, destinations: readonly DestinationDescriptor[]): Json {
  const sent = [...destinations.map(({ channel }) => channel), ...STREAMS];
  const taken = destinations.flatMap(({ requests }) => requests);
  return {
    asyncapi: '3.1.0',
    info: {
      title: 'Paybell',
      version,
      description: 'Publishes every status change of a payment as a CloudEvents 1.0 event, on each channel.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/cloudevents+json',
    channels: Object.fromEntries([
      ...sent.map((channel) => [channel.name, channelOf(channel)]),
      ...taken.map(({ name, channel }) => [name, { ...channel, messages: { [name]: messageRef(name) } }]),
    ]),
    operations: Object.fromEntries([
      ...sent.map((channel) => [`${channel.name}.send`, operationOf(channel)]),
      ...taken.map((request) => [`${request.name}.receive`, receiveOf(request)]),
    ]),
    components: {
      schemas: Object.fromEntries(EVENT_SCHEMAS.map(({ type, schema }) => [type, schema])),
      messages: Object.fromEntries([
        ...sent.flatMap(messagesOf),
        ...taken.map(({ name, message }) => [name, { name, ...message }]),
      ]),
      messageTraits: Object.fromEntries([
        ...sent.map(({ name, contentType, headers }) => [
          name,
          headers === null ? { contentType } : { contentType, headers },
        ]),
        ...EXAMPLES.map(([type, body]) => [type, { examples: [{ payload: JSON.parse(body) as Json }] }]),
      ]),
    },
  };
}

function eventsOf({ events }: EventChannel): readonly EventSchema[] {
  return events === 'all' ? EVENT_SCHEMAS : PAYMENT_EVENT_SCHEMAS;
}

function channelOf(channel: EventChannel): Json {
  const messages = eventsOf(channel).map(({ type }) => [type, messageRef(`${channel.name}.${type}`)]);
  return { ...channel.channel, messages: Object.fromEntries(messages) };
}

function operationOf(channel: EventChannel): Json {
  const { name, operation } = channel;
  const messages = eventsOf(channel).map(({ type }) => refTo(`channels/${name}/messages/${type}`));
  return { action: 'send', channel: refTo(`channels/${name}`), ...operation, messages };
}

function receiveOf({ name, operation }: RequestChannel): Json {
  const messages = [refTo(`channels/${name}/messages/${name}`)];
  return { action: 'receive', channel: refTo(`channels/${name}`), ...operation, messages };
}

function messagesOf(channel: EventChannel): [string, Json][] {
  return eventsOf(channel).map(({ type, summary }) => [
    `${channel.name}.${type}`,
    {
      name: type,
      title: type,
      summary,
      payload: refTo(`components/schemas/${type}`),
      traits: [channel.name, type].map((trait) => refTo(`components/messageTraits/${trait}`)),
    },
  ]);
}

function messageRef(name: string): Json {
  return refTo(`components/messages/${name}`);
}

function refTo(path: string): { $ref: string } {
  return { $ref: `#/${path}` };
}

function streamAt(name: string, address: string, more: Json): EventChannel {
  return {
    name,
    events: 'payments',
    contentType: 'application/json',
    headers: null,
    channel: { address, ...more },
    operation: {
      summary: 'Paybell sends events as Server-Sent Events; `Last-Event-ID` continues after an event.',
      bindings: { http: { method: 'GET' } },
    },
  };
}
