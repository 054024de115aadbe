import { randomUUID } from 'node:crypto';
import { describe, expect, it, beforeAll } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CloudEvent, HTTP } from 'cloudevents';
import { configOf } from '../support/config-of.ts';
import { applyReport, openPayment } from '../../src/domain/transitions/apply-report.ts';
import { EVENT_TYPES, TYPE_OF_STATUS } from '../../src/domain/event/event.ts';
import { applyProof, type Proof } from '../../src/domain/transitions/apply-proof.ts';
import { newPayment, type Payment } from '../../src/domain/payment/payment.ts';
import { applyUnseenDeposit } from '../../src/domain/transitions/unseen-deposit.ts';
import { PENDING, VERIFICATION_STATES, type VerificationState } from '../../src/domain/proof/verification.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { applySilence } from '../../src/domain/transitions/stall.ts';
import { STATUSES } from '../../src/domain/payment/status.ts';
import { OPERATIONAL_TYPES, SUBSCRIBED_TYPES } from '../../src/domain/event/operational-event.ts';
import { exampleEvent } from '../../src/domain/event/example-event.ts';
import { stampEvent, testEvent } from '../../src/domain/event/stamp-event.ts';
import type { Transition } from '../../src/domain/transitions/transition.ts';
import { EVENT_SCHEMAS, schemaDocument } from '../../src/domain/event/event-schemas.ts';
import { FORMATS, schemaCheck } from '../support/schema-check.ts';
import { type AsyncAPIDocumentInterface, Parser } from '@asyncapi/parser';
import { asyncApiOf } from '../../src/features/events/asyncapi.ts';
import { rabbitmqDescriptor } from '../../src/destinations/rabbitmq/rabbitmq-descriptor.ts';
import { DESTINATION_KINDS } from '../support/destination-kinds.ts';

type Json = Record<string, unknown>;

const QUOTE_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';
const RULES = { stalledAfterMs: 900_000 };
const START = Date.parse('2026-11-20T12:00:00.000Z');
const FAR_MS = 10 * RULES.stalledAfterMs;

/** The provider's reports of a payment's life, one life a line, with every event that can be reported. */
const LIVES: (object | 'silence')[][] = [
  ['silence', { status: 'AWAITING_DEPOSIT' }, { status: 'EXPIRED' }, { status: 'COMPLETED', extra: [1] }],
  [
    { status: 'DEPOSIT_RECEIVED', deposit: { amount: 1.5 } },
    { status: 'FAILED', error: 'slippage' },
  ],
  [{ status: 'EXECUTING' }, { status: 'EXECUTING', gas: 7, route: 'none' }, { status: 'AWAITING_DEPOSIT' }],
  [{ status: 'PAUSED', quoteId: 5 }, {}, { status: 'COMPLETED', execution: null }, { status: 'FAILED' }],
  [{ status: 'DEPOSIT_RECEIVED' }, { status: 'DEPOSIT_RECEIVED', note: 'later' }],
];

function notify(life: (object | 'silence')[], orderId: string | null): string[] {
  const metadata = orderId === null ? null : { shop: 'eu' };
  const now = (step: number): Date => new Date(START + step * FAR_MS);
  let transition = openPayment(
    newPayment(
      { quoteId: QUOTE_ID, provider: 'http', orderId, metadata, expiresAt: null, expectedMs: null },
      now(0),
    ),
  );
  let storedReport: string | null = null;
  const published: string[] = [];
  const keep = ({ payment, events, report }: Transition, step: number): void => {
    storedReport = report?.text ?? storedReport;
    const stamp = { source: 'paybell', time: now(step) };
    for (const event of events)
      published.push(stampEvent(event, payment, storedReport, { id: randomUUID(), ...stamp }).body);
  };
  keep(transition, 0);
  for (const [index, said] of life.entries()) {
    const step = index + 1;
    const report = said === 'silence' ? null : readReport(said, JSON.stringify(said));
    transition =
      report === null
        ? applySilence(transition.payment, now(index), now(step), RULES)
        : applyReport(transition.payment, report, now(step), RULES);
    keep(transition, step);
  }
  return published;
}

