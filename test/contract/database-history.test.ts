import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';

import { declareRestored } from '../../src/cli/restored/declare-restored.ts';
import { configOf } from '../support/config-of.ts';
import { HistoryWatch } from '../../src/database/history/history-watch.ts';
import { RecordSettings } from '../../src/database/events/record-settings.ts';
import { cursorOf, LOG_START } from '../../src/domain/event/log-position.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import type { Claim, Poll } from '../../src/ports/schedule.ts';
import { ThisReplica } from '../../src/ports/replicas.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { claimed, pollResult, reportOf, says } from '../support/poll-results.ts';
import { paymentToAdd, storesOn, URGENCY_RULES, type Stores } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const RULES = new RecordSettings(900_000, URGENCY_RULES, 'paybell');
const EPOCH_BEGINS = `SELECT begin_epoch('operator', 0) AS due`;
/** Simulates a promotion: the row has another timeline than the server. */
const MOVE = `UPDATE database_history SET timeline = '0000FFFF'`;

interface Told {
  readonly type: string;
  readonly sequence: number;
  readonly previousSequence?: number;
}

let db: TestDatabase;
let one: Stores;
let two: Stores;
let quoteId: string;

beforeEach(async () => {
  db = await createTestDatabase();
  [one, two] = [storesOn(await openDataSource(db)), storesOn(await openDataSource(db))];
  quoteId = randomUUID();
});
afterEach(() => db.drop());

function judged(claim: Claim, status: string): Poll {
  return pollResult(claim, says(status));
}

async function poll(status: string): Promise<void> {
  const claim = await claimed(one, quoteId);
  const { outdated } = await one.schedule.record([judged(claim, status)]);
  if (outdated.length > 0) await recordAgain(claim, status);
}

async function recordAgain(claim: Claim, status: string): Promise<void> {
  const claims = await one.schedule.readAgain([claim]);
  await one.schedule.record(claims.map((again) => judged(again, status)));
}

async function told(): Promise<Told[]> {
  const { events } = (await one.payments.eventsOf(quoteId)) ?? { events: [] };
  return events.map((body) => {
    const { type, data } = JSON.parse(body) as { type: string; data: Omit<Told, 'type'> };
    const { sequence, previousSequence } = data;
    return { type, sequence, ...(previousSequence === undefined ? {} : { previousSequence }) };
  });
}

async function epoch(): Promise<number> {
  const [row] = await db.query<{ epoch: number }>('SELECT log_epoch() AS epoch');
  return row?.epoch ?? -1;
}

/** A watch like that of every process. */
function watchOn(stores: Stores): HistoryWatch {
  const watch = new HistoryWatch(stores.database, RULES, new ThisReplica(randomUUID(), [], 'test', {}));
  db.beforeDrop(() => watch.end());
  return watch;
}

