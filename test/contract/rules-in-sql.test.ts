import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';

import { isSettled, RESOLUTION_REASONS } from '../../src/domain/payment/payment.ts';
import { isFound, readSearch, type Search } from '../../src/domain/payment/search.ts';
import type { IntervalScale } from '../../src/domain/polling/interval-scale.ts';
import { scaleUpToMs } from '../../src/domain/polling/spacing.ts';
import { URGENCY, URGENCY_NAMES, type UrgencyClass } from '../../src/domain/polling/urgency.ts';
import type { Claim, Poll } from '../../src/ports/schedule.ts';
import { openDataSource } from '../support/data-source.ts';
import { openReplicas } from '../support/replicas.ts';
import { paymentToAdd, URGENCY_RULES, type Stores } from '../support/stores.ts';
import { dueAfterClaim, dueAfterOutage, latestPoll, scaledMs } from '../support/schedule-rules.ts';

/** Rules that PostgreSQL and the domain both have: both decide the same on random input. */

const LEASE_MS = 2_000;
/** PostgreSQL counts in microseconds, about as exactly as a double holds milliseconds of this century. */
const ROUNDING_MS = 0.01;
const UP_TO_MS = scaleUpToMs(URGENCY_RULES);

let source: DataSource;
let one: Stores;

beforeAll(async () => {
  const replicas = await openReplicas();
  ({ one } = replicas);
  source = await openDataSource(replicas.db);
});

function query<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
  return source.query<Row[]>(sql, [...values]);
}

const urgencies = fc.constantFrom<UrgencyClass>(0, 1, 2, 3);
const intervals = fc.integer({ min: 0, max: 100_000_000 });
const factors = fc.double({ min: 1, max: 10_000, noNaN: true });
const scales = fc.tuple(factors, factors, factors, factors);
const times = fc.integer({ min: 0, max: 4_000_000_000_000 });

interface Scaled {
  readonly inMs: number;
  readonly urgency: UrgencyClass;
  readonly scale: IntervalScale;
}

