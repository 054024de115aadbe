import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { listDeliveries } from '../../src/database/deliveries/list-deliveries.ts';
import type { EndpointSecrets } from '../../src/database/secrets/endpoint-secrets.ts';
import { countPayments } from '../../src/database/payments/count-payments.ts';
import { listPayments } from '../../src/database/payments/list-payments.ts';
import { INDEXES } from '../../src/database/schema/indexes.ts';
import { readSearch } from '../../src/domain/payment/search.ts';
import { LIST_SORTS } from '../../src/ports/list-sort.ts';
import type { PaymentConditions, PaymentFilter } from '../../src/ports/payments.ts';
import type { Queries } from '../../src/ports/queries.ts';
import { DESTINATION_KINDS } from '../support/destination-kinds.ts';
import { addDestination, openReplicas } from '../support/replicas.ts';
import type { RecordSettings } from '../../src/database/events/record-settings.ts';
import { QUOTE_TABLES } from '../../src/providers/registered-providers.ts';

const SCOPE = { tables: QUOTE_TABLES.all, rules: {} as RecordSettings };

const STORED = 20_000;
/** The rows of a page, and of the candidates that its plan reads besides. */
const MOST_READ = 500;

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const { db, one } = await openReplicas();

/**
 * Returns a read's result, and the most rows that one node of its plan reads: each statement runs for its plan, then for its
 * rows.
 */
async function mostRead<Read>(read: (queries: Queries) => Promise<Read>): Promise<[Read, number]> {
  let most = 0;
  const result = await read({
    query: async (sql, parameters) => {
      const [row] = await one.database.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
        parameters,
      );
      for (const { Plan } of row?.['QUERY PLAN'] ?? []) most = Math.max(most, mostRowsOf(Plan));
      return one.database.query(sql, parameters);
    },
  });
  return [result, most];
}

/** The ids of each page in turn. */
async function readAll(queries: Queries, filter: PaymentFilter): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page = await listPayments(queries, { ...filter, ...(cursor === null ? {} : { cursor }) }, SCOPE);
    pages.push(page.payments.map(({ quoteId }) => quoteId));
    ({ nextCursor: cursor } = page);
  } while (cursor !== null && pages.length < 100);
  return pages;
}

function mostRowsOf({ Plans = [], ...node }: PlanNode): number {
  const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return Math.max(read, ...Plans.map(mostRowsOf));
}

async function insert(quoteId: string, createdAt: Date): Promise<void> {
  await db.query(
    `INSERT INTO payment (provider, quote_id, order_id, status, late, sequence, tracking, created_at, updated_at, progress_at,
       part_digests, report_digest, stalls, contradictions)
     VALUES ('http', $1, 'order of a list', 'EXPIRED', false, 1, 'closed', $2, $2, $2, '|||', '', '{}', '{}')`,
    [quoteId, createdAt],
  );
}

const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));

