import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { LOG_START } from '../../src/domain/event/log-position.ts';
import { claimed, pollResult, reportOf } from '../support/poll-results.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import { paymentToAdd } from '../support/stores.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';
import { done } from '../support/settlements.ts';

const LEASE_MS = 20_000;
const MOST_SLOTS = 16;

let endpoint: string;

const { db, one } = await openReplicas();
beforeEach(async () => {
  await db.query('DELETE FROM destination');
  endpoint = await addDestination(db);
});

/** Adds a payment before any endpoint subscribes to its events: its own first event is number 1. */
async function added(report: string | null = null): Promise<string> {
  const quoteId = randomUUID();
  await one.payments.add(paymentToAdd(quoteId, { report: report === null ? null : reportOf(report) }));
  return quoteId;
}

async function idOf(quoteId: string): Promise<string> {
  const [row] = await db.query<{ id: string }>('SELECT id FROM payment WHERE quote_id = $1', [quoteId]);
  return row?.id ?? '';
}

/** Records events with these bodies as the service does, `together` of them in one transaction. */
async function record(quoteId: string, bodies: readonly string[], together = 1): Promise<void> {
  const id = await idOf(quoteId);
  for (let first = 0; first < bodies.length; first += together) {
    const some = bodies.slice(first, first + together);
    await db.query(RECORD, [
      some.map(() => randomUUID()),
      some.map(() => id),
      some.map((_, index) => 2 + first + index),
      some,
    ]);
  }
}

async function moved(quoteId: string, text: string): Promise<void> {
  const answer = { kind: 'report', report: reportOf(text) } as const;
  await one.schedule.record([pollResult(await claimed(one, quoteId), answer)]);
}

async function eventsOf(quoteId: string): Promise<string[]> {
  const texts: string[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await one.payments.eventsOf(quoteId, cursor);
    texts.push(...(page?.events ?? []));
    cursor = page?.nextCursor ?? null;
    if (cursor === null) return texts;
  }
}

/** Reads the payment's events directly, and by a walk through the log. */
async function feedOf(quoteId: string, count: number): Promise<string[][]> {
  const read = async (isByPayment: boolean): Promise<string[]> => {
    const texts: string[] = [];
    for (let after = LOG_START; ;) {
      const page = await one.eventLog.read(after, { types: [], ...(isByPayment ? { quoteId } : {}) }, 500);
      const own = page.events.filter((event) => isByPayment || event.body.includes(quoteId));
      texts.push(...own.map((event) => event.body));
      if (page.last.rank === after.rank && page.last.position === after.position) return texts;
      after = page.last;
    }
  };
  let found: string[][] = [];
  await waitFor(async () => {
    found = [await read(true), await read(false)];
    return found.every(({ length }) => length >= count);
  });
  return found;
}

/** The bodies that the endpoint receives, and the API's view of each delivery. */
async function deliveredOf(): Promise<{ sent: string[]; shown: string[] }> {
  const [sent, shown]: [string[], string[]] = [[], []];
  for (;;) {
    const owed = await one.deliveries.claim(
      [{ destinationId: endpoint, free: 100, isProbe: false }],
      LEASE_MS,
    );
    if (owed.length === 0) return { sent, shown };
    for (const delivery of owed) {
      sent.push(delivery.body);
      shown.push((await one.deliveryLog.find(delivery.id))?.eventText ?? '');
      await one.deliveries.settle([done(delivery)]);
    }
  }
}

async function expectEverywhere(quoteId: string, bodies: readonly string[]): Promise<void> {
  expect(await eventsOf(quoteId)).toEqual(bodies);
  const [byPayment, byWalk] = await feedOf(quoteId, bodies.length);
  expect(byPayment).toEqual(bodies);
  expect(byWalk).toEqual(bodies);
}

async function placesOf(quoteId: string): Promise<(number | null)[]> {
  const rows = await db.query<{ slot: number | null }>(
    `SELECT e.slot FROM event_entry e JOIN payment p ON p.id = e.payment_id WHERE p.quote_id = $1 ORDER BY e.sequence`,
    [quoteId],
  );
  return rows.map(({ slot }) => slot);
}

