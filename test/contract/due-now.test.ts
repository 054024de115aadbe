import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PostgresSchedule } from '../../src/database/polling/schedule.store.ts';
import { RecordSettings } from '../../src/database/polling/record-settings.ts';
import { readReport } from '../../src/domain/payment/report.ts';
import { URGENCY_NAMES } from '../../src/domain/polling/urgency.ts';
import type { StatusAnswer } from '../../src/ports/payment-provider.ts';
import type { Claim, DueClaim } from '../../src/ports/schedule.ts';
import { DueSignal, DeliverySignals } from '../../src/platform/scheduling/wake-signal.ts';
import { applyPoll } from '../../src/features/polling/apply-poll.ts';
import { PollingSettings } from '../../src/features/polling/polling.settings.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { pollRequestsOn } from '../support/poll-requests.ts';
import { paymentToAdd, storesOn, URGENCY_RULES, type Stores } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const RULES = new PollingSettings(URGENCY_RULES, 900_000, 5_000, 5_000);
const LEASE_MS = 5_050;
const POLL_MS = 2_000;

let db: TestDatabase;
let one: Stores;
let two: Stores;
beforeAll(async () => {
  db = await createTestDatabase();
  one = storesOn(await openDataSource(db));
  two = storesOn(await openDataSource(db));
});
afterAll(() => db.drop());
beforeEach(async () => {
  await db.query('DELETE FROM payment');
});

/** A payment that was looked at long ago, and is due again in a while. */
async function resting(more = ''): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add(paymentToAdd(quoteId));
  await set(
    quoteId,
    `interval_ms = 7000, due_at = now() + interval '60 s', polled_at = now() - interval '60 s',
     answered_at = now() - interval '60 s' ${more}`,
  );
  return quoteId;
}

