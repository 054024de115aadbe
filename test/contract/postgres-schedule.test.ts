import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { NO_SCALE } from '../../src/domain/polling/interval-scale.ts';
import { URGENCY, urgencyName, type UrgencyClass } from '../../src/domain/polling/urgency.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim, DueClaim } from '../../src/ports/schedule.ts';
import { applyPoll, applyUnaskedPoll } from '../../src/features/polling/apply-poll.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import type { TestDatabase } from '../support/database.ts';
import { openReplicas } from '../support/replicas.ts';
import { paymentToAdd, URGENCY_RULES, type Stores } from '../support/stores.ts';

const RULES = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);
const LEASE_MS = 5_100;
const MINUTE_MS = 60_000;
const DOWN: StatusAnswer = { kind: 'unavailable', httpStatus: 500, reason: 'status 500', retryAfterMs: null };

let db: TestDatabase;
let one: Stores;
let two: Stores;

beforeAll(async () => {
  ({ db, one, two } = await openReplicas());
});
beforeEach(async () => {
  await db.query('DELETE FROM payment');
  await one.rateLimit.setScale(NO_SCALE);
});

/** A payment that has been due for `dueForMs` in this class, at the usual interval. */
async function due(urgency: UrgencyClass, dueForMs: number): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add(paymentToAdd(quoteId));
  await set(
    quoteId,
    `urgency = '${urgencyName(urgency)}', interval_ms = 7000, due_at = now() - interval '${dueForMs} ms',
    polled_at = now() - interval '${dueForMs + 7_000} ms'`,
  );
  return quoteId;
}

async function set(quoteId: string, assignments: string): Promise<void> {
  await db.query(
    `UPDATE payment_schedule SET ${assignments} WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
    [quoteId],
  );
}

interface ScheduleRow {
  readonly urgency: string;
  readonly failures: number;
  readonly interval_ms: number;
  readonly gap_ms: number;
  readonly due_in_ms: number;
}

async function row(quoteId: string): Promise<ScheduleRow> {
  const [found] = await db.query<ScheduleRow>(
    `SELECT urgency, failures, interval_ms, extract(epoch FROM due_at - polled_at)::float8 * 1000 AS gap_ms,
       extract(epoch FROM due_at - now())::float8 * 1000 AS due_in_ms
     FROM payment_schedule WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
    [quoteId],
  );
  if (found === undefined) throw new Error(`${quoteId} is not scheduled`);
  return found;
}

const idsOf = (claims: readonly DueClaim[]): string[] => claims.map((claim) => claim.quoteId);

async function claimOne(stores = one): Promise<Claim> {
  const [claim] = await stores.schedule.read(await stores.schedule.claimDue(1, LEASE_MS));
  if (claim === undefined) throw new Error('nothing is due');
  return claim;
}

describe('a claim', () => {
  it('takes money in flight first, then attended payments, then the others, then the late watch', async () => {
    const expected: string[] = [];
    for (const urgency of [3, 1, 0, 2] as const) expected[urgency] = await due(urgency, 1_000);
    const order: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) order.push(...idsOf([await claimOne()]));
    expect(order).toEqual(expected);
  });

  it('takes what has waited long in a low class before what has just become due in a high one', async () => {
    const waiting = await due(URGENCY.unattended, 9_000);
    await due(URGENCY.inFlight, 1_000);
    expect(idsOf([await claimOne()])).toEqual([waiting]);
  });

  it('of two replicas at once never takes a payment twice, in any class', async () => {
    for (let index = 0; index < 40; index += 1) await due((index % 4) as UrgencyClass, 1_000);
    const claims = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).schedule.claimDue(10, LEASE_MS)),
    );
    const rest = await one.schedule.claimDue(100, LEASE_MS);
    const ids = [...claims, rest].flatMap(idsOf);
    expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
  });

  it('schedules the next look by the stretched interval of its class, a little apart from the others', async () => {
    await one.rateLimit.setScale([1, 2, 4, 10]);
    const ids = await Promise.all(([0, 1, 2, 3] as const).map((urgency) => due(urgency, 0)));
    await one.schedule.claimDue(10, LEASE_MS);
    for (const [index, factor] of [1, 2, 4, 10].entries()) {
      const { gap_ms: gapMs } = await row(ids[index] ?? '');
      expect(gapMs / 7_000).toBeGreaterThan(factor * 0.99);
      expect(gapMs / 7_000).toBeLessThan(factor * 1.041);
    }
  });

  it('of what was due for long makes up for nothing: the next look is within an interval, and not closer than the lease', async () => {
    const quoteId = await due(URGENCY.unattended, 3_600_000);
    await claimOne();
    const { gap_ms: gapMs } = await row(quoteId);
    expect(gapMs).toBeGreaterThanOrEqual(LEASE_MS);
    expect(gapMs).toBeLessThanOrEqual(7_000);
  });

  it('tells how long ago the provider last said something usable, and when somebody asked', async () => {
    const quoteId = await due(URGENCY.attended, 0);
    await one.schedule.hint([quoteId], LEASE_MS);
    const { answeredAgoMs, hintedAt } = await claimOne();
    expect(answeredAgoMs).toBeGreaterThanOrEqual(7_000);
    expect(hintedAt).toBeInstanceOf(Date);
  });
});