describe('the list of many payments', () => {
  beforeAll(async () => {
    await db.query(
      `INSERT INTO payment (provider, quote_id, order_id, status, late, sequence, tracking, created_at, updated_at, progress_at,
         part_digests, report_digest, stalls, contradictions)
       SELECT 'http', gen_random_uuid(), CASE WHEN n <= 2000 THEN 'A-many' ELSE 'A-' || n END, CASE WHEN n % 1000 = 0 THEN 'FAILED' ELSE 'COMPLETED' END, false, 1, 'closed',
         t, t, t, '|||', '', '{}', '{}'
       FROM (SELECT n, $2::timestamptz + n * interval '5 minutes' AS t FROM generate_series(1, $1::int) n) made`,
      [STORED, day(1)],
    );
    // These states are rare, as in any installation, and the newest payments have none.
    for (const [set, n] of [
      [`late = true`, 3],
      [`stalls = '{no_progress}', tracking = 'active'`, 4],
      [`contradictions = '{unknown_status:PAUSED}'`, 5],
      [`contradictions = '{unknown_status:PAUSED}', resolution = '{}'`, 6],
    ] as const)
      await db.query(`UPDATE payment SET ${set} WHERE created_at < $1 AND id % 100 = $2`, [day(50), n]);
    await db.query(`UPDATE payment SET provider = 'relay' WHERE created_at < $1 AND id % 100 = 7`, [day(50)]);
    await db.query('VACUUM ANALYZE payment');
  });

  it.each<[string, Partial<PaymentFilter>]>([
    ['without a filter', {}],
    ['of an old window', { createdAfter: day(2), createdBefore: day(3) }],
    ['before the first day', { createdBefore: day(2) }],
    ['after the last', { createdAfter: day(70) }],
    ['of a rare status', { statuses: ['FAILED'] }],
    ['of a rare status in old times', { statuses: ['FAILED'], createdBefore: day(10) }],
    ['of a status that none has', { statuses: ['EXECUTING'], createdBefore: day(60) }],
    ['of several statuses', { statuses: ['EXECUTING', 'FAILED', 'COMPLETED'], createdBefore: day(30) }],
    ['of a frequent provider', { providers: ['http'] }],
    ['of a rare provider', { providers: ['relay'] }],
    ['of several providers', { providers: ['http', 'relay'], createdBefore: day(30) }],
    ['of a provider without payments', { providers: ['oneclick'] }],
    ['of a provider and a status', { providers: ['http'], statuses: ['FAILED'] }],
    ['of an order', { orderId: 'A-7777', createdBefore: day(60) }],
    ['of an order of many', { orderId: 'A-many' }],
    ['of late ones', { late: true }],
    ['of late ones of a status', { late: true, statuses: ['COMPLETED', 'FAILED'] }],
    ['of late ones in a window', { late: true, createdAfter: day(2), createdBefore: day(4) }],
    ['of those that were never late', { late: false }],
    ['of stalled ones', { stalled: true, resolved: false }],
    ['of others', { stalled: false }],
    ['of anomalies', { anomaly: true, resolved: false }],
    ['of resolved anomalies', { anomaly: true, resolved: true }],
    ['of late ones with an anomaly', { anomaly: true, resolved: false, late: true }],
    ['of resolved ones', { resolved: true }],
    ['of unresolved ones', { resolved: false, createdBefore: day(40) }],
    ['of these in a window', { orderId: 'A-many', createdBefore: day(5), createdAfter: day(4) }],
  ])('reads no more than its page, newest or oldest first: %s', async (_name, filter) => {
    for (const sort of LIST_SORTS) {
      const sorted = { ...filter, sort, limit: 100 };
      const [, most] = await mostRead(async (queries) => {
        const { nextCursor } = await listPayments(queries, sorted, SCOPE);
        if (nextCursor !== null) await listPayments(queries, { ...sorted, cursor: nextCursor }, SCOPE);
      });
      expect([sort, Math.max(most, MOST_READ)]).toEqual([sort, MOST_READ]);
    }
  });
});

describe('the count of many payments', () => {
  it.each<[string, PaymentConditions, number]>([
    ['all', {}, 10_001],
    ['of a frequent status', { statuses: ['COMPLETED', 'FAILED'] }, 10_001],
    ['of a rare status', { statuses: ['FAILED'] }, 20],
    ['of a rare provider', { providers: ['relay'] }, 142],
    ['of an order of many', { orderId: 'A-many' }, 2_000],
    ['of a window', { createdAfter: day(2), createdBefore: day(3) }, 288],
    ['of late ones', { late: true }, 142],
    ['of those that were never late', { late: false }, 10_001],
    ['of stalled ones', { stalled: true, resolved: false }, 142],
    ['of anomalies of a status that none has', { anomaly: true, resolved: false, statuses: ['EXPIRED'] }, 0],
  ])('is exact up to 10,000, and reads no more than it counts: %s', async (_name, conditions, found) => {
    const [, most] = await mostRead(async (queries) => {
      expect(await countPayments(queries, conditions, SCOPE)).toEqual({
        count: Math.min(found, 10_000),
        isMore: found > 10_000,
      });
    });
    expect(most).toBeLessThanOrEqual(found + MOST_READ);
  });
});

