import { beforeAll, describe, expect, it } from '@jest/globals';
import { type AsyncAPIDocumentInterface, Parser } from '@asyncapi/parser';

import { EVENT_TYPES } from '../../src/domain/event/event.ts';
import { SUBSCRIBED_TYPES } from '../../src/domain/event/operational-event.ts';
import { asyncApiOf } from '../../src/features/events/asyncapi.ts';
import { rabbitmqDescriptor } from '../../src/destinations/rabbitmq/rabbitmq-descriptor.ts';
import { EVENT_SCHEMAS } from '../../src/domain/event/event-schemas.ts';
import { DESTINATION_KINDS } from '../support/destination-kinds.ts';

/** Errors and warnings; above are hints. */
const COMPLAINTS = new Set<number>([0, 1]);

describe('the AsyncAPI document', () => {
  const written = asyncApiOf('1.2.3', DESTINATION_KINDS.all);
  let document: AsyncAPIDocumentInterface;

  beforeAll(async () => {
    const parsed = await new Parser().parse(JSON.stringify(written));
    // Two hints are left: that there is no server, which only the operator knows, and a newer version of AsyncAPI.
    const complaints = parsed.diagnostics.filter(({ severity }) => COMPLAINTS.has(severity));
    expect(complaints.map(({ code, path, message }) => [code, path.join('/'), message])).toEqual([]);
    if (parsed.document === undefined) throw new Error('the document was not read');
    document = parsed.document;
  });

  it('is valid AsyncAPI 3 for the official parser, and says which Paybell it is about', () => {
    expect([document.version(), document.info().title(), document.info().version()]).toEqual([
      '3.0.0',
      'Paybell',
      '1.2.3',
    ]);
  });

  it('has Paybell send every event to webhooks, those of payments to RabbitMQ and streams, and take quotes to track', () => {
    const sent = document
      .operations()
      .all()
      .map((operation) => [
        operation.action(),
        operation.channels().all()[0]?.id(),
        operation
          .messages()
          .all()
          .map((message) => message.name()),
      ]);
    expect(sent).toEqual([
      ['send', 'webhook', [...SUBSCRIBED_TYPES, 'webhook.test']],
      ['send', 'rabbitmq', [...EVENT_TYPES]],
      ['send', 'stream', [...EVENT_TYPES]],
      ['send', 'payment-stream', [...EVENT_TYPES]],
      ['receive', 'track', ['track']],
    ]);
  });

  it("gives each message the payload's own schema, the headers and the content type of its way", () => {
    for (const [channel, contentType, header] of [
      ['webhook', 'application/json', 'webhook-signature'],
      ['rabbitmq', 'application/cloudevents+json', 'quote_id'],
    ] as const) {
      const messages = document.channels().get(channel)?.messages().all() ?? [];
      expect(messages.length).toBeGreaterThanOrEqual(EVENT_TYPES.length);
      for (const message of messages) {
        expect([message.contentType(), message.headers()?.properties()]).toEqual([
          contentType,
          expect.objectContaining({ [header]: expect.anything() }),
        ]);
        const { schema } = EVENT_SCHEMAS.find(({ type }) => type === message.name()) ?? {};
        expect(plain(message.payload()?.json())).toEqual(plain(schema));
      }
    }
  });

  it('has no track queue where none is configured', () => {
    const without = asyncApiOf('1.2.3', [
      rabbitmqDescriptor({ exchange: 'shop-payments', trackQueue: null, isEnabled: true }),
    ]);
    expect(JSON.stringify(without)).not.toContain('track');
  });

  it('names the exchange that is published to', () => {
    const bindings = document.channels().get('rabbitmq')?.bindings().get('amqp')?.value();
    expect(bindings).toMatchObject({
      is: 'routingKey',
      exchange: { name: 'shop-payments', type: 'topic', durable: true },
    });
  });
});

/** Without the parser's own notes. */
function plain(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema ?? null, (key, value: unknown) => (key.startsWith('x-parser') ? undefined : value)),
  );
}
