import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { DataSource, QueryRunner } from 'typeorm';

import { cursorOf, LOG_START, type LogPosition } from '../../src/domain/event/log-position.ts';
import type { LogFilter, LoggedEvent } from '../../src/ports/event-log.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { claimed, pollResult, says } from '../support/poll-results.ts';
import { emptyTables } from '../support/replicas.ts';
import { paymentToAdd, type Stores, storesOn } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { HELD_FOR, logQuery } from '../../src/database/events/log-queries.ts';

const WRITERS = 8;
const ALL = { types: [] };

let db: TestDatabase;
let sources: DataSource[];
let replicas: Stores[];
let reader: Stores;

beforeAll(async () => {
  db = await createTestDatabase();
  sources = await Promise.all(Array.from({ length: WRITERS }, () => openDataSource(db)));
  replicas = sources.map((source) => storesOn(source));
  reader = storesOn(await openDataSource(db));
});
afterAll(() => db.drop());

/** Reads from a position to the present end of the log, page by page. */
async function readOn(
  from: LogPosition,
  limit: number,
): Promise<{ events: LoggedEvent[]; last: LogPosition }> {
  const events: LoggedEvent[] = [];
  let last = from;
  for (;;) {
    const page = await reader.eventLog.read(last, ALL, limit);
    events.push(...page.events);
    last = page.last;
    if (page.events.length === 0) return { events, last };
  }
}

function idsOf(events: readonly LoggedEvent[]): string[] {
  return events.map(({ id }) => id);
}

/** A transaction that stays open for as long as the test wants. */
class Writer {
  readonly written: string[] = [];
  private isOpen = false;
  private constructor(private readonly runner: QueryRunner) {}

  static on(source: DataSource): Writer {
    return new Writer(source.createQueryRunner());
  }

  async write(count: number): Promise<void> {
    await this.open();
    const [payment] = await this.rows<{ id: string }>(INSERT_PAYMENT, [randomUUID()]);
    for (let sequence = 1; sequence <= count; sequence += 1) {
      const id = randomUUID();
      await this.rows(INSERT_EVENT, [id, payment?.id, sequence]);
      this.written.push(id);
    }
  }

  /** Takes a transaction id and records nothing yet, so that events of later transactions come first. */
  async begin(): Promise<void> {
    await this.open();
    await this.rows('SELECT pg_current_xact_id()');
  }

  /** Ends the transaction; returns what the log shows from then on. */
  async end(command: 'COMMIT' | 'ROLLBACK'): Promise<string[]> {
    if (!this.isOpen) return [];
    await this.rows(command);
    this.isOpen = false;
    const written = this.written.splice(0);
    return command === 'COMMIT' ? written : [];
  }

  async release(): Promise<void> {
    await this.end('ROLLBACK');
    await this.runner.release();
  }

  async rows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
    return (await this.runner.query(sql, parameters)) as Row[];
  }

  private async open(): Promise<void> {
    if (!this.isOpen) await this.rows('BEGIN');
    this.isOpen = true;
  }
}

const INSERT_PAYMENT = `
  INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
    report_digest, stalls, contradictions)
  VALUES ('http', $1, 'EXECUTING', false, 1, 'active', now(), now(), now(), '', '', '{}', '{}') RETURNING id`;

const INSERT_EVENT = `
  INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
  VALUES ($1, $2, $3, 'payment.updated', now(), '{}')`;

type Step =
  | { readonly kind: 'begin' | 'commit' | 'rollback'; readonly writer: number }
  | { readonly kind: 'write'; readonly writer: number; readonly count: number }
  | { readonly kind: 'page'; readonly limit: number };

const WRITER = fc.nat(WRITERS - 1);
const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), writer: WRITER }),
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), writer: WRITER, count: fc.integer({ min: 1, max: 3 }) }) }, // prettier-ignore
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const), writer: WRITER }) },
  fc.record({ kind: fc.constant('rollback' as const), writer: WRITER }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('page' as const), limit: fc.integer({ min: 1, max: 5 }) }) }, // prettier-ignore
);