describe('the list of payments with undelivered events', () => {
  const failing = { undelivered: true, resolved: false, limit: 100 } as const;

  async function addDeliveries(state: string, ids: string): Promise<void> {
    await db.query(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, last_failure, created_at)
       SELECT x.id, p.id, e.position, 1, $1, 'released', CASE WHEN $1 <> 'delivered' THEN 'timeout' END, p.created_at
       FROM payment p JOIN event e ON e.payment_id = p.id, destination x WHERE ${ids}`,
      [state],
    );
  }

  beforeAll(async () => {
    await addDestination(db);
    await db.query(
      `INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
       SELECT gen_random_uuid(), p.id, n, 'payment.updated', p.created_at, '{}' FROM payment p, generate_series(1, 2) n`,
    );
    await addDeliveries('delivered', `p.order_id LIKE 'A-%'`);
    await addDeliveries('failed', `p.id % 200 = 1 AND p.order_id LIKE 'A-%'`);
    await addDeliveries('pending', `p.id % 200 = 2 AND p.order_id LIKE 'A-%'`);
  });
  afterAll(() => db.query('DELETE FROM delivery; DELETE FROM event_entry; DELETE FROM destination'));

  it('reads few payments and few deliveries, whatever the statistics say', async () => {
    for (const statistics of ['none', 'new']) {
      if (statistics === 'new') await db.query('VACUUM ANALYZE delivery, event_entry');
      const [pages, most] = await mostRead((queries) => readAll(queries, failing));
      expect([statistics, pages.map(({ length }) => length)]).toEqual([statistics, [100, 100]]);
      expect(most).toBeLessThanOrEqual(MOST_READ);
    }
  });

  it('reads the newest payments where very many have some, and finds all of them', async () => {
    await addDeliveries('failed', `p.id % 4 = 1 AND p.order_id LIKE 'A-%'`);
    const filter = { ...failing, createdBefore: day(15) };
    const [pages, most] = await mostRead((queries) => readAll(queries, filter));
    // Every fourth payment, and those whose last attempt failed.
    expect(pages.flat()).toHaveLength(1_008 + 21);
    expect(pages.length).toBeGreaterThan(8);
    const { limit: _limit, ...conditions } = failing;
    expect(await one.payments.count(conditions)).toEqual({ count: 5_100, isMore: false });
    // The rows for 500 payments: their two events each, the four deliveries of those, and the candidates.
    expect(most).toBeLessThanOrEqual(2_002);
  });

  it('finds the same without the index, slower', async () => {
    await db.query('DROP INDEX delivery_untold');
    const { payments } = await one.payments.list(failing);
    await db.query(`CREATE INDEX delivery_untold ${INDEXES['delivery_untold']}`);
    expect(payments).toEqual((await one.payments.list(failing)).payments);
    expect(payments).toHaveLength(100);
  });
});

describe('the list of payments of a chain or a token', () => {
  const RARE = '0xaf88d065e77c8cc2239327c5edb3a432268e5831';

  beforeAll(async () => {
    await db.query(
      `INSERT INTO payment_quote (payment_id, body)
       SELECT id, format('{"send":{"chain":{"id":%s,"name":"%s"},"token":{"symbol":"USDC","address":"%s"}}}',
         CASE WHEN id % 1000 = 1 THEN 10 ELSE 8453 END, CASE WHEN id % 1000 = 1 THEN 'Optimism' ELSE 'Base' END,
         CASE WHEN id % 1000 = 1 THEN $1 ELSE '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' END)
       FROM payment WHERE order_id LIKE 'A-%'`,
      [RARE],
    );
    await db.query('VACUUM ANALYZE payment_quote');
  });
  afterAll(async () => {
    await db.query('DELETE FROM payment_quote');
    await db.query('VACUUM ANALYZE payment_quote');
  });

  it('finds those of a frequent one at once', async () => {
    const { payments, nextCursor } = await one.payments.list({ chain: 'base', token: 'USDC', limit: 100 });
    expect([payments.length, nextCursor]).toEqual([100, expect.any(String)]);
  });

  it('counts at least what there is time to judge', async () => {
    const { count, isMore } = await one.payments.count({ chain: 'base', token: 'USDC' });
    expect(count).toBeGreaterThanOrEqual(400);
    expect(isMore).toBe(true);
    expect(await one.payments.count({ token: RARE })).toEqual({ count: 20, isMore: false });
  });

  it('finds all of a rare chain in windows, each bounded, though most pages have none', async () => {
    const filter = { chain: '10', createdBefore: day(15), limit: 100 };
    const [pages, most] = await mostRead((queries) => readAll(queries, filter));
    expect([pages.flat().length, pages.length]).toEqual([5, 9]);
    expect(most).toBeLessThanOrEqual(MOST_READ);
  });

  it('finds all of a rare token in one page, by the index of the search', async () => {
    const token = RARE.toUpperCase().replace('X', 'x');
    const [pages, most] = await mostRead((queries) => readAll(queries, { token, limit: 100 }));
    expect([pages.flat().length, pages.length]).toEqual([20, 1]);
    expect(most).toBeLessThanOrEqual(MOST_READ);
    expect(await readAll(one.database, { token: RARE.replace('1', '2'), limit: 100 })).toEqual([[]]);
  });
});

describe('the list of deliveries of an order of many', () => {
  it('reads no payment of other orders', async () => {
    await db.query(
      `INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
       SELECT gen_random_uuid(), id, 1, 'payment.created', created_at, '{}' FROM payment`,
    );
    await db.query(
      `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state)
       SELECT $1, payment_id, position, sequence, 'delivered', 'head' FROM event`,
      [randomUUID()],
    );
    await db.query('VACUUM ANALYZE event_entry, delivery');
    const filter = { orderId: 'A-many', limit: 100 };
    const [, most] = await mostRead((queries) =>
      listDeliveries(queries, filter, {} as EndpointSecrets, DESTINATION_KINDS),
    );
    expect(most).toBeLessThanOrEqual(2_000);
  });
});

describe('the list after clocks that went back', () => {
  const at = (second: number): Date => new Date(Date.UTC(2030, 0, 1, 0, 0, second));
  const ids = ['first', 'ahead', 'third', 'fourth'].map((name) => `${name}-${randomUUID()}`);
  const [first = '', ahead = '', third = '', fourth = ''] = ids;
  const filter: PaymentFilter = { orderId: 'order of a list', limit: 1 };

  beforeAll(async () => {
    for (const [quoteId, second] of [
      [first, 1],
      [ahead, 9],
      [third, 2],
      [fourth, 2],
    ] as const)
      await insert(quoteId, at(second));
  });

  it('is in the order of creation, over all pages', async () => {
    expect((await readAll(one.database, filter)).flat()).toEqual([ahead, fourth, third, first]);
  });
});

describe('a search', () => {
  const OFTEN = '0x5555555555555555555555555555555555555555';

  async function searchAll(search: string): Promise<{ found: number; pages: number }> {
    const pages = await readAll(one.database, { search, limit: 400 });
    const ids = pages.flat();
    expect(new Set(ids).size).toBe(ids.length);
    return { found: ids.length, pages: pages.length };
  }

  beforeAll(async () => {
    await db.query(
      `INSERT INTO payment_text (payment_id, texts, reported_at)
       SELECT id, ARRAY[format('{"recipient":"%s","hash":"0x%s"}', $1::text, md5(id::text))], created_at FROM payment
       WHERE order_id LIKE 'A-%' ORDER BY id LIMIT 5000`,
      [OFTEN],
    );
  });

  it('for what thousands of payments have finds all of them, page by page', async () => {
    expect(await searchAll(OFTEN)).toMatchObject({ found: 5_000 });
    expect(await searchAll(OFTEN.slice(0, 9))).toMatchObject({ found: 5_000 });
  });

  it('for what hundreds of old payments have reads only these', async () => {
    const sometimes = '0x7777777777777777777777777777777777777777';
    await db.query(
      `INSERT INTO payment_quote (payment_id, body)
       SELECT id, format('{"recipient":"%s"}', $1::text) FROM payment WHERE order_id = 'A-many' ORDER BY id LIMIT 400`,
      [sometimes],
    );
    const [, most] = await mostRead(async (queries) => {
      const { payments } = await listPayments(queries, { search: sometimes, limit: 100 }, SCOPE);
      expect(payments).toHaveLength(100);
    });
    expect(most).toBeLessThanOrEqual(MOST_READ);
  });

  it('for what all payments of a window have reads no more than its page', async () => {
    const filter = { search: OFTEN, createdBefore: day(15), limit: 100 };
    const [, most] = await mostRead(async (queries) => {
      expect((await listPayments(queries, filter, SCOPE)).payments).toHaveLength(100);
    });
    expect(most).toBeLessThanOrEqual(MOST_READ);
  });

  /** How often PostgreSQL scanned the tables, and read them by an index, before and after the search. */
  async function scansOf(search: string, limit: number): Promise<unknown[]> {
    const scans = `SELECT relname, seq_scan, idx_scan FROM pg_stat_xact_user_tables ORDER BY relname`;
    return one.database.transaction(async (queries) => {
      const before = await queries.query(scans);
      const { term, amount } = readSearch(search);
      await queries.query(`SELECT * FROM search_payments($1, lower($1), $2, false, $3, $4, '{}')`, [
        search,
        term,
        amount,
        limit,
      ]);
      return [before, await queries.query(scans)];
    });
  }

  it.each(['A-7777', randomUUID(), `0x${'ab'.repeat(20)}`, '0xabcdef', '1.04', OFTEN])(
    'reads no table from its beginning: %s',
    async (search) => {
      const [before, after] = await scansOf(search, 2_000);
      const seqScans = (rows: unknown): unknown =>
        (rows as { relname: string; seq_scan: string }[]).map(({ relname, seq_scan: scans }) => [
          relname,
          scans,
        ]);
      expect(seqScans(after)).toEqual(seqScans(before));
    },
  );

  it.each([OFTEN, OFTEN.slice(0, 9)])(
    'does not ask its index for what very many have: %s',
    async (search) => {
      await db.query('ANALYZE payment_text');
      const ofTerms = (rows: unknown): unknown =>
        (rows as { relname: string }[]).filter(({ relname }) => /^payment_(quote|text)$/.test(relname));
      const [before, after] = await scansOf(search, 100);
      expect(ofTerms(after)).toEqual(ofTerms(before));
      const [few, found] = await scansOf(search, 4_000);
      expect(ofTerms(found)).not.toEqual(ofTerms(few));
    },
  );

  describe('whose statistics are wrong', () => {
    const reported = (rows: string): Promise<{ id: string; hash: string }[]> =>
      db.query(
        `SELECT payment_id AS id, '0x' || md5(payment_id::text) AS hash FROM payment_report
         WHERE body LIKE '%hash%' ORDER BY payment_id ${rows}`,
      );

    it('asks its index for a value that they do not name, however many the planner guesses', async () => {
      // A new index has no statistics about its terms.
      await db.query(
        `DROP INDEX payment_report_search; CREATE INDEX payment_report_search ${INDEXES['payment_report_search']}`,
      );
      const [{ id, hash } = { id: '', hash: '' }] = await reported('LIMIT 1');
      const { term } = readSearch(hash);
      const [row] = await db.query<{ 'QUERY PLAN': readonly [{ Plan: { 'Plan Rows': number } }] }>(
        `EXPLAIN (FORMAT JSON) SELECT FROM payment_report WHERE search_terms(body) @@ '${term}'::tsquery`,
      );
      expect(row?.['QUERY PLAN'][0].Plan['Plan Rows']).toBeGreaterThan(20);
      const found = `SELECT found_ids::text[] AS ids FROM search_payments($1, $1, $2, true, NULL, 1, '{}')`;
      expect(await db.query(found, [hash, term])).toEqual([{ ids: [id] }]);
    });

    it('finds what they count among nearly all payments, though few old ones have it', async () => {
      const once = '0x9999999999999999999999999999999999999999';
      await db.query(`UPDATE payment_text SET body = replace(coalesce(body, texts[1]), $1, $2)`, [
        OFTEN,
        once,
      ]);
      await db.query('ANALYZE payment_text');
      const few = (await reported('LIMIT 3')).map(({ id }) => id);
      await db.query(
        `UPDATE payment_text SET body = replace(body, $2, $1) WHERE payment_id <> ALL ($3::bigint[])`,
        [OFTEN, once, few],
      );
      const { found, pages } = await searchAll(once);
      expect(found).toBe(3);
      expect(pages).toBeGreaterThan(1);
    });
  });

  it('finds a payment by the id of its request at Relay', async () => {
    const [quoteId, requestId] = [randomUUID(), `0x${'ab'.repeat(32)}`];
    await insert(quoteId, new Date());
    await db.query(
      `INSERT INTO relay_quote (quote_id, request_id, deposit_address, address_key, chain_id, data, created_at, expires_at)
       VALUES ($1, $2, 'x', 'x', 1, '{}', now(), now())`,
      [quoteId, requestId],
    );
    for (const search of [requestId, requestId.toUpperCase().replace('X', 'x')])
      expect((await one.payments.list({ search, limit: 5 })).payments).toMatchObject([{ quoteId }]);
  });

  it('finds everything without its index, slower', async () => {
    const [row] = await db.query<{ hash: string }>(
      `SELECT '0x' || md5(payment_id::text) AS hash FROM payment_report WHERE body LIKE '%hash%' LIMIT 1`,
    );
    expect(await searchAll(row?.hash ?? '')).toEqual({ found: 1, pages: 1 });
    await db.query('DROP INDEX payment_quote_search');
    expect(await searchAll(row?.hash ?? '')).toEqual({ found: 1, pages: 41 });
  });
});
