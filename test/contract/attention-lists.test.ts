import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { NOBODY } from '../../src/domain/event/told.ts';
import { type Code, CODES, itemOf } from '../../src/features/attention/attention-item.ts';
import { NEED_CODES } from '../../src/domain/attention/payment-troubles.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { OwnApp } from '../support/own-app.ts';
import { addDestination } from '../support/replicas.ts';

const DELETED = randomUUID();
const AN_HOUR_AGO = `now() - interval '1 hour'`;

let db: TestDatabase;
let app: OwnApp;

beforeAll(async () => {
  db = await createTestDatabase();
  app = await OwnApp.startReady({
    DATABASE_URL: db.url,
    ROLES: 'api',
    PROVIDER_BASE_URL: 'http://127.0.0.1:9',
  });
});
afterAll(async () => {
  await app.stop();
  await db.drop();
});

interface Stored {
  readonly [column: string]: string;
}

/** A payment with these columns, as SQL; answers its id. */
async function payment(columns: Stored = {}): Promise<string> {
  const all: Stored = {
    provider: `'http'`,
    quote_id: `'${randomUUID()}'`,
    status: `'COMPLETED'`,
    late: 'false',
    sequence: '1',
    tracking: `'watching'`,
    created_at: 'now()',
    updated_at: 'now()',
    progress_at: 'now()',
    part_digests: `''`,
    report_digest: `'d'`,
    stalls: `'{}'`,
    contradictions: `'{}'`,
    ...columns,
  };
  const [row] = await db.query<{ id: string }>(
    `INSERT INTO payment (${Object.keys(all).join()}) VALUES (${Object.values(all).join()}) RETURNING id::text`,
  );
  return row?.id ?? '';
}

async function proven(state: string, chainId: number, columns: Stored = {}): Promise<void> {
  await db.query(
    `INSERT INTO payment_proof (payment_id, state, report_digest, verification, due_at) VALUES ($1, $2, 'd', $3, now())`,
    [await payment(columns), state, JSON.stringify({ chainId, checks: [] })],
  );
}

let events = 0;
async function sent(destinationId: string, state: string, columns: Stored = {}): Promise<void> {
  await db.query(
    `INSERT INTO delivery (destination_id, payment_id, event_position, sequence, state, lane_state, created_at)
     VALUES ($1, $2, $3, 1, $4, 'head', ${AN_HOUR_AGO})`,
    [destinationId, await payment(columns), (events += 1), state],
  );
}

/** Each trouble twice, again settled otherwise and released by a person, and payments with several of them. */
async function troubles(): Promise<void> {
  const shop = await addDestination(db);
  const settled = { resolution: `'{"reason":"refunded"}'` };
  const released = { resolution: `'{"reason":"released"}'` };
  for (const more of [{}, {}, settled, released]) {
    await proven('contradicted', 1, more);
    await proven('pending', 10, { status: `'EXECUTING'`, ...more });
    await proven('unverified', 10, {
      status: `'EXECUTING'`,
      stalls: `'{unverified}'`,
      tracking: `'active'`,
      ...more,
    });
    await proven('pending', 8453, more);
    await payment({ status: `'EXPIRED'`, contradictions: `'{deposit_unseen_by_provider:0x1}'`, ...more });
    await payment({ contradictions: `'{went_back:x}'`, late: 'true', ...more });
    await payment({ contradictions: `'{short_output}'`, ...more });
    await payment({ contradictions: `'{overpaid}'`, ...more });
    await payment({ status: `'EXECUTING'`, stalls: `'{no_progress}'`, tracking: `'active'`, ...more });
    await payment({ status: `'EXPIRED'`, match: `'exact'`, ...more });
    await payment({ late: 'true', ...more });
    await sent(shop, 'pending', more);
    await sent(NOBODY, 'discarded', more);
    await sent(NOBODY, 'discarded', { late: 'true', ...more });
    await sent(shop, 'failed', more);
    await sent(DELETED, 'failed', more);
  }
  for (const order of [`'A-1'`, `'A-2'`]) {
    await payment({ order_id: order });
    await payment({ order_id: order, paid_again: 'true' });
  }
  await db.query(
    `INSERT INTO unanswered_quote (requested_at, provider, request, reason)
     SELECT now() - n * interval '20 hours', 'http', '{}', 'timeout' FROM generate_series(0, 3) n`,
  );
}

