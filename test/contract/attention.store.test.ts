import { randomUUID } from 'node:crypto';

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { NO_PAYMENTS } from '../../src/database/attention/payment-sums.ts';
import { PostgresAttentionCounts } from '../../src/database/attention/attention.store.ts';
import type { Status } from '../../src/domain/payment/status.ts';
import type { AttentionCounts, PaymentSums } from '../../src/ports/attention.ts';
import { EXCHANGE_ID } from '../support/destination-kinds.ts';
import { addDestination, emptyTables, OF_PAYMENTS, openReplicas } from '../support/replicas.ts';
import { paymentToAdd } from '../support/stores.ts';

const USDC = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

let attention: AttentionCounts;

const { db, one: stores } = await openReplicas();
beforeAll(async () => {
  attention = new PostgresAttentionCounts(stores.database, stores.rules);
});
beforeEach(() => emptyTables(db, ...OF_PAYMENTS));

interface Quoted {
  readonly status?: Status;
  readonly amount?: string;
  readonly symbol?: string;
  readonly chainId?: unknown;
  /** The whole quote. */
  readonly quoteText?: string;
}

/** Stores a payment with one event; returns its quote id. */
async function payment({
  status = 'COMPLETED',
  amount = '25',
  symbol = 'USDC',
  chainId = 8453,
  quoteText,
}: Quoted = {}): Promise<string> {
  const quoteId = randomUUID();
  const send = { chain: { id: chainId, name: 'Base' }, token: { address: USDC, symbol }, amount };
  const text = quoteText ?? JSON.stringify({ quoteId, send });
  await stores.payments.add(paymentToAdd(quoteId, { quoteText: text.replace('QUOTE_ID', quoteId) }));
  await db.query(`UPDATE payment SET status = $2 WHERE quote_id = $1`, [quoteId, status]);
  return quoteId;
}

const set = (quoteId: string, change: string): Promise<unknown> =>
  db.query(`UPDATE payment SET ${change} WHERE quote_id = $1`, [quoteId]);

const deliveries = (quoteId: string, change: string): Promise<unknown> =>
  db.query(`UPDATE delivery SET ${change} WHERE payment_id = (SELECT id FROM payment WHERE quote_id = $1)`, [
    quoteId,
  ]);

async function open(destinationId: string, state = 'open', failingForS = 30): Promise<void> {
  await db.query(
    `INSERT INTO endpoint_circuit (destination_id, state, failures, failing_since)
     VALUES ($1, $2, 10, now() - $3 * interval '1 second')`,
    [destinationId, state, failingForS],
  );
}