async function set(quoteId: string, assignments: string): Promise<void> {
  await db.query(
    `UPDATE payment_schedule SET ${assignments} WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
    [quoteId],
  );
}

/** As if so much time had passed. */
async function pass(ms: number): Promise<void> {
  await db.query(
    `UPDATE payment_schedule SET due_at = due_at - i, polled_at = polled_at - i, answered_at = answered_at - i,
       noticed_at = noticed_at - i FROM (SELECT $1::float8 * interval '1 millisecond' AS i) passed`,
    [ms],
  );
}

const says = (status: string): StatusAnswer => {
  const value = { success: true, status };
  const report = readReport(value, JSON.stringify(value));
  if (report === null) throw new Error('not a report');
  return { kind: 'report', report };
};

const idsOf = (claims: readonly DueClaim[]): string[] => claims.map((claim) => claim.quoteId);
const claimed = async (stores = one): Promise<string[]> =>
  idsOf(await stores.schedule.claimDue(10, LEASE_MS));

async function claimOne(): Promise<Claim> {
  const [claim] = await one.schedule.read(await one.schedule.claimDue(1, LEASE_MS));
  if (claim === undefined) throw new Error('nothing is due');
  return claim;
}

/** A payment that ended long ago, and is not watched any more. */
async function closed(status: string): Promise<string> {
  const quoteId = await resting();
  await db.query('DELETE FROM payment_schedule');
  await db.query(
    `UPDATE payment SET status = $2, tracking = 'closed', last_polled_at = now() - interval '1 day',
       ended_at = now() - interval '2 days' WHERE quote_id = $1`,
    [quoteId, status],
  );
  return quoteId;
}

describe('a notice', () => {
  it('makes a payment due at once, in every class, and only the payments it names', async () => {
    const named = await Promise.all(URGENCY_NAMES.map((urgency) => resting(`, urgency = '${urgency}'`)));
    await resting();
    expect(await claimed()).toEqual([]);
    await two.schedule.makeDue(named, POLL_MS);
    expect((await claimed()).toSorted()).toEqual(named.toSorted());
    expect(await claimed()).toEqual([]);
  });

  it('leads to a look at an ended payment that is still watched', async () => {
    const quoteId = await resting();
    await set(quoteId, 'due_at = now()');
    await one.schedule.record([applyPoll(await claimOne(), says('EXPIRED'), new Date(), RULES)]);
    expect((await one.payments.find(quoteId))?.tracking).toBe('watching');
    await pass(2_000);
    await one.schedule.makeDue([quoteId], POLL_MS);
    expect(await claimed()).toEqual([quoteId]);
  });

  it.each(['EXPIRED', 'FAILED'])(
    'leads to one more look at a payment that is %s and no longer watched, which finds a late delivery',
    async (status) => {
      const quoteId = await closed(status);
      await one.schedule.makeDue([quoteId], POLL_MS);
      await two.schedule.makeDue([quoteId], POLL_MS);
      const claim = await claimOne();
      expect([claim.quoteId, await claimed()]).toEqual([quoteId, []]);
      await one.schedule.record([applyPoll(claim, says('COMPLETED'), new Date(), RULES)]);
      const found = await one.payments.find(quoteId);
      expect(found).toMatchObject({ status: 'COMPLETED', late: true });
      expect(await db.query('SELECT 1 FROM payment_schedule')).toEqual([]);
    },
  );

  it('about a payment that is no longer watched costs one look where nothing is new', async () => {
    const quoteId = await closed('EXPIRED');
    await one.schedule.makeDue([quoteId], POLL_MS);
    await one.schedule.record([applyPoll(await claimOne(), says('EXPIRED'), new Date(), RULES)]);
    expect((await one.payments.find(quoteId))?.tracking).toBe('closed');
    expect(await db.query('SELECT 1 FROM payment_schedule')).toEqual([]);
  });

  it('about a payment that is no longer watched is not forgotten where the provider does not answer', async () => {
    const quoteId = await closed('EXPIRED');
    await one.schedule.makeDue([quoteId], POLL_MS);
    const silence: StatusAnswer = {
      kind: 'unavailable',
      reason: 'timeout',
      httpStatus: null,
      retryAfterMs: null,
    };
    await one.schedule.record([applyPoll(await claimOne(), silence, new Date(), RULES)]);
    await pass(60_000);
    expect(await claimed()).toEqual([quoteId]);
  });

  it('while the last look is under way is followed by another', async () => {
    const quoteId = await closed('EXPIRED');
    await one.schedule.makeDue([quoteId], POLL_MS);
    const claim = await claimOne();
    await two.schedule.makeDue([quoteId], POLL_MS);
    await one.schedule.record([applyPoll(claim, says('EXPIRED'), new Date(), RULES)]);
    await pass(2_000);
    expect(await claimed()).toEqual([quoteId]);
  });

  it('leaves completed and unknown payments alone', async () => {
    const quoteId = await resting();
    await set(quoteId, 'due_at = now()');
    await one.schedule.record([applyPoll(await claimOne(), says('COMPLETED'), new Date(), RULES)]);
    await one.schedule.makeDue([quoteId, randomUUID(), 'no id at all'], POLL_MS);
    await one.schedule.makeDue([], POLL_MS);
    expect((await one.payments.find(quoteId))?.tracking).toBe('closed');
    expect(await db.query('SELECT 1 FROM payment_schedule')).toEqual([]);
  });

  it('rings, so that the tracker of the same process claims it at once', async () => {
    const quoteId = await resting();
    const wakeSignal = new DueSignal();
    const rules = new RecordSettings(900_000, URGENCY_RULES, 'paybell');
    const clock = { now: () => new Date() };
    const schedule = new PostgresSchedule(one.database, rules, clock, new DeliverySignals(), wakeSignal);
    const woken = wakeSignal.wait(20_000, new AbortController().signal);
    await schedule.makeDue([quoteId], POLL_MS);
    expect(await woken).toBe(true);
    expect(await claimed()).toEqual([quoteId]);
  });

  it('brings a payment that is due before that no later', async () => {
    const quoteId = await resting(`, urgency = 'in_flight'`);
    await set(quoteId, `due_at = now() - interval '3 s', polled_at = now()`);
    await one.schedule.makeDue([quoteId], POLL_MS);
    expect(await claimed()).toEqual([quoteId]);
  });
});

describe('a notice while a look is under way', () => {
  it('lets the look end, and is followed by another once its news are recorded', async () => {
    const quoteId = await resting();
    await set(quoteId, 'due_at = now()');
    const claim = await claimOne();
    await two.schedule.makeDue([quoteId], POLL_MS);
    expect(await claimed(two)).toEqual([]);
    const polls = [applyPoll(claim, says('DEPOSIT_RECEIVED'), new Date(), RULES)];
    expect(await one.schedule.record(polls)).toEqual({ stale: 0, outdated: [] });
    expect((await one.payments.find(quoteId))?.status).toBe('DEPOSIT_RECEIVED');
    await pass(1_000);
    expect(await claimed(two)).toEqual([quoteId]);
  });

  it('is followed by another look also when the first finds nothing to record', async () => {
    const quoteId = await resting();
    await set(quoteId, 'due_at = now()');
    await claimOne();
    await two.schedule.makeDue([quoteId], POLL_MS);
    expect(await claimed(two)).toEqual([]);
    await pass(POLL_MS);
    expect(await claimed(two)).toEqual([quoteId]);
  });

  it('is followed by another look when the first takes long and its claim is held', async () => {
    const quoteId = await resting();
    await set(quoteId, 'due_at = now()');
    const claim = await claimOne();
    await two.schedule.makeDue([quoteId], POLL_MS);
    await one.schedule.extendLeases([claim], 60_000);
    await pass(POLL_MS);
    expect(await claimed(two)).toEqual([]);
    await one.schedule.record([applyPoll(claim, says('AWAITING_DEPOSIT'), new Date(), RULES)]);
    expect(await claimed(two)).toEqual([quoteId]);
  });

  it('of before the claim does not bring the look after it forward', async () => {
    const quoteId = await resting();
    await one.schedule.makeDue([quoteId], POLL_MS);
    const claim = await claimOne();
    await one.schedule.record([applyPoll(claim, says('DEPOSIT_RECEIVED'), new Date(), RULES)]);
    await pass(2_000);
    expect(await claimed()).toEqual([]);
  });

  it('does not bring a second look within a second of an answered one', async () => {
    const quoteId = await resting();
    await set(quoteId, 'due_at = now()');
    await one.schedule.record([applyPoll(await claimOne(), says('DEPOSIT_RECEIVED'), new Date(), RULES)]);
    await one.schedule.makeDue([quoteId], POLL_MS);
    expect(await claimed()).toEqual([]);
    await pass(1_000);
    expect(await claimed()).toEqual([quoteId]);
  });

  it('of many at once in two replicas neither waits for ever nor loses a look', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => resting()));
    const rounds = Array.from({ length: 20 }, (_, index) => (index % 2 ? one : two));
    await Promise.all(
      rounds.map(async (stores, index) => {
        await stores.schedule.makeDue(index % 3 ? ids : ids.toReversed(), POLL_MS);
        const claims = await stores.schedule.read(await stores.schedule.claimDue(7, LEASE_MS));
        await stores.schedule.record(
          claims.map((claim) => applyPoll(claim, says('AWAITING_DEPOSIT'), new Date(), RULES)),
        );
      }),
    );
    await pass(POLL_MS);
    await one.schedule.makeDue(ids, POLL_MS);
    expect(idsOf(await one.schedule.claimDue(100, LEASE_MS)).toSorted()).toEqual(ids.toSorted());
  });
});

describe('a flood of notices', () => {
  it('of ten thousand about one payment is one write, and a second later one more', async () => {
    const quoteId = await resting();
    const requests = pollRequestsOn(one);
    const writes = async (): Promise<number> => {
      const [row] = await db.query<{ noticed_at: Date }>('SELECT noticed_at FROM payment_schedule');
      return row?.noticed_at?.getTime() ?? 0;
    };
    for (let published = 0; published < 10_000; published += 1) requests.makeDue([quoteId]);
    const first = await waitFor(writes, { what: 'the first write' });
    for (let published = 0; published < 10_000; published += 1) requests.makeDue([quoteId]);
    const second = await waitFor(async () => ((await writes()) > first ? writes() : 0), {
      what: 'the second write',
    });
    expect(second - first).toBeGreaterThanOrEqual(990);
    await requests.beforeApplicationShutdown();
    requests.onModuleDestroy();
    expect(await writes()).toBe(second);
  });
});
