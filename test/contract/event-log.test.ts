import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { HELD_FOR, logQuery } from '../../src/database/events/log-queries.ts';
import { cursorOf, LOG_START, type LogPosition } from '../../src/domain/event/log-position.ts';
import type { LogFilter, LoggedEvent } from '../../src/ports/event-log.ts';
import { openDataSource } from '../support/data-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { storesOn, type Stores } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const ALL: LogFilter = { types: [] };

let db: TestDatabase;
let stores: Stores;

beforeEach(async () => {
  db = await createTestDatabase();
  stores = storesOn(await openDataSource(db));
});
afterEach(() => db.drop());

async function fill(count: number, type = 'payment.updated', orderId = 'A-1'): Promise<void> {
  await db.query(FILL, [count, type, orderId]);
}

/** Once it is no longer held back by a transaction of another database. */
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
    await fill(30_000);
    await db.query('ANALYZE event, payment');
    const middle = (await readAll(30_000))[15_000]?.position ?? LOG_START;
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
    // As the former server had ranked them.
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
    expect(all.map(({ position }) => position.position)).toEqual([1n, 2n, 3n, 4n, 5n]);
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