describe('the numbers of an epoch', () => {
  it('jump ahead once, and name the number before', async () => {
    await one.payments.add(paymentToAdd(quoteId));
    await poll('DEPOSIT_RECEIVED');
    await db.query(EPOCH_BEGINS);
    await poll('EXECUTING');
    await poll('COMPLETED');
    const first = (await epoch()) * 100;
    expect((await told()).slice(2)).toEqual([
      { type: 'payment.executing', sequence: first + 1, previousSequence: 2 },
      { type: 'payment.completed', sequence: first + 2 },
    ]);
  });

  it('are larger in each epoch, also in those of one minute', async () => {
    await one.payments.add(paymentToAdd(quoteId));
    await db.query(EPOCH_BEGINS);
    const former = await epoch();
    await one.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    await db.query(EPOCH_BEGINS);
    expect(await epoch()).toBe(former + 1);
    await one.payments.label(quoteId, { orderId: 'A-2', metadata: null });
    expect(await told()).toEqual([
      { type: 'payment.created', sequence: 1 },
      { type: 'payment.updated', sequence: former * 100 + 1, previousSequence: 1 },
      { type: 'payment.updated', sequence: former * 100 + 101, previousSequence: former * 100 + 1 },
    ]);
  });

  it('begin with the present state, once, though the report is the one that is stored', async () => {
    await one.payments.add(paymentToAdd(quoteId));
    await poll('EXECUTING');
    await poll('EXECUTING');
    await db.query(EPOCH_BEGINS);
    const [due] = await one.schedule.claimDue(10, 1_000);
    expect(due).toMatchObject({ quoteId, knownDigest: null });
    await poll('EXECUTING');
    await poll('EXECUTING');
    expect((await told()).slice(2)).toEqual([
      { type: 'payment.executing', sequence: (await epoch()) * 100 + 1, previousSequence: 2 },
    ]);
  });

  it('begin with the present state also where a poll from before it found nothing new', async () => {
    const report = reportOf({ status: 'AWAITING_DEPOSIT' });
    await one.payments.add(paymentToAdd(quoteId, { quoteText: null, report }));
    await db.query(`UPDATE payment_schedule SET due_at = now() WHERE quote_id = $1`, [quoteId]);
    const early = (await one.schedule.read(await one.schedule.claimDue(10, 1_000))).map((claim) =>
      pollResult(claim, { kind: 'report', report }),
    );
    await db.query(EPOCH_BEGINS);
    await one.schedule.extendUnchanged(early);
    const [kept] = await db.query(`SELECT unchanged_until FROM payment_schedule WHERE quote_id = $1`, [
      quoteId,
    ]);
    expect([early.length, kept]).toEqual([1, { unchanged_until: null }]);
  });

  it('are not mixed with those of a poll or a label that was judged before', async () => {
    await one.payments.add(paymentToAdd(quoteId));
    const claim = await claimed(one, quoteId);
    const early = judged(claim, 'EXECUTING');
    await db.query(EPOCH_BEGINS);
    expect((await one.schedule.record([early])).outdated).toEqual([early]);
    expect(await told()).toHaveLength(1);
    await recordAgain(claim, 'EXECUTING');
    expect((await told())[1]).toMatchObject({ type: 'payment.executing', previousSequence: 1 });
  });

  it('begin at 1 for a quote that was just made, and above the jump for one that the lost time may have known', async () => {
    await db.query(EPOCH_BEGINS);
    await one.payments.add(paymentToAdd(quoteId));
    expect(await told()).toEqual([{ type: 'payment.created', sequence: 1 }]);
    await poll('EXECUTING');
    expect((await told())[1]).toEqual({ type: 'payment.executing', sequence: 2 });
    quoteId = randomUUID();
    await one.payments.add(
      paymentToAdd(quoteId, { quoteText: null, report: reportOf({ status: 'EXECUTING' }) }),
    );
    const first = (await epoch()) * 100;
    expect(await told()).toEqual([
      { type: 'payment.created', sequence: first + 1, previousSequence: 0 },
      { type: 'payment.executing', sequence: first + 2 },
    ]);
  });

  it('are not given to rows of which a process may still hold something that was lost', async () => {
    await one.payments.add(paymentToAdd(quoteId));
    const newest = async (): Promise<number> => {
      const [row] = await db.query<{ id: number }>('SELECT max(id)::float8 AS id FROM payment');
      return row?.id ?? 0;
    };
    const before = await newest();
    await db.query(EPOCH_BEGINS);
    await one.payments.add(paymentToAdd(randomUUID()));
    expect(await newest()).toBeGreaterThan(before + 1_000_000_000_000);
  });
});

describe('the open payments of a new epoch', () => {
  it('are all made due, however many batches that takes, though the process that began ended in between', async () => {
    const quoteIds = Array.from({ length: 5 }, () => randomUUID());
    for (const each of quoteIds) await one.payments.add(paymentToAdd(each));
    await db.query(EPOCH_BEGINS);
    // Simulates one of millions of payments that a poll moves behind the first batch.
    await db.query(`UPDATE payment_schedule SET due_at = now() + interval '1 hour'`);
    await db.query(
      `UPDATE database_history SET due_after = (SELECT min(id) + 1 FROM payment) WHERE epoch > 0`,
    );
    const due = async () =>
      (
        await db.query<{ due: number }>(
          'SELECT count(*)::int AS due FROM payment_schedule WHERE due_at <= now()',
        )
      )[0]?.due;
    expect(await db.query('SELECT make_open_due(0, 2) AS is_more')).toEqual([{ is_more: true }]);
    expect(await due()).toBe(2);
    await watchOn(two).begin();
    await waitFor(async () => (await due()) === 3);
    await waitFor(
      async () => (await db.query('SELECT 1 FROM database_history WHERE due_after > 0')).length === 0,
    );
  });
});

