import { randomUUID } from 'node:crypto';

import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { EVENT_SCHEMAS, schemaDocument } from '../../src/domain/event/event-schemas.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { PollRecorder } from '../../src/features/polling/poll-recorder.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import type { ProviderCircuit } from '../../src/features/polling/provider-circuit.ts';
import { SYSTEM_TIMERS } from '../../src/platform/scheduling/system-timers.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim } from '../../src/ports/schedule.ts';
import type { TestDatabase } from '../support/database.ts';
import { FakeMeter } from '../support/fakes/meter.fake.ts';
import { pollResult } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { schemaCheck } from '../support/schema-check.ts';
import { paymentToAdd, URGENCY_RULES, type Stores } from '../support/stores.ts';

const RULES = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);
const REFUNDED = { reason: 'refunded', note: null, by: 'anna' } as const;
const check = schemaCheck(EVENT_SCHEMAS.map(schemaDocument));

let db: TestDatabase;
let one: Stores;
let two: Stores;

beforeAll(async () => {
  jest.spyOn(Logger.prototype, 'log').mockImplementation(() => undefined);
  ({ db, one, two } = await openReplicas());
});
afterEach(() => db.query('DELETE FROM destination'));

function says(status: string, more: object = {}): StatusAnswer {
  const text = JSON.stringify({ status, ...more });
  const report = readReport(JSON.parse(text), text);
  if (report === null) throw new Error('not a report');
  return { kind: 'report', report };
}

async function added(): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add(paymentToAdd(quoteId));
  return quoteId;
}

async function claimed(quoteId: string): Promise<Claim> {
  const claim = await one.schedule.claimNow(quoteId, 0, 6_000);
  if (typeof claim === 'string') throw new Error(claim);
  return claim;
}

async function poll(quoteId: string, answer: StatusAnswer): Promise<void> {
  await one.schedule.record([pollResult(await claimed(quoteId), answer)]);
}

interface Published {
  readonly type: string;
  readonly data: { readonly sequence: number; readonly resolution?: { readonly reason: string } | null };
}

async function bodiesOf(quoteId: string): Promise<readonly string[]> {
  return (await one.payments.eventsOf(quoteId))?.events ?? [];
}

/** `2 updated refunded`, `3 updated null`, `4 completed` */
async function wordsOf(quoteId: string): Promise<string[]> {
  return (await bodiesOf(quoteId)).map((body) => {
    const { type, data } = JSON.parse(body) as Published;
    const { resolution } = data;
    const words = [data.sequence, type.replace('payment.', '')];
    if (resolution !== undefined) words.push(resolution === null ? 'null' : resolution.reason);
    return words.join(' ');
  });
}

async function resolutionOf(quoteId: string): Promise<unknown> {
  return (await one.payments.find(quoteId))?.resolution;
}

function recorder(): PollRecorder {
  const watch = { recordAnswer: () => false } as unknown as ProviderCircuit;
  const clock = { now: () => new Date() };
  return new PollRecorder(one.schedule, one.wakeSignals, watch, new FakeMeter(), clock, SYSTEM_TIMERS, RULES);
}