describe('payments that need a person', () => {
  it.each([
    ['stalled', `stalls = '{no_progress}', tracking = 'active'`, `stalls = '{}'`],
    ['stalled', `stalls = '{no_progress}', tracking = 'active'`, `tracking = 'closed'`],
    ['anomaly', `contradictions = '{unknown_status:ODD}'`, `contradictions = '{}'`],
    ['short', `contradictions = '{partly_refunded}'`, `contradictions = '{}'`],
    ['short', `contradictions = '{short_output}'`, `contradictions = '{}'`],
    ['wrongSum', `contradictions = '{underpaid}'`, `contradictions = '{}'`],
    [
      'depositUnseen',
      `contradictions = '{deposit_unseen_by_provider:0x1}', status = 'EXPIRED'`,
      `status = 'EXECUTING'`,
    ],
    [
      'depositUnseen',
      `contradictions = '{deposit_unseen_by_provider:0x1:native}', status = 'EXECUTING'`,
      `status = 'FAILED'`,
    ],
    ['late', `late = true`, `late = false`],
  ] as const)('are counted as %s after SET %s, until SET %s', async (trouble, begin, end) => {
    const [quoteId] = [await payment(), await payment()];
    await set(quoteId, begin);
    const { troubles, all } = await attention.payments();
    const examples = [{ quoteId, orderId: null }];
    expect(troubles[trouble]).toEqual({ count: 1, isMore: false, since: expect.any(Date), examples });
    expect(all).toEqual({ count: 1, isMore: false });
    await set(quoteId, end);
    const after = await attention.payments();
    expect(after.troubles[trouble]).toEqual({ count: 0, isMore: false, since: null, examples: [] });
    expect(after.all.count).toBe(0);
  });

  it('stand in one place each, that of the first trouble, and are named there', async () => {
    await addDestination(db);
    const [both, late, untold, lateAndUntold, onChain] = [
      await payment(),
      await payment(),
      await payment(),
      await payment(),
      await payment(),
    ];
    await set(
      both,
      `late = true, stalls = '{no_progress}', tracking = 'active', contradictions = '{went_back:1}'`,
    );
    await set(late, `late = true, expires_at = '2026-01-03T00:00:00Z', order_id = 'A-17'`);
    await set(lateAndUntold, `late = true, expires_at = '2026-01-04T00:00:00Z'`);
    await set(onChain, `contradictions = '{output_missing:x}', stalls = '{unverified}', tracking = 'active'`);
    await deliveries(untold, `created_at = now() - interval '1 minute'`);
    await deliveries(lateAndUntold, `created_at = now() - interval '1 minute'`);
    const { troubles, untold: alone, untoldInTrouble, all } = await attention.payments();
    expect(all).toEqual({ count: 4, isMore: false });
    expect(troubles.anomaly.examples).toEqual([{ quoteId: both, orderId: null }]);
    expect(troubles.stalled.count).toBe(0);
    expect(troubles.late.examples).toEqual([
      { quoteId: late, orderId: 'A-17' },
      { quoteId: lateAndUntold, orderId: null },
    ]);
    expect(untoldInTrouble).toBe(1);
    expect(alone).toMatchObject({ count: 1, examples: [{ quoteId: untold, orderId: null }] });
    expect((await attention.sums('late')).count).toBe(2);
    expect((await attention.sums('stalled')).count).toBe(0);
  });

  it('are named by the three that began first', async () => {
    const all = [await payment(), await payment(), await payment(), await payment()];
    for (const [day, quoteId] of all.entries())
      await set(quoteId, `late = true, expires_at = timestamptz '2026-01-09' - ${day} * interval '1 day'`);
    const { late } = (await attention.payments()).troubles;
    expect(late.examples.map(({ quoteId }) => quoteId)).toEqual([all[3], all[2], all[1]]);
  });

  it('are not counted once a person has resolved them, until that is taken back; deliveries of released ones are', async () => {
    await addDestination(db);
    const quoteId = await payment();
    await set(quoteId, `late = true`);
    await deliveries(quoteId, `state = 'failed', due_at = NULL`);
    await db.query(`UPDATE destination SET enabled = false`);
    const counted = async (): Promise<number[]> => {
      const { late } = (await attention.payments()).troubles;
      const { count: failed } = await attention.failedDeliveries();
      const { unacknowledged } = await attention.endpoints('disabled');
      return [late.count, failed, unacknowledged.count];
    };
    expect(await counted()).toEqual([1, 1, 1]);
    await set(quoteId, `resolution = '{"reason":"refunded"}'`);
    expect(await counted()).toEqual([0, 0, 0]);
    // No destination knows of the completion yet.
    await set(quoteId, `resolution = '{"reason":"released"}'`);
    expect(await counted()).toEqual([0, 1, 1]);
    await set(quoteId, `resolution = NULL`);
    expect(await counted()).toEqual([1, 1, 1]);
  });

  it('have waited since the first trouble, whatever has changed since', async () => {
    await addDestination(db);
    const [quoteId, expired] = [await payment(), await payment()];
    await set(
      expired,
      `late = true, expires_at = '2026-01-03T00:00:00Z', updated_at = '2026-01-09T00:00:00Z'`,
    );
    await set(quoteId, `contradictions = '{x}'`);
    await db.query(
      `INSERT INTO event_entry (id, payment_id, sequence, type, time, body)
       SELECT gen_random_uuid(), id, 90 + n, 'payment.anomaly', timestamptz '2026-01-04T00:00:00Z' + n * interval '1 day', '{}'
       FROM payment, generate_series(0, 1) n WHERE quote_id = $1`,
      [quoteId],
    );
    const { late, anomaly } = (await attention.payments()).troubles;
    expect([late.since, anomaly.since].map((since) => since?.toISOString())).toEqual([
      '2026-01-03T00:00:00.000Z',
      '2026-01-04T00:00:00.000Z',
    ]);
  });

  it('are counted up to ten thousand', async () => {
    const quoteId = await payment();
    await db.query(
      `INSERT INTO payment (provider, quote_id, status, late, sequence, tracking, created_at, updated_at, progress_at, part_digests,
         report_digest, stalls, contradictions)
       SELECT 'http', 'q' || n, status, true, 1, tracking, now(), now(), now(), '', '', '{}', '{}'
       FROM payment, generate_series(1, 10001) n WHERE quote_id = $1`,
      [quoteId],
    );
    const { troubles, all } = await attention.payments();
    for (const counted of [troubles.late, all])
      expect(counted).toMatchObject({ count: 10_000, isMore: true });
  });
});

