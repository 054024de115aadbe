import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';

import { LOG_START } from '../../src/domain/event/log-position.ts';
import type { Claim, DueClaim } from '../../src/ports/schedule.ts';
import type { PollRecorder } from '../../src/features/polling/poll-recorder.ts';
import { untilLocked, whileHeld } from '../support/held-rows.ts';
import { recorderOn } from '../support/poll-requests.ts';
import { claimed, closed, pollResult, says } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';
import { URGENCY_RULES } from '../support/urgency-rules.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { EVENT_SCHEMAS, schemaDocument } from '../../src/domain/event/event-schemas.ts';
import { schemaCheck } from '../support/schema-check.ts';

/** None of these payments keeps the order. */
const STATUSES = ['DEPOSIT_RECEIVED', 'EXECUTING', 'FAILED'];

const { db, one, two } = await openReplicas();
afterEach(() => db.query('DELETE FROM destination'));

interface Published {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly orderId: string | null;
    readonly metadata: object | null;
    readonly sequence: number;
    readonly status: string;
    readonly previousStatus: string;
    readonly payment: object | null;
    readonly resolution?: { readonly reason: string } | null;
  };
}

async function added(stores = one): Promise<string> {
  const quoteId = randomUUID();
  await stores.payments.add(paymentToAdd(quoteId));
  return quoteId;
}

async function eventsOf(quoteId: string): Promise<Published[]> {
  const page = await one.payments.eventsOf(quoteId);
  return (page?.events ?? []).map((body) => JSON.parse(body) as Published);
}

async function wordsOf(quoteId: string): Promise<string[]> {
  return (await eventsOf(quoteId)).map(
    ({ type, data }) => `${data.sequence} ${type.replace('payment.', '')} ${data.orderId ?? '-'}`,
  );
}

const recordOn = ({ schedule, wakeSignals: signals }: Stores): PollRecorder =>
  recorderOn(schedule, { signals });

/** Replica one, which sets a label after each of its first `times` reads of this payment. */
function labelledAfterReads(quoteId: string, times: number): Stores {
  let left = times;
  const label = async (claims: Claim[]): Promise<Claim[]> => {
    left -= 1;
    if (left >= 0) await two.payments.label(quoteId, { orderId: `A-${left}`, metadata: null });
    return claims;
  };
  const schedule = Object.create(one.schedule, {
    read: { value: async (claims: readonly DueClaim[]) => label(await one.schedule.read(claims)) },
    readAgain: { value: async (claims: readonly DueClaim[]) => label(await one.schedule.readAgain(claims)) },
  });
  return { ...one, schedule };
}

