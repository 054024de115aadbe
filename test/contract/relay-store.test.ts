import { randomUUID } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { RelayStore } from '../../src/providers/relay/quote/relay-store.ts';
import { PlaceTaken } from '../../src/providers/shared/quote-store.ts';
import type { RelayQuote } from '../../src/providers/relay/quote/relay-quote.ts';
import { ProviderUnavailable } from '../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../src/ports/payments.ts';
import { ARBITRUM, evmAddress, relayQuote } from '../support/relay-rows.ts';
import { openReplicas } from '../support/replicas.ts';
import { databaseOn, paymentToAdd } from '../support/stores.ts';

const TIMEOUT_MS = 5_000;
const SOLANA_ADDRESS = '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2';

const { db: database, one } = await openReplicas();
const store = new RelayStore(one.database, TIMEOUT_MS);

let made = 0;

/** A quote with a deposit address of its own. */
function fresh(partial: Partial<RelayQuote> = {}): RelayQuote {
  made += 1;
  const depositAddress = `0xAb${evmAddress(made).slice(4)}`;
  return relayQuote({ quoteId: randomUUID(), requestId: `0x${randomUUID()}`, depositAddress, ...partial });
}

async function added(partial: Partial<RelayQuote> = {}): Promise<RelayQuote> {
  const quote = fresh(partial);
  await store.add(quote);
  return quote;
}