describe('the event log under writers that commit in any order', () => {
  it('shows each event exactly once to a reader that pages meanwhile, and the same order ever after', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 20, maxLength: 80 }), async (steps) => {
        const writers = sources.map((source) => Writer.on(source));
        try {
          const begin = (await readOn(LOG_START, 1_000)).last;
          const committed: string[] = [];
          const read: LoggedEvent[] = [];
          let position = begin;
          const page = async (limit: number): Promise<void> => {
            const { events, last } = await reader.eventLog.read(position, ALL, limit);
            read.push(...events);
            position = last;
          };
          for (const step of steps) {
            if (step.kind === 'page') await page(step.limit);
            else if (step.kind === 'write') await writers[step.writer]?.write(step.count);
            else if (step.kind === 'begin') await writers[step.writer]?.begin();
            else
              committed.push(
                ...((await writers[step.writer]?.end(step.kind === 'commit' ? 'COMMIT' : 'ROLLBACK')) ?? []),
              );
          }
          for (const writer of writers) committed.push(...(await writer.end('COMMIT')));
          // Transactions of other databases on this server hold the log back too.
          await waitFor(async () => {
            await page(3);
            return read.length >= committed.length;
          });
          await page(1_000);
          expect(idsOf(read).toSorted()).toEqual(committed.toSorted());
          expect(idsOf((await readOn(begin, 7)).events)).toEqual(idsOf(read));
        } finally {
          for (const writer of writers) await writer.release();
        }
      }),
      { numRuns: 12 },
    );
  });

  it('shows how old the oldest event is that an open transaction keeps out of it, and 0 when there is none', async () => {
    const { eventLog } = reader;
    // Transactions of other databases on this server delay the log for moments.
    await waitFor(async () => (await eventLog.heldForMs()) === 0);
    const gate = Writer.on(sources[0] as DataSource);
    await gate.begin();
    expect(await eventLog.heldForMs()).toBe(0);
    const [older, younger] = [randomUUID(), randomUUID()];
    for (const [quoteId, age] of [
      [older, '2 hours'],
      [younger, '1 hour'],
    ] as const) {
      await reader.payments.add(paymentToAdd(quoteId));
      await db.query(
        `UPDATE event SET time = now() - $2::interval WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`,
        [quoteId, age],
      );
    }
    expect(Math.round((await eventLog.heldForMs()) / 60_000)).toBe(120);
    await gate.release();
    await waitFor(async () => (await eventLog.heldForMs()) === 0);
  });

  it('hands nothing out while a transaction runs that may still come before it', async () => {
    const [early, late] = [Writer.on(sources[0] as DataSource), Writer.on(sources[1] as DataSource)];
    const { last } = await readOn(LOG_START, 1_000);
    await early.begin();
    await late.write(2);
    const second = await late.end('COMMIT');
    expect((await reader.eventLog.read(last, ALL, 10)).events).toEqual([]);
    const [id = ''] = second;
    const capped = (await reader.eventLog.find(id)) as LogPosition;
    await early.write(2);
    const first = await early.end('COMMIT');
    await waitFor(async () => (await readOn(last, 10)).events.length === 4);
    expect(idsOf((await readOn(last, 10)).events)).toEqual([...first, ...second]);
    // A reader whose cursor came from a webhook, and who asked before the event was visible, has missed nothing.
    expect(idsOf((await readOn(capped, 10)).events)).toEqual([...first, ...second]);
    for (const writer of [early, late]) await writer.release();
  });
});

/** Sequences by payment, in the order of the log. */
async function sequencesSince(from: LogPosition): Promise<Map<string, number[]>> {
  const published = new Map<string, number[]>();
  for (const { body } of (await readOn(from, 100)).events) {
    const { data } = JSON.parse(body) as { data: { quoteId: string; sequence: number } };
    published.set(data.quoteId, [...(published.get(data.quoteId) ?? []), data.sequence]);
  }
  return published;
}

describe('the events of a payment in the log', () => {
  it('have the order of their sequence, also when a recorder had its transaction id long before the event that it waited for', async () => {
    const { last } = await readOn(LOG_START, 1_000);
    const [one, two] = [replicas[0] as Stores, replicas[1] as Stores];
    const [first, second] = [randomUUID(), randomUUID()];
    for (const quoteId of [first, second]) await one.payments.add(paymentToAdd(quoteId));
    const claims = await Promise.all([first, second].map((quoteId) => claimed(two, quoteId)));
    const gate = Writer.on(sources[2] as DataSource);
    await gate.begin();
    await gate.rows(LOCK_SCHEDULE, [second]);
    // The transaction has its id and has read both payments, and now waits.
    const waiting = two.schedule.record(claims.map((claim) => pollResult(claim, says('EXECUTING'))));
    await waitFor(async () => (await db.query(WAITING)).length > 0);
    const overtaker = Writer.on(sources[3] as DataSource);
    await overtaker.begin();
    await overtaker.rows(`UPDATE payment SET sequence = 2 WHERE quote_id = $1`, [first]);
    await overtaker.rows(INSERT_SECOND, [randomUUID(), first]);
    await overtaker.end('COMMIT');
    await gate.end('ROLLBACK');
    await waiting;
    // Transactions of other databases on the server may delay the later event for a moment.
    const isReadable = async (): Promise<boolean> => {
      const published = await sequencesSince(last);
      return [first, second].every((id) => published.get(id)?.length === 2);
    };
    await waitFor(isReadable);
    expect((await sequencesSince(last)).get(first)).toEqual([1, 2]);
    for (const writer of [gate, overtaker]) await writer.release();
  });
});

const LOCK_SCHEDULE = `
  SELECT 1 FROM payment_schedule WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1) FOR UPDATE`;

const WAITING = `
  SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE NOT l.granted AND a.datname = current_database()`;

const INSERT_SECOND = `
  INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
  SELECT $1::uuid, id, 2, 'payment.updated', now(),
    format('{"data":{"quoteId":"%s","sequence":2}}', quote_id) FROM payment WHERE quote_id = $2`;

