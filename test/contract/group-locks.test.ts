import { randomUUID } from 'node:crypto';

import { beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';

import type { IdempotencyClaim } from '../../src/ports/idempotency.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import type { TestDatabase } from '../support/database.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd, type Stores } from '../support/stores.ts';

let db: TestDatabase;
let one: Stores;

beforeAll(async () => {
  ({ db, one } = await openReplicas());
  await addDestination(db);
});

/** Runs `work` while another session holds what the statement has locked. */
async function whileHeld(
  sql: string,
  parameters: readonly unknown[],
  work: () => Promise<void>,
): Promise<void> {
  const session = new pg.Client({ connectionString: db.directUrl });
  await session.connect();
  try {
    await session.query('BEGIN');
    await session.query(sql, [...parameters]);
    await work();
  } finally {
    await session.query('ROLLBACK');
    await session.end();
  }
}

/** Resolves once so many statements of the stores wait for a lock. */
async function untilLocked(count = 1): Promise<void> {
  await waitFor(async () => {
    const [row] = await db.query<{ waiting: number }>(
      `SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return (row?.waiting ?? 0) >= count;
  });
}

const HOLD_PAYMENT = `
  INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
    report_digest, stalls, contradictions)
  VALUES ('http', $1, 'AWAITING_DEPOSIT', false, 0, 'active', now(), now(), now(), '', '', '{}', '{}')`;
const HOLD_KEY = `SELECT FROM idempotency WHERE key = $1 FOR UPDATE`;

function begin(key: string): Promise<{ readonly kind: string }> {
  return one.idempotency.begin('shop', key, 'hash', 60_000);
}

it('stores other quotes while one that came alone waits for its row', async () => {
  const held = randomUUID();
  let waiting: Promise<unknown> | undefined;
  await whileHeld(HOLD_PAYMENT, [held], async () => {
    waiting = one.payments.add(paymentToAdd(held));
    await untilLocked();
    expect(await one.payments.add(paymentToAdd(randomUUID()))).toMatchObject({ isNew: true });
  });
  expect(await waiting).toMatchObject({ isNew: true });
});

it('begins with other keys while one that came alone waits for its row', async () => {
  const held = randomUUID();
  await begin(held);
  let waiting: Promise<unknown> | undefined;
  await whileHeld(HOLD_KEY, [held], async () => {
    waiting = begin(held);
    await untilLocked();
    expect(await begin(randomUUID())).toMatchObject({ kind: 'claimed' });
  });
  expect(await waiting).toEqual({ kind: 'busy' });
});

it('begins with other keys of a group of which one has to wait for its row', async () => {
  const held = randomUUID();
  await begin(held);
  let waiting: Promise<unknown> | undefined;
  await whileHeld(HOLD_KEY, [held], async () => {
    waiting = begin(held);
    const others = await Promise.all([begin(randomUUID()), begin(randomUUID())]);
    expect(others.map(({ kind }) => kind)).toEqual(['claimed', 'claimed']);
  });
  expect(await waiting).toEqual({ kind: 'busy' });
});

async function claimOf(key: string): Promise<IdempotencyClaim> {
  const begun = await one.idempotency.begin('shop', key, 'hash', 60_000);
  if (begun.kind !== 'claimed') throw new Error(begun.kind);
  return begun.claim;
}

it('locks the rows of keys in one order, whoever came first', async () => {
  const [first = '', last = ''] = [randomUUID(), randomUUID()].toSorted();
  const [claimOfFirst, claimOfLast] = [await claimOf(first), await claimOf(last)];
  let waiting: Promise<unknown> | undefined;
  await whileHeld(HOLD_KEY, [first], async () => {
    waiting = Promise.all([
      one.payments.add(paymentToAdd(randomUUID()), claimOfLast),
      one.payments.add(paymentToAdd(randomUUID()), claimOfFirst),
    ]);
    await untilLocked();
    const [free] = await db.query(`SELECT FROM idempotency WHERE key = $1 FOR UPDATE SKIP LOCKED`, [last]);
    expect(free).toBeDefined();
  });
  expect(await waiting).toMatchObject([{ isNew: true }, { isNew: true }]);
});