describe('the quotes that Relay made', () => {
  it('are found as they were added, and only those that exist', async () => {
    const amount = '115792089237316195423570985008687907853269984665640564039457584007913129639935';
    const one = await added({ amount, createdAt: new Date('2026-11-20T12:00:00.123Z') });
    const two = await added({ depositAddress: SOLANA_ADDRESS });
    const found = await store.find([one.quoteId, two.quoteId, randomUUID(), 'no-uuid']);
    expect(found).toEqual(new Map([one, two].map((quote) => [quote.quoteId, quote])));
    expect(await store.find([])).toEqual(new Map());
  });

  it.each([
    ['address', (quote: RelayQuote) => ({ depositAddress: quote.depositAddress })],
    [
      'address in other letters',
      (quote: RelayQuote) => ({ depositAddress: quote.depositAddress.toLowerCase() }),
    ],
    ['request', (quote: RelayQuote) => ({ requestId: quote.requestId })],
  ])('never share an %s', async (_name, shared) => {
    const quote = await added();
    const second = fresh(shared(quote));
    await expect(store.add(second)).rejects.toBeInstanceOf(PlaceTaken);
    await expect(store.add(second)).rejects.toBeInstanceOf(ProviderUnavailable);
    expect(await store.find([second.quoteId])).toEqual(new Map());
    expect((await store.find([quote.quoteId])).get(quote.quoteId)).toEqual(quote);
  });

  it('may have the same address on another chain, or one that differs in its letters where those count', async () => {
    const { from, depositAddress } = await added();
    const elsewhere = await added({ from: { ...from, chainId: ARBITRUM }, depositAddress });
    const base58 = await added({ depositAddress: `${SOLANA_ADDRESS.slice(0, -1)}a` });
    const other = await added({ depositAddress: `${SOLANA_ADDRESS.slice(0, -1)}A` });
    const found = await store.find([elsewhere, base58, other].map(({ quoteId }) => quoteId));
    expect(found.size).toBe(3);
    const shared = [...found.values()].filter(({ isAddressShared }) => isAddressShared);
    expect(shared.map(({ quoteId }) => quoteId)).toEqual([elsewhere.quoteId]);
  });

  it('one of two that are added at once on one address is refused', async () => {
    const one = fresh();
    const two = fresh({ depositAddress: one.depositAddress });
    const results = await Promise.allSettled([store.add(one), store.add(two)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('are known by request or address, each once', async () => {
    const [one, two, three] = [
      await added(),
      await added(),
      await added({ depositAddress: 'xrp-Address-1' }),
    ];
    const ids = await store.quoteIdsOf({
      requestIds: [one.requestId, three.requestId, 'unknown'],
      addresses: [one.depositAddress.toUpperCase().replace('0X', '0x'), two.depositAddress.toLowerCase()],
    });
    expect(ids.sort()).toEqual([one.quoteId, two.quoteId, three.quoteId].sort());
    expect(await store.quoteIdsOf({ requestIds: [], addresses: ['xrp-address-1'] })).toEqual([]);
    expect(await store.quoteIdsOf({ requestIds: [], addresses: [] })).toEqual([]);
  });

  it('are told from requests that no quote has, nor their address', async () => {
    const [one, two] = [await added(), await added()];
    const paid = [
      { requestId: one.requestId, address: 'another' },
      { requestId: 'its-successor', address: two.depositAddress.toUpperCase().replace('0X', '0x') },
      { requestId: 'lost', address: 'lost-address' },
    ];
    expect(await store.unknownAmong(paid)).toEqual(['lost']);
    expect(await store.unknownAmong([])).toEqual([]);
  });

  it('are not disturbed by what no database can hold', async () => {
    const { requestId, quoteId } = await added();
    const keys = {
      requestIds: ['a\u0000b', requestId, "'; DROP TABLE relay_quote; --"],
      addresses: ['\u0000'],
    };
    expect(await store.quoteIdsOf(keys)).toEqual([quoteId]);
  });

  it('are looked up through indexes', async () => {
    const bulk = `INSERT INTO relay_quote
      SELECT 'bulk-' || n, 'request-' || n, 'address-' || n, 'address-' || n, 1, '{}', now(), now()
      FROM generate_series(1, 2000) AS n`;
    await database.query(bulk);
    await database.query('ANALYZE relay_quote');
    const plan = await database.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT quote_id FROM relay_quote WHERE address_key = ANY ('{address-7,address-8}'::text[])`,
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain('relay_quote_address');
    await database.query(`DELETE FROM relay_quote WHERE quote_id LIKE 'bulk-%'`);
  });
});

describe('a database that does not answer in time', () => {
  it('is away', async () => {
    const { quoteId } = await added();
    const blocker = one.source.createQueryRunner();
    await blocker.startTransaction();
    try {
      await blocker.query('LOCK TABLE relay_quote');
      const waiting = new RelayStore(databaseOn(one.source), 50);
      await expect(waiting.find([quoteId])).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(waiting.add(fresh())).rejects.toBeInstanceOf(StoreUnavailable);
    } finally {
      await blocker.rollbackTransaction();
      await blocker.release();
    }
    expect((await store.find([quoteId])).size).toBe(1);
  });
});

describe('retention', () => {
  it('forgets the quotes of payments that it removes, and no others', async () => {
    const { payments, retention } = one;
    const [old, kept] = [await added(), await added()];
    for (const { quoteId } of [old, kept]) await payments.add(paymentToAdd(quoteId));
    await database.query(
      `UPDATE payment SET tracking = 'closed', updated_at = now() - interval '1 year' WHERE quote_id = $1`,
      [old.quoteId],
    );
    const before = new Date(Date.now() - 86_400_000);
    expect(await retention.removeClosedBefore(before, 10)).toEqual({ count: 1, isMore: false });
    expect([...(await store.find([old.quoteId, kept.quoteId])).keys()]).toEqual([kept.quoteId]);
  });
});

describe('the migration', () => {
  it('makes one row that is due at once and was never reconciled, and no second one', async () => {
    expect(
      await database.query(`SELECT id, reconciled_to, next_at <= now() AS "isDue" FROM relay_reconcile`),
    ).toEqual([{ id: 1, reconciled_to: null, isDue: true }]);
    expect(await store.reconciledTo()).toEqual({ reconciledTo: null, nextAt: expect.any(Date) });
    await expect(database.query(`INSERT INTO relay_reconcile VALUES (2, NULL, now())`)).rejects.toThrow(
      /check/,
    );
  });

  it('makes tables that survive a crash of the server', async () => {
    const tables = await database.query(
      `SELECT relname AS name, relpersistence = 'p' AS kept FROM pg_class
       WHERE relname LIKE 'relay%' AND relkind = 'r' ORDER BY relname`,
    );
    expect(tables).toEqual(['relay_quote', 'relay_reconcile'].map((name) => ({ name, kept: true })));
  });
});