describe('a long log', () => {
  const ALL: LogFilter = { types: [] };

  let db: TestDatabase;
  let stores: Stores;

  beforeAll(async () => {
    db = await createTestDatabase();
    stores = storesOn(await openDataSource(db));
  });
  beforeEach(() => emptyTables(db, 'event', 'payment'));
  afterAll(() => db.drop());

  async function fill(count: number, type = 'payment.updated', orderId = 'A-1'): Promise<void> {
    await db.query(FILL, [count, type, orderId]);
  }

  /** Reads the log once no transaction of another database delays it. */
  async function readAll(count: number, filter = ALL, from: LogPosition = LOG_START): Promise<LoggedEvent[]> {
    let events: LoggedEvent[] = [];
    await waitFor(async () => {
      events = [];
      for (let position = from; ;) {
        const page = await stores.eventLog.read(position, filter, 500);
        events.push(...page.events);
        if (cursorOf(page.last) === cursorOf(position)) break;
        position = page.last;
      }
      return events.length >= count;
    });
    return events;
  }

  describe('the event log', () => {
    it('reads no more than 10,000 events for a page, and hands out how far it came', async () => {
      await fill(10_500);
      await fill(1, 'payment.failed');
      await readAll(10_501);
      const filter: LogFilter = { types: ['payment.failed'] };
      const first = await stores.eventLog.read(LOG_START, filter, 100);
      expect(first.events).toEqual([]);
      const [row] = await db.query<{ count: number }>(COUNT_UP_TO, [first.last.rank, first.last.position]);
      expect(row?.count).toBe(10_000);
      const second = await stores.eventLog.read(first.last, filter, 100);
      expect(second.events.map(({ type }) => type)).toEqual(['payment.failed']);
    });

    it('finds the events of an order with very many payments on its way through the log', async () => {
      await fill(1_100, 'payment.updated', 'all');
      await fill(1, 'payment.updated', 'other');
      await fill(1, 'payment.failed', 'all');
      await readAll(1_102);
      const of = { types: [], orderId: 'all' };
      expect(await readAll(1_101, of)).toHaveLength(1_101);
      expect(await readAll(1, { ...of, types: ['payment.failed'] })).toHaveLength(1);
    });

    it('is read by its index, wherever the page begins', async () => {
      await fill(10_000);
      await db.query('ANALYZE event, payment');
      const middle = (await readAll(10_000))[5_000]?.position ?? LOG_START;
      const filters: [LogFilter, string][] = [
        [ALL, 'event_log'],
        [{ types: ['payment.failed'] }, 'event_log'],
        [{ types: [], quoteId: 'q' }, 'event_entry_payment_id_sequence_key'],
      ];
      for (const [filter, index] of filters) {
        const from = [String(middle.rank), String(middle.position)] as const;
        const { sql, parameters } = logQuery(from, 100, filter, filter.quoteId !== undefined);
        const plan = await db.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, [...parameters]);
        const text = plan.map((line) => line['QUERY PLAN']).join('\n');
        expect(text).toContain(index);
        expect(text).not.toContain('Seq Scan on event');
      }
      const held = await db.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${HELD_FOR}`);
      expect(held.map((line) => line['QUERY PLAN']).join('\n')).toMatch(
        /Index Scan using event_log .*\n.*Index Cond: \(log_rank >= .*pg_snapshot_xmin/,
      );
    });

    it('goes on after a dump was restored on a server that counts from a lower number', async () => {
      await fill(3);
      const [, second] = await readAll(3);
      // Ranks the events as the former server did.
      await db.query('UPDATE event SET log_rank = log_rank + 5000000000');
      const moved = {
        ...second?.position,
        rank: (second?.position.rank ?? 0n) + 5_000_000_000n,
      } as LogPosition;
      expect((await stores.eventLog.read(LOG_START, ALL, 10)).events).toEqual([]);
      expect(await db.query('SELECT continue_log() AS done')).toEqual([{ done: true }]);
      expect(await db.query('SELECT continue_log() AS done')).toEqual([{ done: false }]);
      await fill(2);
      const all = await readAll(5);
      const first = all[0]?.position.position ?? 0n;
      expect(all.map(({ position }) => position.position - first)).toEqual([0n, 1n, 2n, 3n, 4n]);
      expect(await stores.eventLog.find(cursorOf(moved))).toEqual(moved);
      expect(await readAll(3, ALL, moved)).toEqual(all.slice(2));
    });
  });

  /** Payments of one event each. */
  const FILL = `
  WITH added AS (
    INSERT INTO payment (provider, quote_id, order_id, status, late, sequence, tracking, created_at, updated_at, progress_at,
      part_digests, report_digest, stalls, contradictions)
    SELECT 'http', gen_random_uuid(), $3, 'EXECUTING', false, 1, 'active', now(), now(), now(), '', '', '{}', '{}'
    FROM generate_series(1, $1) RETURNING id
  )
  INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
  SELECT gen_random_uuid(), id, 1, $2, now(), '{}' FROM added ORDER BY id`;

  const COUNT_UP_TO = `
  SELECT count(*)::int FROM event WHERE (log_rank, position) <= ($1::bigint, $2::bigint)`;
});