describe('a server that nobody has judged', () => {
  it.each([
    ['of another timeline', MOVE],
    // Simulates a pooler, which cuts no connection when it moves on to a server with a restored dump.
    [
      'of the same timeline',
      `UPDATE database_history h SET system_identifier = s.system_identifier - 1, timeline = s.timeline FROM present_server() s`,
    ],
  ])('%s takes no event from anybody', async (_which, move) => {
    await one.payments.add(paymentToAdd(quoteId));
    const early = judged(await claimed(one, quoteId), 'EXECUTING');
    await db.query(move);
    await expect(one.schedule.record([early])).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(two.payments.add(paymentToAdd(randomUUID()))).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await told()).toHaveLength(1);
  });

  it('goes on without an epoch once all processes have found what they had committed', async () => {
    const watches = [watchOn(one), watchOn(two)];
    for (const watch of watches) await watch.begin();
    await one.payments.add(paymentToAdd(quoteId));
    await db.query(MOVE);
    // Until the other process has answered, this process refuses statements.
    await expect(poll('EXECUTING')).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(one.payments.find(quoteId)).rejects.toBeInstanceOf(StoreUnavailable);
    await watches[1]?.beat();
    await poll('EXECUTING');
    expect(await told()).toEqual([
      { type: 'payment.created', sequence: 1 },
      { type: 'payment.executing', sequence: 2 },
    ]);
    expect(await epoch()).toBe(0);
  });

  it('begins an epoch once one of them misses something, and only one', async () => {
    const watches = [watchOn(one), watchOn(two)];
    for (const watch of watches) await watch.begin();
    await two.payments.add(paymentToAdd(quoteId));
    await one.payments.add(paymentToAdd(randomUUID()));
    // A server always loses its latest commits.
    await db.query(`DELETE FROM event WHERE position = (SELECT max(position) FROM event)`);
    await db.query(MOVE);
    await poll('EXECUTING');
    await two.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    expect(await told()).toMatchObject([
      { sequence: 1 },
      { previousSequence: 1 },
      { type: 'payment.updated' },
    ]);
    const [row] = await db.query('SELECT count(*)::int AS epochs FROM database_history WHERE epoch > 0');
    expect(row).toEqual({ epochs: 1 });
  });

  it('is not waited for by those that have stopped, and begins an epoch when nobody is left who knows', async () => {
    const watch = watchOn(one);
    await watch.begin();
    await watch.end();
    await db.query(MOVE);
    const fresh = watchOn(two);
    await expect(fresh.begin()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await epoch()).toBe(0);
    const check = `SELECT verdict FROM check_history($1, NULL, NULL, NULL, true, true, 0)`;
    expect(await db.query(check, [randomUUID()])).toEqual([{ verdict: 'went_back' }]);
    await fresh.begin();
    expect(await epoch()).toBeGreaterThan(0);
  });
});

describe('a process that ended together with its server', () => {
  const waited = `SELECT verdict FROM check_history($1, NULL, NULL, NULL, false, true, 0)`;

  it.each([
    ['is trusted to have lost nothing where its commits waited for a synchronous standby', true, 'moved'],
    ['may have lost something where they did not', false, 'went_back'],
  ])('%s', async (_what, isReplicated, verdict) => {
    const [gone, survivor] = [watchOn(one), watchOn(two)];
    await gone.begin();
    await survivor.begin();
    await db.query(`UPDATE replica SET is_replicated = $1`, [isReplicated]);
    await db.query(MOVE);
    // The survivor waits for the process that is gone.
    await expect(survivor.check()).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await db.query(waited, [randomUUID()])).toEqual([{ verdict }]);
  });

  it('is not trusted while no other process has found what it knows', async () => {
    await watchOn(one).begin();
    await db.query(`UPDATE replica SET is_replicated = true`);
    await db.query(MOVE);
    expect(await db.query(waited, [randomUUID()])).toEqual([{ verdict: 'went_back' }]);
  });

  it('has not waited for a standby on a server without one', async () => {
    await watchOn(one).begin();
    expect(await db.query('SELECT is_replicated FROM replica')).toEqual([{ is_replicated: false }]);
  });
});

describe('a loss that only a part of what a process knows shows', () => {
  const newest = `(SELECT max(position) FROM event)`;

  async function goBackBy(events: number): Promise<void> {
    for (let n = 0; n < events; n += 1) {
      await db.query(`DELETE FROM delivery WHERE event_position = ${newest}`);
      await db.query(`DELETE FROM event WHERE position = ${newest}`);
    }
    await db.query(MOVE);
    await one.payments.add(paymentToAdd(randomUUID()));
    expect(await epoch()).toBeGreaterThan(0);
  }

  it('begins an epoch when the lost group had a poll that was overtaken', async () => {
    await watchOn(one).begin();
    const [overtaken, other] = [quoteId, randomUUID()];
    await one.payments.add(paymentToAdd(overtaken));
    await one.payments.add(paymentToAdd(other));
    const early = judged(await claimed(one, quoteId), 'EXECUTING');
    await claimed(two, quoteId);
    quoteId = other;
    const { stale } = await one.schedule.record([early, judged(await claimed(one, quoteId), 'EXECUTING')]);
    expect(stale).toBe(1);
    await goBackBy(1);
  });

  it('begins an epoch when answers came in another order than commits', async () => {
    await watchOn(one).begin();
    const noted: Parameters<typeof one.database.known.noteRecorded>[0][] = [];
    const { known } = one.database;
    const late = jest.spyOn(known, 'noteRecorded').mockImplementation((stored) => void noted.push(stored));
    await one.payments.add(paymentToAdd(quoteId));
    await one.payments.add(paymentToAdd(randomUUID()));
    late.mockRestore();
    for (const stored of noted.toReversed()) known.noteRecorded(stored);
    await goBackBy(1);
  });

  it.each<[string, () => Promise<{ length: number }>]>([
    ['sent', () => one.deliveries.claim([{ destinationId: EXCHANGE_ID, free: 1, isProbe: false }], 5_000)],
    ['showed a reader', async () => (await one.eventLog.read(LOG_START, { types: [] }, 10)).events],
  ])('begins an epoch when another process %s what its recorder has no answer about', async (_how, show) => {
    await db.query(`INSERT INTO destination (id, kind, enabled) VALUES ('${EXCHANGE_ID}', 'rabbitmq', true)`);
    await watchOn(one).begin();
    await two.payments.add(paymentToAdd(quoteId));
    await waitFor(async () => (await show()).length === 1);
    await goBackBy(1);
  });
});