describe('a resolution', () => {
  it('is published with the stored report to every destination that gets such events', async () => {
    const [shop, narrow] = [await addDestination(db), randomUUID()];
    await addDestination(db, { id: narrow, eventTypes: ['payment.completed'] });
    const quoteId = await added();
    await poll(quoteId, says('EXECUTING', { quoteId }));
    await two.payments.resolve(quoteId, REFUNDED);
    const [body = ''] = (await bodiesOf(quoteId)).slice(-1);
    expect(JSON.parse(body)).toMatchObject({
      type: 'payment.updated',
      data: {
        sequence: 3,
        status: 'EXECUTING',
        previousStatus: 'EXECUTING',
        resolution: await resolutionOf(quoteId),
        payment: { status: 'EXECUTING', quoteId },
      },
    });
    const owed = await db.query<{ id: string; sequence: number }>(
      `SELECT d.destination_id AS id, d.sequence FROM delivery d JOIN payment p ON p.id = d.payment_id
       WHERE p.quote_id = $1 ORDER BY d.sequence`,
      [quoteId],
    );
    expect(owed).toEqual([1, 2, 3].map((sequence) => ({ id: shop, sequence })));
  });

  it('makes events by the schema, given and taken back', async () => {
    const quoteId = await added();
    await one.payments.resolve(quoteId, REFUNDED);
    await one.payments.resolve(quoteId, null);
    for (const body of await bodiesOf(quoteId)) expect([body, check(body)]).toEqual([body, null]);
    const wrong = (await bodiesOf(quoteId))[1]?.replace('"refunded"', '"stolen"') ?? '';
    expect(check(wrong)).toContain('resolution');
  });

  it('ends with the next status, and with nothing else that the provider says', async () => {
    const quoteId = await added();
    await poll(quoteId, says('EXECUTING'));
    await one.payments.resolve(quoteId, REFUNDED);
    await poll(quoteId, says('EXECUTING', { deposit: { amount: '1' } }));
    await poll(quoteId, says('PAUSED'));
    expect(await resolutionOf(quoteId)).toMatchObject(REFUNDED);
    await poll(quoteId, says('COMPLETED'));
    expect(await resolutionOf(quoteId)).toBeNull();
    expect(await wordsOf(quoteId)).toEqual([
      '1 created',
      '2 executing',
      '3 updated refunded',
      '4 updated',
      '5 anomaly',
      '6 completed',
    ]);
  });
});

describe('a resolution beside a poll', () => {
  it('that comes between the claim and its answer is published before the new status, which ends it', async () => {
    const quoteId = await added();
    const claim = await claimed(quoteId);
    await two.payments.resolve(quoteId, REFUNDED);
    await recorder().record(claim, says('COMPLETED'));
    expect(await wordsOf(quoteId)).toEqual(['1 created', '2 updated refunded', '3 completed']);
    expect(await resolutionOf(quoteId)).toBeNull();
  });

  it('that comes between the claim and an answer without a new status stands', async () => {
    const quoteId = await added();
    const claim = await claimed(quoteId);
    await two.payments.resolve(quoteId, REFUNDED);
    await recorder().record(claim, says('AWAITING_DEPOSIT', { gas: '1' }));
    expect(await wordsOf(quoteId)).toEqual(['1 created', '2 updated refunded', '3 updated']);
    expect(await resolutionOf(quoteId)).toMatchObject(REFUNDED);
  });

  it('that comes after it follows the new status, and stands', async () => {
    const quoteId = await added();
    await recorder().record(await claimed(quoteId), says('COMPLETED'));
    await two.payments.resolve(quoteId, REFUNDED);
    expect(await wordsOf(quoteId)).toEqual(['1 created', '2 completed', '3 updated refunded']);
    expect(await resolutionOf(quoteId)).toMatchObject(REFUNDED);
  });

  it('loses nothing and repeats no number, however they race', async () => {
    const quoteIds = await Promise.all(Array.from({ length: 10 }, () => added()));
    const records = recorder();
    for (const quoteId of quoteIds) {
      const resolving = Array.from({ length: 4 }, (_none, n) =>
        (n % 2 === 0 ? one : two).payments.resolve(quoteId, { ...REFUNDED, note: `${quoteId} ${n}` }),
      );
      const polling = (async (): Promise<void> => {
        for (const status of ['EXECUTING', 'COMPLETED'])
          await records.record(await claimed(quoteId), says(status));
      })();
      await Promise.all([...resolving, polling]);
    }
    for (const quoteId of quoteIds) {
      const events = (await bodiesOf(quoteId)).map((body) => JSON.parse(body) as Published);
      expect(events.map(({ data }) => data.sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      const last = events.findLastIndex(({ type }) => type === 'payment.updated');
      const completed = events.findIndex(({ type }) => type === 'payment.completed');
      const expected = last > completed ? events[last]?.data.resolution : null;
      expect(await resolutionOf(quoteId)).toEqual(expected);
    }
  }, 30_000);
});