describe('a look', () => {
  it('that is silent for no fault of the payment makes it wait no longer than usual', async () => {
    const charged = await due(URGENCY.unattended, 0);
    await one.schedule.record([applyPoll(await claimOne(), DOWN, new Date(), RULES)]);
    const spared = await due(URGENCY.unattended, 0);
    await one.schedule.record([applyPoll(await claimOne(), DOWN, new Date(), RULES, false)]);
    expect([(await row(charged))['failures'], (await row(spared))['failures']]).toEqual([1, 0]);
    expect((await row(spared))['interval_ms']).toBe(7_000);
  });

  it('that comes back after its claim was taken over is counted, and changes nothing', async () => {
    const quoteId = await due(URGENCY.unattended, 0);
    const stale = await claimOne();
    await set(quoteId, 'due_at = now()');
    const fresh = await claimOne(two);
    const text = '{"status":"COMPLETED"}';
    const report = {
      quoteId: null,
      status: 'COMPLETED',
      expiresAt: null,
      partDigests: {},
      text,
      digest: 'm',
    };
    const says = { kind: 'report', report } as const;
    expect(await one.schedule.record([applyPoll(stale, says, new Date(), RULES)])).toEqual({
      stale: 1,
      outdated: [],
    });
    expect((await one.payments.find(quoteId))?.status).toBe('AWAITING_DEPOSIT');
    expect(await two.schedule.record([applyPoll(fresh, says, new Date(), RULES)])).toEqual({
      stale: 0,
      outdated: [],
    });
    expect((await one.payments.find(quoteId))?.status).toBe('COMPLETED');
  });
});

describe('a hint', () => {
  it('makes an unattended payment attended, and brings a stretched look forward', async () => {
    await one.rateLimit.setScale([1, 1, 8, 8]);
    const quoteId = await due(URGENCY.unattended, 0);
    await claimOne();
    expect((await row(quoteId))['due_in_ms']).toBeGreaterThan(50_000);
    await one.schedule.hint([quoteId], LEASE_MS);
    const { urgency, gap_ms: gapMs } = await row(quoteId);
    expect(urgency).toBe('attended');
    expect(gapMs).toBeCloseTo(7_000, -1);
  });

  it('leaves payments in flight, watched and unknown ones, and those being looked at, as they are', async () => {
    const ids = [await due(URGENCY.inFlight, 0), await due(URGENCY.watching, 0)];
    const before = await Promise.all(ids.map(row));
    await one.schedule.hint([...ids, randomUUID()], LEASE_MS);
    const after = await Promise.all(ids.map(row));
    expect(after.map(({ urgency }) => urgency)).toEqual(before.map(({ urgency }) => urgency));
  });
});

