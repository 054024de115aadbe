import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { EventType } from '../../src/domain/event/event.ts';
import { cursorOf, LOG_START, parseCursor, type LogPosition } from '../../src/domain/event/log-position.ts';
import type { EventLog, LogFilter, LoggedEvent } from '../../src/ports/event-log.ts';
import { FakeEventLog } from '../support/fakes/event-log.fake.ts';
import { openReplicas } from '../support/replicas.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

interface World {
  readonly log: EventLog;
  /** Records an event of a payment, and returns the event's JSON. */
  readonly append: (type: EventType, quoteId: string, orderId: string) => Promise<string>;
}

async function openMemory(): Promise<World> {
  const log = new FakeEventLog();
  return {
    log,
    append: async (type, quoteId, orderId) => {
      log.orderIds.set(quoteId, orderId);
      return log.append(type, quoteId).body;
    },
  };
}

async function openPostgres(): Promise<World> {
  const { db, one } = await openReplicas();
  return {
    log: one.eventLog,
    append: async (type, quoteId, orderId) => {
      const id = randomUUID();
      const body = `{"id":"${id}",  "amount":12345678901234567890.10}`;
      await db.query(APPEND, [quoteId, orderId, id, type, body]);
      return body;
    },
  };
}

const APPEND = `
  WITH moved AS (
    INSERT INTO payment (provider, quote_id, order_id, status, late, sequence, tracking, created_at, updated_at, progress_at,
      part_digests, report_digest, stalls, contradictions)
    VALUES ('http', $1, $2, 'EXECUTING', false, 1, 'active', now(), now(), now(), '', '', '{}', '{}')
    ON CONFLICT (quote_id) DO UPDATE SET sequence = payment.sequence + 1 RETURNING id, sequence
  )
  INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
  SELECT $3, id, sequence, $4, now(), $5 FROM moved`;

const ALL: LogFilter = { types: [] };