/** Another replica, which sees RPCs of two chains in trouble. */
async function troubledRpcs(): Promise<void> {
  const seen = (chainId: number, problem: string) => ({
    chainId,
    problem,
    rpcs: ['rpc.example'],
    detail: 'It errs.',
    since: new Date().toISOString(),
  });
  const rpcs = [seen(10, 'disagrees'), seen(10, 'stuck'), seen(8453, 'stuck')];
  const id = randomUUID();
  await db.query(`INSERT INTO replica (id, beat, seen_at) VALUES ($1, 1, now() + interval '1 hour')`, [id]);
  await db.query(
    `INSERT INTO replica_state (id, roles, release, started_at, providers, batch, settings, troubles, rpcs)
     VALUES ($1, '{tracker,dispatcher}', '1', now(), '{}', 0, '{}', '{}', $2)`,
    [id, JSON.stringify(rpcs)],
  );
}

/** How a list behind a card is counted; null: the card leads to the page of a thing. */
async function totalOf(code: Code, href: string): Promise<number | null> {
  const [path, query = ''] = href.split('?');
  const read = async <Answer>(at: string): Promise<Answer> => {
    const answer = await app.fetch(`${at}?${query}`);
    expect([at, query, answer.status]).toEqual([at, query, 200]);
    return (await answer.json()) as Answer;
  };
  if (code === 'order_paid_twice') {
    const { data } = await read<{ data: { orderId: string }[] }>('/api/payments');
    return new Set(data.map(({ orderId }) => orderId)).size;
  }
  if (path === '/api/payments') return (await read<{ count: number }>('/api/payment-count')).count;
  if (path === '/api/webhook-deliveries')
    return (await read<{ count: number }>('/api/webhook-delivery-count')).count;
  if (path === '/api/unanswered-quotes') return (await read<{ data: unknown[] }>(path)).data.length;
  return null;
}

const LISTS = /^\/api\/(?:payments|webhook-deliveries|unanswered-quotes)(?:\?|$)/;

describe('the list behind a card of Attention', () => {
  beforeAll(async () => {
    await troubles();
    await troubledRpcs();
  });

  it('has as many rows as the card counts, whatever its code', async () => {
    const answer = await app.fetch('/api/attention');
    const { items } = (await answer.json()) as { items: { code: Code; count: number; href: string }[] };
    const counted = items.filter(({ href }) => LISTS.test(href));
    const expected = CODES.filter((code) => LISTS.test(itemOf(code, { detail: '' }).href));
    expect(counted.map(({ code }) => code)).toEqual(expected);
    for (const { code, href, count } of items)
      expect([code, await totalOf(code, href)]).toEqual([code, LISTS.test(href) ? count : null]);
  });

  it.each(Object.values(NEED_CODES))('is found by attention=%s, and by its count', async (code) => {
    const list = await app.fetch(`/api/payments?attention=${code}&limit=100`);
    const { data } = (await list.json()) as { data: { quoteId: string }[] };
    const count = await app.fetch(`/api/payment-count?attention=${code}`);
    expect(await count.json()).toEqual({ count: data.length, isMore: false });
    expect(data.length).toBeGreaterThan(1);
  });

  it.each([
    'attention=payments_late&awaitingProof=10',
    'attention=payments_unverified&awaitingProof=10',
    'undelivered=true&awaitingProof=10',
    'undelivered=true&attention=no_receiver',
  ])('is counted as it is listed with two filters: %s', async (query) => {
    const list = await app.fetch(`/api/payments?${query}&limit=100`);
    const { data } = (await list.json()) as { data: unknown[] };
    const count = await app.fetch(`/api/payment-count?${query}`);
    expect(await count.json()).toEqual({ count: data.length, isMore: false });
  });

  it('is refused for a code of another thing', async () => {
    expect((await app.fetch('/api/payments?attention=replicas_lost')).status).toBe(400);
    expect((await app.fetch('/api/payments?awaitingProof=base')).status).toBe(400);
  });
});