describe('deliveries that need a person', () => {
  it('are those to endpoints that were given up, until they are made', async () => {
    await addDestination(db);
    const [quoteId] = [await payment(), await payment()];
    expect(await attention.failedDeliveries()).toMatchObject({ count: 0 });
    await deliveries(quoteId, `state = 'failed', due_at = NULL`);
    expect(await attention.failedDeliveries()).toEqual({ count: 1, isMore: false, since: expect.any(Date) });
    expect(await attention.unroutableEvents()).toMatchObject({ count: 0 });
    await deliveries(quoteId, `state = 'delivered'`);
    expect(await attention.failedDeliveries()).toMatchObject({ count: 0 });
  });

  it('are events that no queue of RabbitMQ is bound for, for a day', async () => {
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    await addDestination(db, { kind: 'another' });
    const [waiting, given] = [await payment(), await payment()];
    await deliveries(waiting, `last_failure = 'unroutable'`);
    await deliveries(given, `last_failure = 'unroutable', state = 'failed', due_at = NULL`);
    expect(await attention.unroutableEvents()).toMatchObject({ count: 2 });
    expect(await attention.failedDeliveries()).toMatchObject({ count: 0 });
    await deliveries(given, `created_at = now() - interval '25 hours'`);
    await deliveries(waiting, `last_failure = NULL`);
    expect(await attention.unroutableEvents()).toMatchObject({ count: 0 });
  });
});

describe('endpoints that need a person', () => {
  it('are failing with an open circuit, or once they have failed for a minute, until one succeeds', async () => {
    const [shop] = [await addDestination(db), await addDestination(db)];
    await open(shop, 'closed', 30);
    expect(await attention.endpoints('failing')).toMatchObject({ count: 0, endpoints: [] });
    await db.query(`UPDATE endpoint_circuit SET failing_since = now() - interval '61 seconds'`);
    expect(await attention.endpoints('failing')).toMatchObject({ count: 1 });
    await db.query(`UPDATE endpoint_circuit SET state = 'open', failing_since = now()`);
    expect(await attention.endpoints('failing')).toEqual({
      count: 1,
      since: expect.any(Date),
      endpoints: [
        {
          id: shop,
          url: 'x',
          description: null,
          circuit: 'open',
          failingSince: expect.any(Date),
          disabledReason: null,
        },
      ],
      unacknowledged: NO_PAYMENTS,
    });
    await db.query(`UPDATE endpoint_circuit SET state = 'recovering', failing_since = NULL`);
    expect(await attention.endpoints('failing')).toMatchObject({ count: 0 });
  });

  it('are disabled, and not failing as well', async () => {
    const shop = await addDestination(db);
    await open(shop);
    await db.query(`UPDATE destination SET enabled = false, disabled_reason = 'it answered 410'`);
    expect(await attention.endpoints('disabled')).toMatchObject({
      count: 1,
      endpoints: [{ id: shop, disabledReason: 'it answered 410' }],
    });
    expect(await attention.endpoints('failing')).toMatchObject({ count: 0 });
    await db.query(`UPDATE destination SET enabled = true`);
    expect(await attention.endpoints('disabled')).toMatchObject({ count: 0 });
  });

  it('list twenty of all that are counted', async () => {
    for (let index = 0; index < 22; index += 1) await addDestination(db, { enabled: false });
    const { count, endpoints } = await attention.endpoints('disabled');
    expect([count, endpoints.length]).toEqual([22, 20]);
  });
});

