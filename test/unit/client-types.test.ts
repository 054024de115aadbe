import { readFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import type { EventOf, EventType, PaybellEvent } from '../../packages/client/src/index.ts';
import type { ProviderReport } from '../../packages/client/src/provider-report.ts';
import type { EventType as PaymentEventType, PAYMENT_EVENTS } from '../../src/domain/event/event.ts';
import { EVENT_SCHEMAS } from '../../src/domain/event/event-schemas.ts';
import type { ATTENTION_DATA, OperationalType } from '../../src/domain/event/operational-event.ts';
import type { ENVELOPE, PAYMENT_ENVELOPE, TEST_DATA } from '../../src/domain/event/stamp-event.ts';
import type { Fields, ObjectOf } from '../../src/domain/text/json-schema.ts';
import { clientTypes } from '../../tools/generate/client-types.ts';

/** Not assignable to `true` unless each type can stand for the other: `npm run check:lint` fails then. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

/** To Paybell itself, which passes the report on as text, it is any object. */
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
  it('are what npm run generate makes of the JSON Schemas', async () => {
    const file = new URL('../../packages/client/src/event-types.ts', import.meta.url);
    expect(await readFile(file, 'utf8')).toBe(await clientTypes());
  });

  it('are the types that Paybell has itself', () => {
    expect(Object.keys(SAME_EVENTS)).toEqual(EVENT_SCHEMAS.map(({ type }) => type));
    expect(SAME_UNION).toBe(true);
  });
});
