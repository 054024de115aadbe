import { readFile } from 'node:fs/promises';

import { describe, expect, it } from '@jest/globals';

import type { EventOf, EventType, PaybellEvent } from '../../packages/client/src/index.ts';
import type { ProviderReport } from '../../packages/client/src/provider-report.ts';
import type { ProviderReport as OwnReport } from '../../src/domain/event/event-data.ts';
import type {
  PaymentAnomaly,
  PaymentCompleted,
  PaymentCreated,
  PaymentDepositReceived,
  PaymentExecuting,
  PaymentExpired,
  PaymentFailed,
  PaymentStalled,
  PaymentUpdated,
  WebhookTest,
} from '../../src/domain/event/event-payload.ts';
import { EVENT_SCHEMAS } from '../../src/domain/event/event-schemas.ts';
import { eventTypes } from '../../tools/client-types/event-types.ts';

/** Not assignable to `true` unless each type can stand for the other: `npm run check:types` fails then. */
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : never) : never;

interface Own {
  'payment.created': PaymentCreated;
  'payment.deposit_received': PaymentDepositReceived;
  'payment.executing': PaymentExecuting;
  'payment.completed': PaymentCompleted;
  'payment.failed': PaymentFailed;
  'payment.expired': PaymentExpired;
  'payment.updated': PaymentUpdated;
  'payment.stalled': PaymentStalled;
  'payment.anomaly': PaymentAnomaly;
  'webhook.test': WebhookTest;
}

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
  'webhook.test': true,
};
const SAME_UNION: Same<PaybellEvent, Own[keyof Own]> = true;
const SAME_REPORT: Same<ProviderReport, OwnReport> = true;

describe('the event types of paybell-client', () => {
  it('are what npm run client:types makes of the JSON Schemas', async () => {
    const file = new URL('../../packages/client/src/event-types.ts', import.meta.url);
    expect(await readFile(file, 'utf8')).toBe(await eventTypes());
  });

  it('are the types that Paybell has itself', () => {
    expect(Object.keys(SAME_EVENTS)).toEqual(EVENT_SCHEMAS.map(({ type }) => type));
    expect([SAME_UNION, SAME_REPORT]).toEqual([true, true]);
  });
});