describe('payments whose newest event is not acknowledged', () => {
  let shop: string;
  beforeEach(async () => {
    shop = await addDestination(db);
    await open(shop);
  });

  const unacknowledged = async (): Promise<PaymentSums> =>
    (await attention.endpoints('failing')).unacknowledged;

  it('are paid, and have a newest event that no destination has taken', async () => {
    const [paid] = [
      await payment(),
      await payment({ status: 'AWAITING_DEPOSIT' }),
      await payment({ status: 'EXPIRED' }),
    ];
    const olderOnly = await payment();
    await set(olderOnly, 'sequence = 2');
    expect((await unacknowledged()).count).toBe(1);
    await deliveries(paid, `state = 'failed', due_at = NULL`);
    expect((await unacknowledged()).count).toBe(1);
    await deliveries(paid, `state = 'delivered', due_at = NULL`);
    expect(await unacknowledged()).toEqual(NO_PAYMENTS);
  });

  it('are not those whose event another destination has acknowledged', async () => {
    await addDestination(db, { id: EXCHANGE_ID, kind: 'rabbitmq' });
    await payment();
    expect((await unacknowledged()).count).toBe(1);
    await db.query(`UPDATE delivery SET state = 'delivered', due_at = NULL WHERE destination_id = $1`, [
      EXCHANGE_ID,
    ]);
    expect((await unacknowledged()).count).toBe(0);
  });

  it('are also those whose event was recorded while the only endpoint was disabled', async () => {
    await db.query(`UPDATE destination SET enabled = false, created_at = now() - interval '1 hour'`);
    await payment();
    const { unacknowledged } = await attention.endpoints('disabled');
    expect(unacknowledged).toMatchObject({ count: 1, sums: [{ amount: '25' }] });
    await db.query(`UPDATE destination SET event_types = '{payment.completed}'`);
    await payment();
    // The second endpoint does not subscribe to this event.
    expect((await attention.endpoints('disabled')).unacknowledged.count).toBe(1);
  });

  it('are added up per token without losing a digit', async () => {
    await payment({ amount: '0.000000000000000001' });
    await payment({ amount: '9007199254740993.1' });
    await payment({ amount: '1204.9' });
    await payment({ amount: '3', symbol: 'ETH' });
    await payment({ amount: '4', chainId: 1 });
    const { sums, otherTokens } = await unacknowledged();
    expect(sums[0]).toEqual({
      chainId: 8453,
      chain: 'Base',
      symbol: 'USDC',
      address: USDC,
      amount: '9007199254742198.000000000000000001',
      payments: 3,
    });
    expect(sums.slice(1).map(({ chainId, symbol, amount }) => [chainId, symbol, amount])).toEqual([
      [1, 'USDC', '4'],
      [8453, 'ETH', '3'],
    ]);
    expect(otherTokens).toBe(0);
  });

  it('are counted without an amount where the quote has none that can be read', async () => {
    const half = String.raw`{"quoteId":"QUOTE_ID","send":{"amount":"1","note":"\ud800 \u0000"}}`;
    for (const quoteText of [half, '{"quoteId":"QUOTE_ID","send":7}', '{"quoteId":"QUOTE_ID"}'])
      await payment({ quoteText });
    await payment({ amount: '1e9' });
    await payment({ amount: '-5' });
    await payment({ chainId: 'base', amount: '6' });
    const { count, sums } = await unacknowledged();
    expect(count).toBe(6);
    expect(sums.map(({ chainId, amount }) => [chainId, amount])).toEqual([[null, '6']]);
  });

  it('are listed by the twenty tokens of the most payments', async () => {
    for (let token = 0; token < 22; token += 1) await payment({ symbol: `T${token}` });
    await payment({ symbol: 'T21' });
    const { sums, otherTokens } = await unacknowledged();
    expect([sums.length, sums[0]?.symbol, otherTokens]).toEqual([20, 'T21', 2]);
  });
});

describe('the circuit of a provider', () => {
  it('knows since when it is as it is', async () => {
    const { rateLimit } = stores;
    await rateLimit.openCircuit('open', false);
    const opened = await rateLimit.circuitSince();
    expect(opened).toEqual(expect.any(Date));
    await rateLimit.openCircuit('open', true);
    expect(await rateLimit.circuitSince()).toEqual(opened);
    await rateLimit.closeCircuit();
    const closed = await rateLimit.circuitSince();
    expect(closed?.getTime()).toBeGreaterThan(opened?.getTime() ?? Infinity);
    await rateLimit.takeRequests(1);
    expect(await rateLimit.circuitSince()).toEqual(closed);
  });
});

describe('money in flight', () => {
  it('is that of paid payments that have not ended, until a person has resolved them', async () => {
    const statuses = ['AWAITING_DEPOSIT', 'COMPLETED', 'FAILED', 'EXPIRED'] as const;
    for (const status of statuses) await payment({ status });
    expect(await attention.inFlight()).toEqual(NO_PAYMENTS);
    await payment({ status: 'DEPOSIT_RECEIVED', amount: '0.000000000000000001' });
    const executing = await payment({ status: 'EXECUTING', amount: '9007199254740993' });
    await payment({ status: 'EXECUTING', quoteText: '{"quoteId":"QUOTE_ID"}' });
    const { count, isMore, sums, otherTokens } = await attention.inFlight();
    expect([count, isMore, otherTokens]).toEqual([3, false, 0]);
    expect(sums).toMatchObject([
      { symbol: 'USDC', amount: '9007199254740993.000000000000000001', payments: 2 },
    ]);
    await set(executing, `resolution = '{"reason":"refunded"}'`);
    expect(await attention.inFlight()).toMatchObject({
      count: 2,
      sums: [{ amount: '0.000000000000000001' }],
    });
  });
});

describe('what has begun of the move to Paybell', () => {
  it('is that quotes were handed over, or asked for here, until a payment has completed', async () => {
    const begun = async (): Promise<unknown> => {
      const { isHandedOver, isAsked, isOver } = await attention.begunMove();
      return [isHandedOver, isAsked, isOver];
    };
    expect(await begun()).toEqual([false, false, false]);
    const handedOver = await payment({ status: 'EXECUTING' });
    await db.query(
      `INSERT INTO audit_entry (who, via, action, target, "values") VALUES ('a', 'api', 'payment.track', $1, '{}')`,
      [handedOver.toUpperCase()],
    );
    expect(await begun()).toEqual([true, false, false]);
    await payment({ status: 'EXECUTING' });
    expect(await begun()).toEqual([true, true, false]);
    await payment();
    expect(await begun()).toEqual([true, true, true]);
  });
});