describe('an interval', () => {
  it('is scaled by PostgreSQL as by the domain', async () => {
    const cases = fc.array(fc.record({ inMs: intervals, urgency: urgencies, scale: scales }), {
      minLength: 50,
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(cases, async (scaled: Scaled[]) => {
        const rows = await query<{ ms: number }>(SCALED, [
          scaled.map(({ inMs }) => inMs),
          scaled.map(({ urgency, scale }) => scale[urgency]),
          scaled.map(({ urgency }) => UP_TO_MS[urgency]),
        ]);
        for (const [index, { inMs, urgency, scale }] of scaled.entries()) {
          const expected = scaledMs(inMs, urgency, scale, UP_TO_MS);
          // A double has 15 digits, as many as an interval of years in microseconds.
          expect(Math.abs((rows[index]?.ms ?? Number.NaN) - expected)).toBeLessThan(0.002 + expected * 1e-12);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is scaled by the row of its urgency, as the store has it', async () => {
    await fc.assert(
      fc.asyncProperty(scales, async (scale) => {
        await one.rateLimit.setScale(scale);
        expect((await one.rateLimit.state()).scale).toEqual(scale);
        const rows = await query('SELECT urgency, factor, up_to_ms FROM interval_scale ORDER BY urgency');
        expect(rows).toEqual(
          URGENCY_NAMES.map((urgency, index) => ({
            urgency,
            factor: scale[index],
            up_to_ms: UP_TO_MS[index],
          })),
        );
      }),
      { numRuns: 20 },
    );
  });
});

describe('the latest poll', () => {
  it('is the same to PostgreSQL and to the domain', async () => {
    const near = fc.tuple(times, fc.integer({ min: -5, max: 5 })).map(([at, by]) => ({ at, by: at + by }));
    const far = fc.record({ at: times, by: times });
    const cases = fc.array(fc.tuple(fc.oneof(near, far), intervals), { minLength: 50, maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(cases, async (polls) => {
        const rows = await query<{ ms: number }>(LATEST, [
          polls.map(([{ by }]) => by),
          polls.map(([{ at }]) => at),
          polls.map(([, intervalMs]) => intervalMs),
        ]);
        expect(rows.map(({ ms }) => ms)).toEqual(
          polls.map(([{ by, at }, intervalMs]) => latestPoll(by, at, intervalMs)),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('is none for a payment that is not awaiting', async () => {
    expect(await query('SELECT latest_poll(NULL, now(), 7000) AS at')).toEqual([{ at: null }]);
  });
});

describe('the next poll', () => {
  let quoteId: string;

  beforeEach(async () => {
    await query('DELETE FROM payment');
    quoteId = randomUUID();
    await one.payments.add(paymentToAdd(quoteId));
  });

  interface Due {
    readonly intervalMs: number;
    readonly urgency: UrgencyClass;
    readonly scale: IntervalScale;
    readonly byInMs: number | null;
  }

  const dues = fc.record({
    intervalMs: fc.integer({ min: 1, max: 600_000 }),
    urgency: urgencies,
    scale: scales,
    byInMs: fc.option(fc.integer({ min: -100_000, max: 600_000 })),
  });

  function usualMs({ intervalMs, urgency, scale }: Due): number {
    return scaledMs(intervalMs, urgency, scale, UP_TO_MS);
  }

  /** Bounds a due time by the latest poll, as the domain does, unless `earliestMs` is later. */
  function bounded(
    dueMs: number,
    byMs: number | null,
    nowMs: number,
    intervalMs: number,
    earliestMs: number,
  ): number {
    const latestMs = byMs === null ? Number.POSITIVE_INFINITY : latestPoll(byMs, nowMs, intervalMs);
    return Math.max(Math.min(dueMs, latestMs), earliestMs);
  }

  function expectBetween(value: number, least: number, most: number): void {
    expect(value).toBeGreaterThanOrEqual(least - ROUNDING_MS);
    expect(value).toBeLessThanOrEqual(most + ROUNDING_MS);
  }

  it('that a claim schedules is the one that the domain allows', async () => {
    await fc.assert(
      fc.asyncProperty(dues, async (due) => {
        await one.rateLimit.setScale(due.scale);
        const [set] = await query<Times>(SET_DUE, [
          quoteId,
          due.intervalMs,
          URGENCY_NAMES[due.urgency],
          due.byInMs,
        ]);
        expect(await one.schedule.claimDue(1, LEASE_MS)).toHaveLength(1);
        const [{ due_ms: dueMs, polled_ms: nowMs, by_ms: byMs } = NO_TIMES] = await query<Times>(TIMES, [
          quoteId,
        ]);
        const setMs = set?.due_ms ?? Number.NaN;
        const [least, most] = [0, 1].map((random) =>
          dueAfterClaim(setMs, nowMs, usualMs(due), due.urgency, random),
        ) as [number, number];
        const bound = (ms: number): number =>
          due.urgency === URGENCY.watching
            ? nowMs + LEASE_MS
            : bounded(ms, byMs, nowMs, due.intervalMs, nowMs + LEASE_MS);
        expectBetween(dueMs, bound(least), bound(most));
      }),
      { numRuns: 100 },
    );
  });

  it('that a recorded poll schedules is the one that the domain says', async () => {
    await fc.assert(
      fc.asyncProperty(dues, async (due) => {
        await one.rateLimit.setScale(due.scale);
        await query(SET_DUE, [quoteId, due.intervalMs, URGENCY_NAMES[due.urgency], null]);
        const [claim] = await one.schedule.read(await one.schedule.claimDue(1, LEASE_MS));
        if (claim === undefined) throw new Error('nothing was claimed');
        const before = await clock();
        await one.schedule.record([silentPoll(claim, due)]);
        const after = await clock();
        const [{ due_ms: dueMs, by_ms: byMs } = NO_TIMES] = await query<Times>(TIMES, [quoteId]);
        const intervalMs = Math.max(due.intervalMs, URGENCY_RULES.gapMs);
        const at = (nowMs: number): number =>
          bounded(nowMs + usualMs({ ...due, intervalMs }), byMs, nowMs, intervalMs, nowMs + intervalMs);
        expectBetween(dueMs, at(before), at(after));
      }),
      { numRuns: 100 },
    );
  });

  it('that follows an outage is the one that the domain allows', async () => {
    const outages = fc.integer({ min: 1, max: 600_000 });
    await fc.assert(
      fc.asyncProperty(dues, outages, async (due, outageMs) => {
        await one.rateLimit.setScale(due.scale);
        await query(SET_DUE, [quoteId, due.intervalMs, URGENCY_NAMES[due.urgency], due.byInMs]);
        const [{ due_ms: beganMs } = NO_TIMES] = await query<Times>(SET_OVERDUE, [quoteId, outageMs]);
        const before = await clock();
        expect(await one.schedule.spreadOverdue()).toMatchObject({ payments: 1 });
        const after = await clock();
        const [{ due_ms: dueMs, by_ms: byMs } = NO_TIMES] = await query<Times>(TIMES, [quoteId]);
        const at = (nowMs: number, random: number): number => {
          const spreadMs = dueAfterOutage(nowMs, usualMs(due), nowMs - beganMs, random);
          return bounded(spreadMs, byMs, nowMs, due.intervalMs, Number.NEGATIVE_INFINITY);
        };
        expectBetween(dueMs, at(before, 0), at(after, 1));
      }),
      { numRuns: 100 },
    );
  });

  async function clock(): Promise<number> {
    const [row] = await query<{ ms: number }>(`SELECT ${ms('clock_timestamp()')} AS ms`);
    return row?.ms ?? Number.NaN;
  }

  /** A silent poll of an awaiting payment that expires then. Does not change the payment's own row. */
  function silentPoll({ payment: stored, ...claim }: Claim, { intervalMs, urgency, byInMs }: Due): Poll {
    const expiresAt = byInMs === null ? null : new Date(Date.now() + byInMs);
    const payment = { ...stored, expiresAt };
    return {
      claim: { ...claim, payment },
      askedAgoMs: 0,
      payment,
      events: [],
      report: null,
      next: { inMs: intervalMs, urgency },
      judgedAt: new Date(),
      isSilent: true,
      isCharged: false,
    };
  }
});

describe('the functions of both rules', () => {
  it('are inlined into the claim, which would call them for each payment otherwise', async () => {
    const plan = await query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (VERBOSE) SELECT scaled_interval(s.interval_ms, x.factor, x.up_to_ms),
         latest_poll(s.poll_by, now(), s.interval_ms)
       FROM payment_schedule s JOIN interval_scale x ON x.provider = s.provider AND x.urgency = s.urgency`,
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).not.toMatch(/scaled_interval|latest_poll/);
  });

  it('know every urgency', async () => {
    const [row] = await query<{ names: string[] }>('SELECT enum_range(NULL::poll_urgency)::text[] AS names');
    expect(row?.names).toEqual(URGENCY_NAMES);
    expect(Object.values(URGENCY)).toEqual([...URGENCY_NAMES.keys()]);
  });
});

const SCALED = `
  SELECT (extract(epoch FROM scaled_interval(i.in_ms, i.factor, i.up_to_ms)) * 1000)::float8 AS ms
  FROM unnest($1::float8[], $2::float8[], $3::float8[]) WITH ORDINALITY AS i (in_ms, factor, up_to_ms, n) ORDER BY n`;

const LATEST = `
  SELECT (extract(epoch FROM latest_poll(to_timestamp(i.by / 1000), to_timestamp(i.at / 1000), i.interval_ms)) * 1000)
    ::float8 AS ms
  FROM unnest($1::float8[], $2::float8[], $3::float8[]) WITH ORDINALITY AS i (by, at, interval_ms, n) ORDER BY n`;

function ms(time: string): string {
  return `(extract(epoch FROM ${time}) * 1000)::float8`;
}

interface Times {
  readonly due_ms: number;
  readonly polled_ms: number;
  readonly by_ms: number | null;
}

const NO_TIMES: Times = { due_ms: Number.NaN, polled_ms: Number.NaN, by_ms: null };

const ALL_TIMES = `${ms('due_at')} AS due_ms, ${ms('polled_at')} AS polled_ms, ${ms('poll_by')} AS by_ms`;

const TIMES = `SELECT ${ALL_TIMES} FROM payment_schedule WHERE quote_id = $1`;

/** Makes a payment due now that was polled long ago, was answered, and has no notice. */
const SET_DUE = `
  WITH reset AS (
    UPDATE payment_schedule SET due_at = now(), interval_ms = $2, urgency = $3::poll_urgency,
      polled_at = now() - interval '1 day', poll_by = now() + $4::int * interval '1 millisecond', noticed_at = NULL,
      failures = 0, silent_since = NULL, unchanged_until = NULL
    WHERE quote_id = $1 RETURNING ${ALL_TIMES}
  ) SELECT * FROM reset`;

const SET_OVERDUE = `
  WITH late AS (
    UPDATE payment_schedule SET due_at = due_at - $2::int * interval '1 millisecond'
    WHERE quote_id = $1 RETURNING ${ALL_TIMES}
  ) SELECT * FROM late`;

describe('a payment', () => {
  it.each([null, ...RESOLUTION_REASONS])(
    'with the resolution %s is settled where the domain says so',
    async (reason) => {
      const resolution = reason === null ? null : { note: '"reason":"released"', reason };
      const text = resolution === null ? null : JSON.stringify(resolution);
      const [row] = await query<{ settled: boolean }>('SELECT is_settled($1) IS TRUE AS settled', [text]);
      expect(row?.settled).toBe(isSettled(resolution));
    },
  );
});

describe('the search terms of a report', () => {
  const words = fc.stringMatching(/^(bitcoincash:|BITCOINCASH:)?(0x|0X)?[0-9a-zA-Z_.: é-]{0,24}$/);
  const amounts = fc.stringMatching(/^0{0,2}\d{0,30}(\.\d{0,20}0{0,2})?$/);
  const names = fc.oneof(words, fc.constantFrom('amount', 'estimatedAmount', 'amountRaw'));
  const reports = fc.dictionary(names, fc.oneof(words, amounts, fc.array(words), fc.integer()));

  async function termsOf(texts: readonly string[]): Promise<string[][]> {
    const rows = await query<{ terms: string[] | null }>(TERMS, [texts]);
    return rows.map(({ terms }) => (terms ?? []).toSorted());
  }

  /** Whether the index finds the search among these terms: see search_payments. */
  function hasTermOf(terms: readonly string[], { term, isWholeTerm, amount }: Search): boolean {
    const isWanted = (each: string): boolean =>
      each === amount || each === term || (term !== null && !isWholeTerm && each.startsWith(term));
    return terms.some(isWanted);
  }

  it('lack nothing that the domain finds in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reports, { minLength: 20, maxLength: 50 }), async (given) => {
        const texts = given.map((report) => JSON.stringify(report));
        const all = await termsOf(texts);
        for (const [index, reportText] of texts.entries()) {
          const parts = reportText.split('"');
          const searches = [...parts, ...parts.map((part) => part.slice(0, 9))].map(readSearch);
          const facts = { quoteId: 'none', orderId: null, quoteText: null, reportText };
          const missed = searches.filter(
            (each) => isFound(each, facts) && !hasTermOf(all[index] ?? [], each),
          );
          expect([reportText, missed]).toEqual([reportText, []]);
        }
      }),
      { numRuns: 30 },
    );
  });

  const HASH = '0xAbCdEf0123456789aBcDeF0123456789abcdef0123456789abcdef0123456789';
  const SOLANA = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
  const CASH = 'bitcoincash:qqrswpc8qurswpc8qurswpc8qurswpc8qutdt3aw7w';
  it.each<[string, unknown, string[]]>([
    [
      'the beginnings of values that look like an id, an address or a transaction, each once',
      [HASH, { a: [SOLANA, HASH.slice(0, 20), CASH, CASH.toUpperCase()] }],
      ['7xkxtg2cw87d', 'abcdef012345', 'qqrswpc8qurs'],
    ],
    ['the amounts', { amount: '012345678901.50', estimatedAmount: '7' }, ['=12345678901.5', '=7']],
    ['no word without a digit', 'DEPOSIT_RECEIVED', []],
    ['no number', '1763640000000', []],
    ['nothing too short', 'abcdef123', []],
    ['nothing too long', 'a1'.repeat(66), []],
    ['a value of ten characters', 'abcdefghi1', ['abcdefghi1']],
    ['a value of 130 characters', 'a1'.repeat(65), ['a1'.repeat(6)]],
    ['no sentence', 'the deposit 1 was seen', []],
    ['what stands before 0x within a value', 'shop10x7order', ['shop10x7orde']],
  ])('are %s', async (_what, value, terms) => {
    expect(await termsOf([JSON.stringify({ value })])).toEqual([terms]);
  });
});

const TERMS = `
  SELECT tsvector_to_array(search_terms(text)) AS terms FROM unnest($1::text[]) WITH ORDINALITY AS t (text, n) ORDER BY n`;
