import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { OpenAPI3 } from 'openapi-typescript';
import { generatedFiles, staleAmong } from '../../tools/generate/generated-files.ts';
import { openApiFaults } from '../../tools/generate/openapi-faults.ts';
import type { EventOf, EventType, PaybellEvent } from '../../packages/client/src/index.ts';
import type { ProviderReport } from '../../packages/client/src/provider-report.ts';
import type { EventType as PaymentEventType, PAYMENT_EVENTS } from '../../src/domain/event/event.ts';
import { EVENT_SCHEMAS } from '../../src/domain/event/event-schemas.ts';
import type { ATTENTION_DATA, OperationalType } from '../../src/domain/event/operational-event.ts';
import type { ENVELOPE, PAYMENT_ENVELOPE, TEST_DATA } from '../../src/domain/event/stamp-event.ts';
import type { Fields, ObjectOf } from '../../src/domain/text/json-schema.ts';

/** A document other than Paybell's, whose types are in web/src/api/schema.d.ts. */
const DOCUMENT: OpenAPI3 = {
  openapi: '3.0.0',
  info: { title: 'Paybell', version: '1' },
  paths: { '/api/quote': { get: { responses: { 200: { description: 'A quote.' } } } } },
};

/** The present tree with other texts of some files, beside a document that needs no service. */
async function staleWith(changed: Readonly<Record<string, (text: string) => string>>): Promise<string[]> {
  const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const read = (path: string): string => changed[path]?.(textOf(path)) ?? textOf(path);
  return staleAmong(await generatedFiles(read, Promise.resolve(DOCUMENT)));
}

describe('what npm run generate makes', () => {
  it('is found stale where a file has another text, each by its path, and no other', async () => {
    const stale = await staleWith({
      'packages/client/src/event-types.ts': (text) => text.replace('readonly', ''),
      '.env.example': (text) => text.replace('# PORT=3000', '# PORT=3001'),
      'docs/running/configuration.md': (text) => text.replace('`65535`', '`65536`'),
      'docs/using/events.md': (text) => text.replace('| field', '| column'),
      'docs/running/metrics.md': (text) => text.replace('| critical', '| warning'),
      'docs/using/stories/underpaid.jsonl': (text) => text.replace('10.2', '25.5'),
    });
    expect(stale).toEqual([
      'packages/client/src/event-types.ts',
      '.env.example',
      'docs/running/configuration.md',
      'docs/using/events.md',
      'docs/running/metrics.md',
      'docs/using/stories/underpaid.jsonl',
      'web/src/api/schema.d.ts',
    ]);
  });
});

describe('the check of /openapi.json', () => {
  it('names what two linters and a generated client have against it, by its place', async () => {
    const schema = { type: 'object', required: [], additionalProperties: true } as const;
    const content = { 'application/json': { schema: { type: 'object' } } } as const;
    const get = { operationId: 'getQuote', tags: ['Odd'], responses: { 200: { description: '', content } } };
    const document = {
      ...DOCUMENT,
      paths: { '/api/quote': { get } },
      components: { schemas: { Odd: schema } },
    };
    const faults = (await openApiFaults(document)).join('\n');
    for (const fault of [
      'Operation object should contain `summary` field. #/paths/~1api~1quote/get/summary (redocly operation-summary)',
      'Operation tags must be defined in global tags. #/paths//api/quote/get/tags/0 (spectral operation-tag-defined)',
      'must not have fewer than 1 items. #/components/schemas/Odd/required (spectral oas3-schema)',
      'An object needs `properties` or `additionalProperties`. #/paths//api/quote/get/responses/200/content',
    ])
      expect(faults).toContain(fault);
  });
});

/** `true` only if each type is assignable to the other: otherwise `npm run check:lint` fails. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

/** For Paybell, which passes the report on as text, the report may be any object. */
type Reported<Data> = {
  [Name in keyof Data]: Name extends 'payment' ? Replaced<Data[Name]> : Data[Name];
};
type Replaced<Report> = Report extends object ? ProviderReport : Report;

type Event<Type, Envelope extends Fields, Data extends Fields> = Omit<ObjectOf<Envelope>, 'type'> & {
  readonly type: Type;
  readonly data: Reported<ObjectOf<Data>>;
};

type Own = {
  [Type in PaymentEventType]: Event<Type, typeof PAYMENT_ENVELOPE, (typeof PAYMENT_EVENTS)[Type]['data']>;
} & {
  [Type in OperationalType]: Event<Type, typeof ENVELOPE, typeof ATTENTION_DATA>;
} & { 'webhook.test': Event<'webhook.test', typeof ENVELOPE, typeof TEST_DATA> };

const SAME_EVENTS: { readonly [Type in EventType]: Same<EventOf<Type>, Own[Type]> } = {
  'payment.created': true,
  'payment.deposit_received': true,
  'payment.executing': true,
  'payment.completed': true,
  'payment.failed': true,
  'payment.expired': true,
  'payment.updated': true,
  'payment.stalled': true,
  'payment.anomaly': true,
  'payment.verified': true,
  'attention.opened': true,
  'attention.closed': true,
  'webhook.test': true,
};
const SAME_UNION: Same<PaybellEvent, Own[keyof Own]> = true;

describe('the event types of paybell-client', () => {
  it('are the types that Paybell has itself', () => {
    expect(Object.keys(SAME_EVENTS)).toEqual(EVENT_SCHEMAS.map(({ type }) => type));
    expect(SAME_UNION).toBe(true);
  });
});