describe.each([
  { name: 'in memory', open: openMemory },
  { name: 'in PostgreSQL', open: openPostgres },
])('the event log $name', ({ open }) => {
  let log: EventLog;
  let append: World['append'];

  beforeAll(async () => {
    ({ log, append } = await open());
  });

  /** Reads the log once nothing delays it: transactions of other databases on the server may do so for moments. */
  async function readAll(from: LogPosition, filter = ALL, limit = 500): Promise<LoggedEvent[]> {
    await waitFor(async () => (await log.heldForMs()) === 0);
    const events: LoggedEvent[] = [];
    for (let position = from; ;) {
      const page = await log.read(position, filter, limit);
      expect(page.events.length).toBeLessThanOrEqual(limit);
      events.push(...page.events);
      if (cursorOf(page.last) === cursorOf(position)) return events;
      position = page.last;
    }
  }

  /** Adds one event of each type, each with a payment of its own. */
  async function add(...types: EventType[]): Promise<{ from: LogPosition; events: LoggedEvent[] }> {
    const from = (await readAll(LOG_START)).at(-1)?.position ?? LOG_START;
    for (const type of types) await append(type, randomUUID(), 'A-1');
    return { from, events: await readAll(from) };
  }

  it('is empty before the first event, and ends where it starts', async () => {
    expect(await log.read(LOG_START, ALL, 10)).toMatchObject({ events: [], last: LOG_START });
  });

  it('holds what was recorded, verbatim, and ends at a position from which it goes on', async () => {
    const quoteId = randomUUID();
    const { from } = await add();
    const bodies = [
      await append('payment.created', quoteId, 'A-1'),
      await append('payment.failed', quoteId, 'A-1'),
    ];
    const events = await readAll(from);
    expect(events.map(({ body }) => body)).toEqual(bodies);
    expect(events.map(({ type }) => type)).toEqual(['payment.created', 'payment.failed']);
    expect(events[0]?.id).toBe(JSON.parse(bodies[0] ?? '').id);
    for (const { paymentId } of events) expect(paymentId).toBe(await log.paymentIdOf(quoteId));
    const end = await log.read(events[1]?.position ?? from, ALL, 10);
    expect([end.events, end.last]).toEqual([[], events[1]?.position]);
    await append('payment.updated', quoteId, 'A-1');
    expect(await readAll(end.last)).toHaveLength(1);
    expect(await log.paymentIdOf('unknown')).toBeNull();
  });

  it('gives each event once, page by page, and the same order ever after', async () => {
    const { from, events } = await add(...Array.from({ length: 7 }, () => 'payment.updated' as const));
    expect(events).toHaveLength(7);
    for (const limit of [1, 2, 7, 8]) expect(await readAll(from, ALL, limit)).toEqual(events);
    const page = await log.read(from, ALL, 3);
    expect(page.last).toEqual(events[2]?.position);
    const rest = await log.read(page.last, ALL, 10);
    expect(rest.last).toEqual(events[6]?.position);
  });

  it('has an end after which only later events come', async () => {
    await add('payment.updated');
    const end = await log.end();
    expect(await readAll(end)).toEqual([]);
    // A crash of the database loses no event, though it may give the ids of transactions without events again.
    expect(end).toEqual((await log.read(LOG_START, ALL, 1_000)).last);
    await append('payment.failed', randomUUID(), 'A-1');
    expect((await readAll(end)).map(({ type }) => type)).toEqual(['payment.failed']);
  });

  it('has a place before its last events, and its start where there are fewer', async () => {
    const { events } = await add('payment.updated', 'payment.failed', 'payment.expired');
    expect(await readAll(await log.beforeLast(2))).toEqual(events.slice(1));
    expect(await log.beforeLast(1_000_000)).toEqual(LOG_START);
  });

  it('is entered by a cursor or an event, and by nothing that it never handed out', async () => {
    const { events } = await add('payment.updated', 'payment.updated', 'payment.updated');
    const [, second, third] = events;
    const position = second?.position ?? LOG_START;
    expect(await log.find(second?.id ?? '')).toEqual(position);
    expect(await log.find(cursorOf(position))).toEqual(position);
    expect(parseCursor(cursorOf(position))).toEqual(position);
    expect((await log.read(position, ALL, 10)).events).toEqual([third]);
    const beyond = cursorOf({ rank: (await log.end()).rank + 1_000_000n, position: 1n });
    for (const text of [randomUUID(), 'x', '', '-', '1-', '12', beyond, `${'9'.repeat(30)}-1`])
      expect([text, await log.find(text)]).toEqual([text, null]);
  });

  it('is filtered by types, by the quote and by the order', async () => {
    const { from } = await add();
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
    const [orderId, other] = [randomUUID(), randomUUID()];
    for (const [type, quoteId, of] of [
      ['payment.updated', one, orderId],
      ['payment.updated', two, orderId],
      ['payment.failed', three, other],
      ['payment.failed', one, orderId],
      ['payment.failed', two, orderId],
    ] as const)
      await append(type, quoteId, of);
    const all = await readAll(from);
    const read = async (filter: LogFilter): Promise<number[]> =>
      (await log.read(from, filter, 100)).events.map(({ id }) => all.findIndex((event) => event.id === id));
    expect(await read({ types: ['payment.failed'] })).toEqual([2, 3, 4]);
    expect(await read({ types: ['payment.failed', 'payment.updated'] })).toEqual([0, 1, 2, 3, 4]);
    expect(await read({ types: [], quoteId: one })).toEqual([0, 3]);
    expect(await read({ types: [], orderId })).toEqual([0, 1, 3, 4]);
    expect(await read({ types: ['payment.failed'], orderId })).toEqual([3, 4]);
    expect(await read({ types: [], orderId: other, quoteId: one })).toEqual([]);
    const page = await log.read(all[0]?.position ?? from, { types: [], orderId }, 2);
    expect(page).toMatchObject({ events: [all[1], all[3]], last: all[3]?.position });
    const none = await log.read(from, { types: [], quoteId: 'no' }, 5);
    expect([none.events, none.last]).toEqual([[], all[4]?.position]);
  });
});
