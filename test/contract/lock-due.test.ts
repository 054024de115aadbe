import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { QueryRunner } from 'typeorm';

import { URGENCY_NAMES, type UrgencyClass } from '../../src/domain/polling/urgency.ts';
import { openDataSource } from '../support/data-source.ts';
import { openReplicas } from '../support/replicas.ts';
import { paymentToAdd } from '../support/stores.ts';

const PAYMENTS = 60;
const HOUR_MS = 3_600_000;
const NO_SLACKS = [0, 0, 0, 0];

interface Due {
  readonly urgency: UrgencyClass;
  /** How long the payment has been due; negative: it is not due yet. */
  readonly forMs: number;
}

let runner: QueryRunner;
const ids: string[] = [];

const { db, one } = await openReplicas();
beforeAll(async () => {
  for (let n = 0; n < PAYMENTS; n += 1) await one.payments.add(paymentToAdd(randomUUID()));
  const rows = await db.query<{ id: string }>('SELECT payment_id AS id FROM payment_schedule ORDER BY 1');
  ids.push(...rows.map(({ id }) => id));
  runner = (await openDataSource(db)).createQueryRunner();
});

/** Makes the first payments due, locks some and passes on which, while they are locked. */
async function lockDue<Result>(
  due: readonly Due[],
  limit: number,
  slacksMs: readonly number[],
  check: (locked: readonly string[]) => Result | Promise<Result>,
): Promise<Result> {
  await db.query(`UPDATE payment_schedule SET due_at = now() + interval '1 hour'`);
  await db.query(SET_DUE, [
    ids.slice(0, due.length),
    due.map(({ urgency }) => URGENCY_NAMES[urgency]),
    due.map(({ forMs }) => forMs),
  ]);
  await runner.query('BEGIN');
  try {
    const rows = (await runner.query(LOCK, [limit, slacksMs, NO_SLACKS])) as { id: string }[];
    return await check(rows.map(({ id }) => id));
  } finally {
    await runner.query('ROLLBACK');
  }
}

describe('the lock of due payments', () => {
  const near = fc.integer({ min: -5, max: 20 });
  const far = fc.integer({ min: -10_000, max: 100 * HOUR_MS });
  const due = fc.record({
    urgency: fc.constantFrom<UrgencyClass>(0, 1, 2, 3),
    // The due times keep clear of the present, and lie less or more than a window apart from each other.
    forMs: fc.oneof(near, far).map((ms) => (ms < 0 ? ms * 1_000 - HOUR_MS : ms)),
  });
  const slack = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: HOUR_MS }));

  it('is of those that have waited longest, their slack counted, in this order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(due, { maxLength: PAYMENTS }),
        fc.integer({ min: 1, max: PAYMENTS }),
        fc.tuple(slack, slack, slack, slack),
        async (payments, limit, slacksMs) => {
          const waitedMs = ({ urgency, forMs }: Due): number => forMs - (slacksMs[urgency] ?? 0);
          const expected = payments
            .filter(({ forMs }) => forMs >= 0)
            .map(waitedMs)
            .toSorted((a, b) => b - a)
            .slice(0, limit);
          await lockDue(payments, limit, slacksMs, (locked) => {
            expect(new Set(locked).size).toBe(locked.length);
            expect(locked.map((id) => waitedMs(payments[ids.indexOf(id)] as Due))).toEqual(expected);
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('leaves the others to the claims of other replicas', async () => {
    const payments = ids.map((_, n): Due => ({ urgency: (n % 3) as UrgencyClass, forMs: 100 * (n + 1) }));
    const limit = 20;
    const free = await lockDue(payments, limit, NO_SLACKS, async (locked) => {
      expect(locked).toEqual(ids.toReversed().slice(0, limit));
      return db.query(`SELECT FROM payment_schedule FOR UPDATE SKIP LOCKED`);
    });
    // The last window may have a few more than are missing.
    expect(free.length).toBeGreaterThanOrEqual(PAYMENTS - limit - 5);
  });
});

const SET_DUE = `
  UPDATE payment_schedule s SET urgency = i.urgency, due_at = now() - i.for_ms * interval '1 millisecond'
  FROM unnest($1::bigint[], $2::poll_urgency[], $3::float8[]) AS i (id, urgency, for_ms) WHERE s.payment_id = i.id`;

const LOCK = `SELECT lock_due::text AS id FROM lock_due('http', $1, $2::float8[], $3::float8[])`;