describe('payments that the provider can not be asked about', () => {
  it('are told as silent once each, and stay due', async () => {
    const quoteId = await due(URGENCY.unattended, 16 * MINUTE_MS);
    await due(URGENCY.unattended, MINUTE_MS);
    const claims = await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 20 * MINUTE_MS);
    expect(idsOf(claims)).toEqual([quoteId]);
    const polls = claims.map((claim) => applyUnaskedPoll(claim, new Date(), RULES));
    await one.schedule.record(polls);
    const events = (await one.payments.eventsOf(quoteId))?.events ?? [];
    expect(events.map((body) => (JSON.parse(body) as { type: string }).type)).toEqual([
      'payment.created',
      'payment.stalled',
    ]);
    await set(quoteId, `due_at = now() - interval '1 hour'`);
    expect(await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 20 * MINUTE_MS)).toEqual([]);
    expect((await row(quoteId))['failures']).toBe(0);
  });
});

describe('payments that were due while nobody was there to ask', () => {
  it('are not silent before the provider could not be asked for as long', async () => {
    const quoteId = await due(URGENCY.unattended, 20 * MINUTE_MS);
    expect(await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 1_000)).toEqual([]);
    await set(quoteId, `silent_since = now() - interval '16 minutes'`);
    expect(idsOf(await one.schedule.claimUnanswered(10, 15 * MINUTE_MS, 1_000))).toEqual([quoteId]);
  });
});

describe('the figures', () => {
  it('count open payments by status and class, and tell how long the first has been due', async () => {
    await due(URGENCY.unattended, 3_000);
    await due(URGENCY.unattended, 1_000);
    await due(URGENCY.inFlight, -5_000);
    const { open, lagMs } = await one.schedule.figures();
    expect(open).toContainEqual({ status: 'AWAITING_DEPOSIT', urgency: 2, payments: 2 });
    expect(open).toContainEqual({ status: 'AWAITING_DEPOSIT', urgency: 0, payments: 1 });
    expect(lagMs).toBeGreaterThanOrEqual(3_000);
    expect(lagMs).toBeLessThan(60_000);
  });

  it('tell what looks are wanted, by class', async () => {
    for (let index = 0; index < 7; index += 1) await due(URGENCY.unattended, 0);
    const [demand] = await one.rateLimit.demand();
    expect(demand).toMatchObject({ urgency: 2, payments: 7 });
    expect(demand?.perSecond).toBeCloseTo(1, 5);
  });
});

describe('a stretch', () => {
  it('leaves the way to an expiry and a backoff as long as they are beyond the usual interval', async () => {
    await one.rateLimit.setScale([1, 1, 9, 1]);
    const quoteId = await due(URGENCY.unattended, 0);
    await set(quoteId, 'interval_ms = 60000');
    await claimOne();
    const { gap_ms: gapMs } = await row(quoteId);
    expect(gapMs).toBeGreaterThanOrEqual(60_000 + 8 * 7_000);
    expect(gapMs).toBeLessThan((60_000 + 8 * 7_000) * 1.041);
  });

  it('that shrinks brings forward what was put off', async () => {
    await one.rateLimit.setScale([100, 1, 1, 1]);
    const quoteId = await due(URGENCY.inFlight, 0);
    await claimOne();
    expect((await row(quoteId))['due_in_ms']).toBeGreaterThan(400_000);
    await one.rateLimit.setScale(NO_SCALE);
    expect((await row(quoteId))['due_in_ms']).toBeLessThan(8_000);
  });
});

describe('a provider that works again', () => {
  it('has nobody wait longer for the failures of before', async () => {
    const quoteId = await due(URGENCY.unattended, 0);
    const claim = { ...(await claimOne()), failures: 4 };
    await one.schedule.record([applyPoll(claim, DOWN, new Date(), RULES)]);
    expect((await row(quoteId))['due_in_ms']).toBeGreaterThan(50_000);
    await one.rateLimit.openCircuit('open', false);
    await one.rateLimit.closeCircuit();
    const healed = await row(quoteId);
    expect(healed['failures']).toBe(0);
    expect(healed['due_in_ms']).toBeLessThanOrEqual(7_000);
  });
});