describe('a loss that one replica notices later', () => {
  it('begins an epoch though the others had found nothing missing', async () => {
    const watch = watchOn(one);
    await watch.begin();
    await one.payments.add(paymentToAdd(quoteId));
    await db.query('UPDATE replica SET beat = beat - 1');
    await watch.beat();
    expect(await epoch()).toBeGreaterThan(0);
  });
});

describe('a database clock that jumps ahead by days', () => {
  it('makes no replica forget what another one has committed', async () => {
    await watchOn(two).begin();
    await db.query(`UPDATE replica SET seen_at = seen_at - interval '2 days'`);
    await watchOn(one).begin();
    expect(await db.query('SELECT 1 FROM replica')).toHaveLength(2);
  });
});

describe('paybell after-restore', () => {
  it('begins an epoch, and says how many payments are polled at once', async () => {
    await one.payments.add(paymentToAdd(quoteId));
    const settings = { DATABASE_URL: db.url, ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') };
    const text = await declareRestored(configOf(settings, { asksProvider: false }));
    expect(text).toContain('whose state is published: 1.');
    expect(await epoch()).toBeGreaterThan(0);
    expect(await one.schedule.claimDue(10, 1_000)).toMatchObject([{ quoteId }]);
    const audit = await db.query(
      'SELECT action, via, status FROM audit_entry ORDER BY position DESC LIMIT 1',
    );
    expect(audit).toEqual([{ action: 'database.restored', via: 'cli', status: 0 }]);
  });

  it('says in words that the database is of an older release', async () => {
    await db.query('ALTER FUNCTION begin_epoch RENAME TO another');
    const settings = { DATABASE_URL: db.url, ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') };
    const config = configOf(settings, { asksProvider: false });
    await expect(declareRestored(config)).rejects.toThrow('older release: start Paybell');
  });
});

describe('readers of the log of a database that went back', () => {
  it('go on after every cursor and every event of before, lost ones too', async () => {
    await one.payments.add(paymentToAdd(quoteId));
    const [row] = await db.query<{ rank: string }>('SELECT log_horizon() AS rank');
    // A cursor in the lost part of the log: this server gives the same transaction ids again.
    const lostCursor = cursorOf({ rank: BigInt(row?.rank ?? 0) + 5_000n, position: 7n });
    expect(await one.eventLog.find(lostCursor)).toBeNull();
    const lostEvent = uuidv7();
    await db.query(EPOCH_BEGINS);
    await one.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    for (const after of [lostCursor, lostEvent, '290fbdc1-231a-53e6-b9d7-96bcc6276c9b']) {
      const from = await one.eventLog.find(after);
      expect(from).not.toBeNull();
      await waitFor(async () => {
        const { events } = await one.eventLog.read(from ?? LOG_START, { types: [] }, 10);
        return events.at(-1)?.body.includes('"A-1"');
      });
    }
    // Retention removed this event long ago.
    const removed = uuidv7({ msecs: Date.now() - 3_600_000 });
    expect(await one.eventLog.find(removed)).toBeNull();
  });

  it('are asked to wait while it is not known what was lost', async () => {
    const [row] = await db.query<{ rank: string }>('SELECT log_horizon() AS rank');
    await db.query(MOVE);
    const ahead = cursorOf({ rank: BigInt(row?.rank ?? 0) + 5_000n, position: 7n });
    await expect(one.eventLog.find(ahead)).rejects.toBeInstanceOf(StoreUnavailable);
  });
});