describe('an order id that is set later', () => {
  it('is published by one payment.updated with the stored report, to every destination that gets events', async () => {
    const [shop, narrow] = [await addDestination(db), randomUUID()];
    await addDestination(db, { id: narrow, eventTypes: ['payment.completed'] });
    const quoteId = await added();
    await one.schedule.record([pollResult(await claimed(one, quoteId), says('EXECUTING', { quoteId }))]);
    await two.payments.label(quoteId, { orderId: 'A-1', metadata: { shop: 'eu' } });
    expect((await eventsOf(quoteId)).at(-1)).toMatchObject({
      type: 'payment.updated',
      data: {
        orderId: 'A-1',
        metadata: { shop: 'eu' },
        sequence: 3,
        status: 'EXECUTING',
        previousStatus: 'EXECUTING',
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

  it('is published for a completed payment too, which is then kept for as long as its other events', async () => {
    const quoteId = await added();
    await closed(one, quoteId);
    await db.query(`UPDATE payment SET updated_at = now() - interval '1 year' WHERE quote_id = $1`, [
      quoteId,
    ]);
    await one.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    await one.retention.removeClosedBefore(new Date(Date.now() - 86_400_000), 1_000);
    expect(await wordsOf(quoteId)).toEqual(['1 created -', '2 completed -', '3 updated A-1']);
    expect(await one.payments.find(quoteId)).toMatchObject({ status: 'COMPLETED', tracking: 'closed' });
  });

  it('comes to nothing where the payment is just being removed', async () => {
    const quoteId = await added();
    await one.schedule.record([pollResult(await claimed(one, quoteId), says('COMPLETED'))]);
    let labelling: Promise<unknown> | undefined;
    await whileHeld(db, ['DELETE FROM payment WHERE quote_id = $1', [quoteId]], async () => {
      labelling = one.payments.label(quoteId, { orderId: 'A-1', metadata: null });
      await untilLocked(db);
    });
    await labelling;
    expect(await one.payments.read(quoteId)).toBe('removed');
  });
});

/** The log from its start to its present end; a transaction of any database on the server may hold it back. */
async function readLog(): Promise<(Published & { subject: string })[]> {
  const bodies: string[] = [];
  for (let position = LOG_START; ;) {
    const page = await one.eventLog.read(position, { types: [] }, 1_000);
    if (page.events.length === 0) return bodies.map((body) => JSON.parse(body));
    bodies.push(...page.events.map(({ body }) => body));
    position = page.last;
  }
}

describe('a poll of a payment that is labelled meanwhile', () => {
  it('is judged anew, so that the change is published at once, under the next number and the new label', async () => {
    const quoteId = await added();
    const claim = await claimed(one, quoteId);
    await two.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    const poll = await recordOn(one).record(claim, says('COMPLETED'));
    expect(poll.payment).toMatchObject({ sequence: 3, status: 'COMPLETED', orderId: 'A-1' });
    expect(await wordsOf(quoteId)).toEqual(['1 created -', '2 updated A-1', '3 completed A-1']);
    expect(await one.payments.find(quoteId)).toMatchObject({ status: 'COMPLETED', tracking: 'watching' });
  });

  it('is reported as outdated, and what it saw counts as known to nobody', async () => {
    const quoteId = await added();
    await one.schedule.record([pollResult(await claimed(one, quoteId), says('EXECUTING'))]);
    const claim = await claimed(one, quoteId);
    await two.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    const poll = pollResult(claim, says('EXECUTING', { deposit: { amount: '1' } }));
    expect(await one.schedule.record([poll])).toMatchObject({ stale: 0, outdated: [poll] });
    await db.query(`UPDATE payment_schedule SET due_at = now() WHERE quote_id = $1`, [quoteId]);
    const due = (await one.schedule.claimDue(1_000, 6_000)).find((each) => each.quoteId === quoteId);
    expect(due?.knownDigest).toBeNull();
    expect(await wordsOf(quoteId)).toEqual(['1 created -', '2 executing -', '3 updated A-1']);
  });

  it('is judged five times at most, and else dropped: its next poll publishes the change', async () => {
    const [four, five] = [await added(), await added()];
    const [recorder, dropping] = [labelledAfterReads(four, 4), labelledAfterReads(five, 5)].map(recordOn);
    expect(await recorder?.recordAnswer(await claimed(one, four), says('COMPLETED'))).toBe(true);
    expect((await wordsOf(four)).slice(4)).toEqual(['5 updated A-0', '6 completed A-0']);
    expect(await dropping?.recordAnswer(await claimed(one, five), says('COMPLETED'))).toBe(false);
    expect((await wordsOf(five)).slice(5)).toEqual(['6 updated A-0']);
    expect(await db.query(DUE_SOON, [five])).toEqual([{ is_soon: true }]);
    expect(await recordOn(one).recordAnswer(await claimed(one, five), says('COMPLETED'))).toBe(true);
    expect((await wordsOf(five)).slice(6)).toEqual(['7 completed A-0']);
  });

  it('comes to nothing where the payment is removed before it is judged anew', async () => {
    const quoteId = await added();
    const claim = await claimed(one, quoteId);
    const poll = pollResult(claim, says('COMPLETED'));
    await two.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    expect(await one.schedule.record([poll])).toMatchObject({ stale: 0, outdated: [poll] });
    await db.query('DELETE FROM payment WHERE quote_id = $1', [quoteId]);
    expect(await one.schedule.readAgain([claim])).toEqual([]);
  });

  it('loses nothing and repeats no number, however they race, and the log keeps their order', async () => {
    const quoteIds = await Promise.all(Array.from({ length: 15 }, () => added()));
    const recorders = [recordOn(one), recordOn(two)];
    const labels = quoteIds.flatMap((quoteId) =>
      Array.from({ length: 6 }, (_, n) => async () => {
        const stores = n % 2 === 0 ? one : two;
        const orderId = `${quoteId}-${n}`;
        if (n % 3 === 0) await stores.payments.add(paymentToAdd(quoteId, { orderId }));
        else await stores.payments.label(quoteId, { orderId, metadata: null });
      }),
    );
    const polls = quoteIds.map((quoteId, index) => async () => {
      const recorder = recorders[index % 2];
      // Claims once for each status: no search runs a second time.
      for (const status of STATUSES) await recorder?.record(await claimed(one, quoteId), says(status));
    });
    await Promise.all([...polls, ...labels].map((work) => work()));

    for (const quoteId of quoteIds) {
      const events = await eventsOf(quoteId);
      expect(events.map(({ data }) => data.sequence)).toEqual(events.map((_event, index) => index + 1));
      const moves = events.filter(({ type }) => type !== 'payment.updated').map(({ data }) => data.status);
      expect(moves).toEqual(['AWAITING_DEPOSIT', ...STATUSES]);
      const orderIds = events
        .filter(({ type }) => type === 'payment.updated')
        .map(({ data }) => data.orderId);
      expect(new Set(orderIds)).toEqual(new Set(Array.from({ length: 6 }, (_, n) => `${quoteId}-${n}`)));
      expect(orderIds).toHaveLength(6);
      expect((await one.payments.find(quoteId))?.orderId).toBe(events.at(-1)?.data.orderId);
    }
    const published = await waitFor(async () => {
      const events = (await readLog()).filter(({ subject }) => quoteIds.includes(subject));
      return events.length >= 10 * quoteIds.length ? events : null;
    });
    for (const quoteId of quoteIds) {
      const numbers = published.filter(({ subject }) => subject === quoteId).map(({ data }) => data.sequence);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect(numbers).toHaveLength(10);
    }
  });
});

/** Five seconds after the last judgement, or the gap between two polls after the claim. */
const DUE_SOON = `
  SELECT due_at <= now() + interval '${URGENCY_RULES.gapMs} milliseconds' AS is_soon FROM payment_schedule WHERE quote_id = $1`;

async function bodiesOf(quoteId: string): Promise<readonly string[]> {
  return (await one.payments.eventsOf(quoteId))?.events ?? [];
}

/** `2 updated refunded`, `3 updated null`, `4 completed` */
async function resolutionWordsOf(quoteId: string): Promise<string[]> {
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

const REFUNDED = { reason: 'refunded', note: null, by: 'anna' } as const;
const check = schemaCheck(EVENT_SCHEMAS.map(schemaDocument));

describe('a resolution, and a name after the completion', () => {
  it('make events by the schema, given and taken back', async () => {
    const quoteId = await added();
    await one.schedule.record([pollResult(await claimed(one, quoteId), says('COMPLETED'))]);
    for (const orderId of ['A-1', 'A-2'])
      await one.payments.label(quoteId, { orderId, metadata: null, mayRename: true });
    await one.payments.resolve(quoteId, REFUNDED);
    await one.payments.resolve(quoteId, null);
    for (const body of await bodiesOf(quoteId)) expect([body, check(body)]).toEqual([body, null]);
    const wrong = (await bodiesOf(quoteId)).map((body) =>
      check(body.replace('"refunded"', '"stolen"').replace('"named":true', '"named":false')),
    );
    expect(wrong.filter((fault) => fault !== null)).toEqual([
      expect.stringContaining('named'),
      expect.stringContaining('resolution'),
    ]);
  });
});

describe('a resolution beside a poll', () => {
  it('that comes between the claim and its answer is published before the new status, which ends it', async () => {
    const quoteId = await added();
    const claim = await claimed(one, quoteId);
    await two.payments.resolve(quoteId, REFUNDED);
    await recordOn(one).record(claim, says('COMPLETED'));
    expect(await resolutionWordsOf(quoteId)).toEqual(['1 created', '2 updated refunded', '3 completed']);
    expect(await resolutionOf(quoteId)).toBeNull();
  });
});