/** The events that the witness and an unseen deposit lead to. */
function proofEvents(): string[] {
  const fields = {
    quoteId: QUOTE_ID,
    provider: 'http',
    orderId: null,
    metadata: null,
    expiresAt: null,
    expectedMs: null,
  };
  const payment: Payment = { ...newPayment(fields, new Date(START)), status: 'COMPLETED' };
  const verification = {
    ...PENDING,
    chainId: 1,
    checks: [{ name: 'receipt', passed: null, detail: 'x' }],
  } as const;
  const proof = (state: VerificationState, isWithheld: boolean): Transition => {
    const status = isWithheld ? 'EXECUTING' : 'COMPLETED';
    const look: Proof = { verification: { ...verification, state }, reason: null };
    return applyProof({ ...payment, status }, look, { isWithheld, before: 'pending' }, new Date(START));
  };
  const amounts = { amount: null, amountRaw: '5', sum: null, sumRaw: '5' };
  const deposit = { chainId: 1, txHash: '0x1', token: null, wrongToken: false, ...amounts, block: 7 };
  const transitions = [
    ...[true, false].flatMap((isWithheld) => VERIFICATION_STATES.map((state) => proof(state, isWithheld))),
    applyUnseenDeposit({ ...payment, status: 'EXPIRED' }, deposit),
  ];
  const stamp = { source: 'paybell', time: new Date(START) };
  return transitions.flatMap((transition) =>
    transition.events.map(
      (event) =>
        stampEvent(event, transition.payment, '{"status":"COMPLETED"}', { id: randomUUID(), ...stamp }).body,
    ),
  );
}

const REPORTED = LIVES.flatMap((life, index) => notify(life, index % 2 === 0 ? 'A-1001' : null));
const TEST_EVENT = testEvent({ id: randomUUID(), source: 'shop', time: new Date(START) }, randomUUID());
const OPERATIONAL = OPERATIONAL_TYPES.map((type) =>
  exampleEvent(type, { id: randomUUID(), source: 'shop', time: new Date(START) }),
);
const ALL = [...REPORTED, ...proofEvents(), ...OPERATIONAL, TEST_EVENT];

const check = schemaCheck(EVENT_SCHEMAS.map(schemaDocument));
const typeOf = (body: string): string => (JSON.parse(body) as { type: string }).type;

describe('the schemas of events', () => {
  it('are there for every type, and are JSON Schemas of draft 2020-12 in the strictest reading', () => {
    expect(EVENT_SCHEMAS.map(({ type }) => type)).toEqual([...SUBSCRIBED_TYPES, 'webhook.test']);
    const ajv = new Ajv2020({ strict: true, strictRequired: true, allowUnionTypes: true, formats: FORMATS });
    for (const event of EVENT_SCHEMAS) {
      const document = schemaDocument(event) as Json;
      expect(ajv.validateSchema(document)).toBe(true);
      expect(() => ajv.compile(document)).not.toThrow();
      expect((document['properties'] as Json)['type']).toEqual({ const: event.type });
    }
  });

  it('hold for every event that the domain can make, whatever the provider reports', () => {
    expect([...new Set(ALL.map(typeOf))].toSorted()).toEqual(
      EVENT_SCHEMAS.map(({ type }) => type).toSorted(),
    );
    for (const body of ALL) expect([body, check(body)]).toEqual([body, null]);
    const reasons = REPORTED.map((body) => (JSON.parse(body) as { data: Json }).data['reason']);
    expect(new Set(reasons.filter(Boolean))).toEqual(
      new Set(['provider_silent', 'no_progress', 'went_back', 'changed_after_completed', 'unknown_status']),
    );
  });

  it('hold for the example of each type, which shows a payment that does not exist', () => {
    const stamp = { id: randomUUID(), source: 'shop', time: new Date(START) };
    for (const type of EVENT_TYPES) {
      const body = exampleEvent(type, stamp);
      expect([type, check(body, type)]).toEqual([type, null]);
      const quoteId = `example-${stamp.id}`;
      expect(JSON.parse(body)).toMatchObject({
        id: stamp.id,
        type,
        subject: quoteId,
        data: { quoteId, orderId: 'EXAMPLE', sequence: 1 },
      });
    }
  });

  it('leave room for what comes with later versions', () => {
    const grown = JSON.parse(REPORTED[0] ?? '') as { data: Json };
    expect(
      check(JSON.stringify({ ...grown, traceparent: '00', data: { ...grown.data, new: 1 } })),
    ).toBeNull();
  });

  it.each([
    ['sequence', 1, 0],
    ['previousSequence', 0, -1],
  ])('take %s from %i on, and not %i', (field, first, before) => {
    const event = JSON.parse(REPORTED[0] ?? '') as { data: Json };
    const withNumber = (number: number): string =>
      JSON.stringify({ ...event, data: { ...event.data, [field]: number } });
    expect(check(withNumber(first))).toBeNull();
    expect(check(withNumber(before))).toContain(field);
  });

  it.each(['source', 'subject'])('take any %s that is not empty', (field) => {
    const event = JSON.parse(REPORTED[0] ?? '') as Json;
    expect(check(JSON.stringify({ ...event, [field]: 'x' }))).toBeNull();
    expect(check(JSON.stringify({ ...event, [field]: '' }))).toContain(field);
  });

  it('refuse an event that lacks a field, or is of another type', () => {
    for (const body of ALL) {
      const event = JSON.parse(body) as Json & { data: Json };
      for (const field of Object.keys(event))
        expect([
          field,
          check(JSON.stringify({ ...event, [field]: undefined }), String(event['type'])),
        ]).not.toEqual([field, null]);
      const optional =
        event['type'] === 'payment.verified' ? ['amounts'] : ['amounts', 'verification', 'deposit'];
      for (const field of Object.keys(event.data).filter((name) => !optional.includes(name))) {
        const data = { ...event.data, [field]: undefined };
        expect([field, check(JSON.stringify({ ...event, data }))]).not.toEqual([field, null]);
      }
      const other = event['type'] === 'payment.failed' ? 'payment.expired' : 'payment.failed';
      expect(check(body, other)).not.toBeNull();
    }
  });
});