describe('the bodies of events', () => {
  it.each([1, 17, 40])('come back byte for byte: %i of one payment', async (count) => {
    const quoteId = await added();
    const more = Array.from(
      { length: count - 1 },
      (_, n) => `{"n":${n},"of":"${quoteId}","ä":"${'x'.repeat(n)}"}`,
    );
    await record(quoteId, more, count === 40 ? 7 : 1);
    const bodies = await eventsOf(quoteId);
    expect(bodies.slice(1)).toEqual(more);
    await expectEverywhere(quoteId, bodies);
    expect(await deliveredOf()).toEqual({ sent: bodies, shown: bodies });
    const slots = await placesOf(quoteId);
    expect(slots).toEqual(bodies.map((_, n) => (n + 2 <= MOST_SLOTS ? n + 2 : null)));
  });

  it('come back byte for byte when they are too long for one row', async () => {
    const quoteId = await added();
    const long = (letter: string, length: number): string => `${letter.repeat(length)} ${quoteId}`;
    const more = [
      long('a', 200_000),
      long('b', 9_000),
      long('ü', 2_500),
      long('c', 3_000),
      long('d', 200_000),
      long('e', 10),
    ];
    await record(quoteId, more);
    await expectEverywhere(quoteId, [(await eventsOf(quoteId))[0] ?? '', ...more]);
    expect(await placesOf(quoteId)).toEqual([2, null, 3, 4, null, null, 5]);
  });

  it.each([
    ['what an array would quote', `{"a":"\\"b\\",{}","c":"\\\\"} , NULL`],
    ['NULL', 'NULL'],
    ['braces', '{NULL,""}'],
    ['other scripts', '{"a":"支付 دفع 🧾 e\u0301 \u2028 \u200b \ufeff"}'],
    ['control characters', '{"a":"\u0001\u007f\t\r\n"}'],
    ['nothing', ''],
  ])('come back byte for byte with %s', async (_what, text) => {
    const quoteId = await added();
    await record(quoteId, [text, quoteId, text], 2);
    expect((await eventsOf(quoteId)).slice(1)).toEqual([text, quoteId, text]);
    const { sent } = await deliveredOf();
    expect(sent.slice(1)).toEqual([text, quoteId, text]);
  });

  it('stay when an event beside them is gone, and while reports of any length come and go', async () => {
    const quoteId = await added('{"status":"AWAITING_DEPOSIT"}');
    const id = await idOf(quoteId);
    await record(quoteId, [`a ${quoteId}`, `b ${quoteId}`]);
    const [first = ''] = await eventsOf(quoteId);
    for (const length of [10, 15_000, 200_000, 16_500, 0, 14_000]) {
      const report = `{"text":"${'x'.repeat(length)}"}`;
      await db.query(`SELECT keep_texts(ARRAY[$1::bigint], ARRAY[$2::text], '{}', '{}', now())`, [
        id,
        report,
      ]);
      expect((await one.payments.find(quoteId))?.reportText).toBe(report);
      expect(await eventsOf(quoteId)).toEqual([first, `a ${quoteId}`, `b ${quoteId}`]);
    }
    await db.query(`DELETE FROM event WHERE payment_id = $1 AND sequence = 2`, [id]);
    await db.query(RECORD, [[randomUUID()], [id], [4], [`c ${quoteId}`]]);
    expect(await eventsOf(quoteId)).toEqual([first, `b ${quoteId}`, `c ${quoteId}`]);
  });

  it('are never without their text: an event that has none is refused', async () => {
    const quoteId = await added();
    await expect(record(quoteId, [null as unknown as string])).rejects.toThrow('event_has_body');
  });
});

describe("the row of a payment's texts", () => {
  it('is written once for a payment that comes with a report, and once for a poll', async () => {
    await db.query(`CREATE TABLE text_write (payment_id bigint)`);
    await db.query(`CREATE FUNCTION count_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO text_write VALUES (NEW.payment_id); RETURN NULL; END $$`);
    await db.query(
      `CREATE TRIGGER counted AFTER INSERT OR UPDATE ON payment_text FOR EACH ROW EXECUTE FUNCTION count_write()`,
    );
    const writes = async (quoteId: string): Promise<number> =>
      (await db.query('SELECT 1 FROM text_write WHERE payment_id = $1', [await idOf(quoteId)])).length;
    const quoteId = await added('{"status":"DEPOSIT_RECEIVED"}');
    expect(await writes(quoteId)).toBe(1);
    await moved(quoteId, '{"status":"EXECUTING"}');
    expect(await writes(quoteId)).toBe(2);
    await moved(quoteId, '{"status":"COMPLETED"}');
    expect(await writes(quoteId)).toBe(3);
    await one.payments.label(quoteId, { orderId: 'A-1', metadata: null });
    expect(await writes(quoteId)).toBe(4);
    expect(await placesOf(quoteId)).toEqual([2, 3, 4, 5, 6]);
    const found = await one.payments.find(quoteId);
    expect(found?.reportText).toBe('{"status":"COMPLETED"}');
    expect((await eventsOf(quoteId)).at(-1)).toContain('{"status":"COMPLETED"}');
    await db.query(`DROP TRIGGER counted ON payment_text`);
  });

  it('is compressed and stands in the table itself', async () => {
    const quoteId = await added();
    const text = `{"recipient":"0x833589fcd6edb6e08f4c7c32d4f71b54bda02913","status":"EXECUTING","quoteId":"${quoteId}"}`;
    await record(
      quoteId,
      Array.from({ length: 6 }, (_, n) => `{"n":${n},"a":${text},"b":${text},"c":${text},"d":${text}}`),
    );
    const [row] = await db.query<{ size: number; outside: number }>(
      `SELECT pg_column_size(t.texts) AS size, pg_relation_size(c.reltoastrelid)::int AS outside
       FROM payment_text t JOIN pg_class c ON c.oid = 'payment_text'::regclass WHERE t.payment_id = $1`,
      [await idOf(quoteId)],
    );
    expect(row?.size).toBeLessThan(1_000);
  });
});

const RECORD = `
  SELECT record_events($1::uuid[], $2::bigint[], $3::int[], array_fill('payment.updated'::text, ARRAY[cardinality($1::uuid[])]),
    $4::text[], '{}', now(), '{}', '{}', '[]')
  FROM (SELECT 1 FROM payment WHERE id = ANY ($2::bigint[]) FOR UPDATE) locked`;