describe('the types of events', () => {
  it('have one for each status that a payment reaches', () => {
    expect(Object.keys(TYPE_OF_STATUS).toSorted()).toEqual(STATUSES.toSorted());
    expect(TYPE_OF_STATUS.AWAITING_DEPOSIT).toBe('payment.created');
    expect(TYPE_OF_STATUS.EXPIRED).toBe('payment.expired');
  });
});

describe('EVENT_SOURCE', () => {
  it.each(['paybell', 'shop/eu', 'urn:shop:eu', 'https://shop.example:8443/pay', '//shop', 'a.b-c_d~e@f'])(
    'takes %s, and so does CloudEvents',
    (source) => {
      const { eventSource } = configOf({ EVENT_SOURCE: source });
      const event = new CloudEvent({ id: '1', type: 'payment.created', source: eventSource, data: {} }, true);
      expect(event.source).toBe(source);
    },
  );

  it.each(['my shop', 'ä', '<x>', 'a%b', '1:2'])('refuses %s', (source) => {
    expect(() => configOf({ EVENT_SOURCE: source })).toThrow('EVENT_SOURCE is no URI reference');
  });
});

describe('every event', () => {
  it.each(ALL.map((body) => [typeOf(body), body]))('%s is a strict CloudEvent', (type, body) => {
    const parsed = HTTP.toEvent({ headers: { 'content-type': 'application/cloudevents+json' }, body });
    const event = parsed as CloudEvent<unknown>;
    expect(event).toBeInstanceOf(CloudEvent);
    expect(event.validate()).toBe(true);
    expect(event.type).toBe(type);
    expect(JSON.parse(JSON.stringify(event))).toEqual(JSON.parse(body));
    const strict = new CloudEvent(JSON.parse(body) as Json, true);
    expect([strict.specversion, strict.datacontenttype]).toEqual(['1.0', 'application/json']);
  });
});

/** Errors and warnings; above are hints. */
const COMPLAINTS = new Set<number>([0, 1]);

describe('the AsyncAPI document', () => {
  const written = asyncApiOf('1.2.3', DESTINATION_KINDS.all);
  let document: AsyncAPIDocumentInterface;

  beforeAll(async () => {
    const parsed = await new Parser().parse(JSON.stringify(written));
    // Allows one hint: the document names no server, which only the operator knows.
    const complaints = parsed.diagnostics.filter(({ severity }) => COMPLAINTS.has(severity));
    expect(complaints.map(({ code, path, message }) => [code, path.join('/'), message])).toEqual([]);
    if (parsed.document === undefined) throw new Error('the document was not read');
    document = parsed.document;
  });

  it('is valid AsyncAPI 3 for the official parser, and says which Paybell it is about', () => {
    expect([document.version(), document.info().title(), document.info().version()]).toEqual([
      '3.1.0',
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

  it('has an example of each message, which fits the schema of its payload', () => {
    const messages = document
      .operations()
      .all()
      .flatMap((operation) => operation.messages().all());
    const ajv = new Ajv2020({ strict: false, formats: FORMATS });
    for (const message of messages) {
      const payloads = message
        .examples()
        .all()
        .map((example) => example.payload());
      expect([message.id(), payloads.length]).toEqual([message.id(), 1]);
      const isRight = ajv.compile(plain(message.payload()?.json()) as Json);
      expect([message.id(), isRight(payloads[0]), isRight.errors]).toEqual([message.id(), true, null]);
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
