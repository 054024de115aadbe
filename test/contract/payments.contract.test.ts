import { createHash, randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import type { Report } from '../../src/domain/payment/report.ts';
import type { Status } from '../../src/domain/payment/status.ts';
import type { Idempotency, IdempotencyClaim } from '../../src/ports/idempotency.ts';
import type { PaymentToAdd } from '../../src/ports/payments.ts';
import type { RequestSpan } from '../../src/ports/tracer.ts';
import { FakeClock } from '../support/fakes/clock.fake.ts';
import { FakeIdempotency } from '../support/fakes/idempotency.fake.ts';
import { FakePayments } from '../support/fakes/payments.fake.ts';
import { reportOf } from '../support/poll-results.ts';
import { openReplicas } from '../support/replicas.ts';
import { paymentToAdd } from '../support/stores.ts';
import type { PaymentsOfSuite } from '../support/leasing-stores.ts';

interface Replica {
  readonly payments: PaymentsOfSuite;
  readonly idempotency: Idempotency;
}

/** The two ports that share a transaction, as two processes see them. */
interface World {
  readonly replicas: readonly [Replica, Replica];
  /** Makes the keys older by this time. */
  pass(ms: number): Promise<void>;
  /** Removes an ended payment, as retention does. */
  remove(quoteId: string): Promise<void>;
}

async function openMemory(): Promise<World> {
  const clock = new FakeClock();
  const idempotency = new FakeIdempotency(clock);
  const payments = new FakePayments(clock, idempotency);
  const replica = { payments, idempotency };
  return {
    replicas: [replica, replica],
    pass: async (ms) => clock.advance(ms),
    remove: async (quoteId) => payments.remove(quoteId),
  };
}

async function openPostgres(): Promise<World> {
  const { db, one, two } = await openReplicas();
  return {
    replicas: [one, two],
    pass: async (ms) => {
      await db.query(
        `UPDATE idempotency SET created_at = created_at - i, held_until = held_until - i
         FROM (SELECT $1::float8 * interval '1 millisecond' AS i) passed`,
        [ms],
      );
    },
    remove: async (quoteId) => {
      await db.query(`UPDATE payment SET tracking = 'closed', updated_at = 'epoch' WHERE quote_id = $1`, [
        quoteId,
      ]);
      expect(await two.retention.removeClosedBefore(new Date(1), 10)).toEqual({ count: 1, isMore: false });
    },
  };
}

const DAY_MS = 86_400_000;
const REMOVED = { code: 'payment_removed', httpStatus: 409 };

describe.each([
  { name: 'in memory', open: openMemory },
  { name: 'in PostgreSQL', open: openPostgres },
])('payments $name', ({ open }) => {
  let world: World;
  let payments: PaymentsOfSuite;
  let idempotency: Idempotency;
  let others: Replica;

  beforeAll(async () => {
    world = await open();
    [{ payments, idempotency }, others] = world.replicas;
  });

  const reportedAs = (quoteId: string, status: Status, more: object = {}): Report =>
    reportOf({ quoteId, status, ...more });

  /** A payment as the adoption of a quote with this status makes it. */
  function adopted(quoteId: string, status: Status): PaymentToAdd {
    return paymentToAdd(quoteId, { quoteText: null, report: reportedAs(quoteId, status) });
  }

  async function added(more: Partial<PaymentToAdd> = {}): Promise<string> {
    const quoteId = randomUUID();
    expect(await payments.add(paymentToAdd(quoteId, more))).toMatchObject({ isNew: true });
    return quoteId;
  }

  async function eventsOf(quoteId: string): Promise<string[]> {
    const page = await payments.eventsOf(quoteId);
    expect(page?.nextCursor).toBeNull();
    return (page?.events ?? []).map((body) => {
      const { type, data } = JSON.parse(body) as {
        type: string;
        data: { sequence: number; orderId: unknown };
      };
      return `${data.sequence} ${type.replace('payment.', '')} ${String(data.orderId)}`;
    });
  }

  async function claimed(key: string, leaseMs = 60_000): Promise<IdempotencyClaim> {
    const begun = await idempotency.begin('shop', key, 'hash', leaseMs);
    if (begun.kind !== 'claimed') throw new Error(begun.kind);
    return begun.claim;
  }

  describe('reading a payment', () => {
    it('finds a UUID in any letter case, and another id in its own alone', async () => {
      const small = randomUUID();
      const large = randomUUID().toUpperCase();
      for (const quoteId of [small, large, 'Quote-Aa']) await payments.add(paymentToAdd(quoteId));
      const mixed = `${small.slice(0, 18).toUpperCase()}${small.slice(18)}`;
      expect(await payments.find(small.toUpperCase())).toMatchObject({ quoteId: small });
      expect(await payments.find(mixed)).toMatchObject({ quoteId: small });
      expect(await payments.find(large.toLowerCase())).toMatchObject({ quoteId: large });
      expect(await payments.find('quote-aa')).toBeNull();
    });
  });

  describe('adding a payment', () => {
    it('stores it with its quote verbatim and payment.created', async () => {
      const quoteText = '{"z":1,"raw":12345678901234567890.10}';
      const expiresAt = new Date(1_800_000_000_000);
      const label = { orderId: 'A-1', metadata: { shop: 'eu' } };
      const quoteId = await added({ quoteText, expiresAt, expectedMs: 30_000, ...label });
      expect(await payments.find(quoteId)).toEqual({
        ...label,
        quoteId,
        provider: 'http',
        quoteText,
        expiresAt,
        status: 'AWAITING_DEPOSIT',
        late: false,
        sequence: 1,
        tracking: 'active',
        stalls: [],
        createdAt: expect.any(Date),
        updatedAt: expect.any(Date),
        lastPolledAt: null,
        nextPollAt: expect.any(Date),
        reportText: null,
        reportedAt: null,
        match: null,
        resolution: null,
        verification: null,
      });
      expect(await others.payments.find(quoteId)).toEqual(await payments.find(quoteId));
      expect(await eventsOf(quoteId)).toEqual(['1 created A-1']);
    });

    it('answers it as it is read from then on', async () => {
      const ids = Array.from({ length: 8 }, () => randomUUID());
      const [
        made = '',
        hostile = '',
        waits = '',
        runs = '',
        done = '',
        quoted = '',
        bare = '',
        labelled = '',
      ] = ids;
      const label = { orderId: 'A-1', metadata: { shop: 'eu', half: '\ud800' } };
      const given = [
        paymentToAdd(made, { expiresAt: new Date(1_800_000_000_123), expectedMs: 30_000 }),
        paymentToAdd(hostile, { quoteText: '{"a":"\ud800"}', orderId: 'half \udc00' }),
        adopted(waits, 'AWAITING_DEPOSIT'),
        adopted(runs, 'EXECUTING'),
        adopted(done, 'COMPLETED'),
        paymentToAdd(quoted, { report: reportedAs(quoted, 'AWAITING_DEPOSIT') }),
        { ...adopted(bare, 'FAILED'), adoptedQuoteText: '{"b": 1}' },
        { ...adopted(labelled, 'EXPIRED'), ...label },
      ];
      const answers = await Promise.all(given.map((payment) => payments.add(payment)));
      const read = await Promise.all(ids.map((quoteId) => others.payments.read(quoteId)));
      expect(answers).toMatchObject(read.map((payment) => ({ isNew: true, payment })));
    });

    it('stores those of a group that are still wanted when its turn comes, and no other', async () => {
      const [wanted, late] = [randomUUID(), randomUUID()];
      const [kept, refused] = await Promise.allSettled([
        payments.add(paymentToAdd(wanted, { isWanted: () => true })),
        payments.add(paymentToAdd(late, { isWanted: () => false })),
      ]);
      expect([kept.status, await payments.read(late)]).toEqual(['fulfilled', 'unknown']);
      expect(refused).toMatchObject({ reason: { code: 'busy' } });
    });

    it('leaves a payment that is known as it stands, whoever comes first', async () => {
      const quoteId = randomUUID();
      const results = await Promise.all(
        [...world.replicas, ...world.replicas].map((each) => each.payments.add(paymentToAdd(quoteId))),
      );
      expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(await eventsOf(quoteId)).toEqual(['1 created null']);
    });

    it('keeps the context of the span that it came by, and tells the span its events; once', async () => {
      const told: string[] = [];
      const spanOf = (digit: string): RequestSpan => ({
        ...({} as Omit<RequestSpan, 'kept' | 'recorded'>),
        kept: `00-${digit.repeat(32)}-${digit.repeat(16)}-01`,
        recorded: ({ quoteId: id, provider }, events) =>
          void told.push(...events.map(({ type, sequence }) => `${id} ${provider} ${sequence} ${type}`)),
      });
      const quoteId = randomUUID();
      for (const digit of ['a', 'b'])
        await payments.add({ ...adopted(quoteId, 'EXECUTING'), span: spanOf(digit) });
      expect(told).toEqual([`${quoteId} http 1 payment.created`, `${quoteId} http 2 payment.executing`]);
      const page = await payments.eventsOf(quoteId);
      for (const body of page?.events ?? []) expect(body).toContain(`"traceparent":"${spanOf('a').kept}"`);
    });

    it('sets the label of a payment that is known, and adds the quote that it lacks', async () => {
      const quoteId = await added({ quoteText: null });
      const quote = paymentToAdd(quoteId, { orderId: 'A-1' });
      expect(await payments.add(quote)).toMatchObject({ isNew: false });
      expect(await payments.find(quoteId)).toMatchObject({ orderId: 'A-1', quoteText: quote.quoteText });
      expect(await eventsOf(quoteId)).toEqual(['1 created null', '2 updated A-1']);
    });

    it('stores the quote of a payment that was made elsewhere, and keeps the first one', async () => {
      const quoteId = randomUUID();
      const quoted = (address: string) => `{"quoteId":"${quoteId}", "send":{"depositAddress":"${address}"}}`;
      const adopted = (address: string) =>
        paymentToAdd(quoteId, { quoteText: null, adoptedQuoteText: quoted(address) });
      await payments.addQuote(quoteId, quoted('0x0'));
      expect(await payments.add(adopted('0x1'))).toMatchObject({ isNew: true });
      expect(await payments.add(adopted('0x2'))).toMatchObject({ isNew: false });
      await payments.addQuote(quoteId, quoted('0x3'));
      expect(await payments.find(quoteId)).toMatchObject({ quoteText: quoted('0x1') });
      const bare = randomUUID();
      await payments.add(paymentToAdd(bare, { quoteText: null }));
      await payments.addQuote(bare, '{"a": 1}');
      expect(await payments.find(bare)).toMatchObject({ quoteText: '{"a": 1}', sequence: 1 });
    });

    it('applies a report that is known already, and watches a completed payment for another day', async () => {
      const quoteId = randomUUID();
      const report = reportedAs(quoteId, 'COMPLETED', { expiresAt: 1_800_000_000 });
      await payments.add(paymentToAdd(quoteId, { quoteText: null, report }));
      expect(await eventsOf(quoteId)).toEqual(['1 created null', '2 completed null']);
      expect(await payments.find(quoteId)).toMatchObject({
        status: 'COMPLETED',
        sequence: 2,
        tracking: 'watching',
        nextPollAt: expect.any(Date),
        quoteText: null,
        reportText: report.text,
        expiresAt: new Date(1_800_000_000_000),
        reportedAt: expect.any(Date),
      });
    });

    it('takes a report that came with the quote for known, and for no poll', async () => {
      const [quoteId, alone] = [randomUUID(), randomUUID()];
      await payments.add(paymentToAdd(quoteId, { report: reportedAs(quoteId, 'AWAITING_DEPOSIT') }));
      await payments.add(adopted(alone, 'AWAITING_DEPOSIT'));
      expect(await payments.find(quoteId)).toMatchObject({
        reportText: expect.stringContaining('AWAITING_DEPOSIT'),
        lastPolledAt: null,
      });
      expect(await payments.find(alone)).toMatchObject({ lastPolledAt: expect.any(Date) });
      for (const id of [quoteId, alone]) expect(await eventsOf(id)).toEqual(['1 created null']);
    });

    it('refuses an id that the provider gives again with another deposit address', async () => {
      const quote = (address: string): string =>
        JSON.stringify({ quoteId: 'q', send: { depositAddress: address } });
      const quoteId = await added({ quoteText: quote('0x1') });
      await payments.add(paymentToAdd(quoteId, { quoteText: `${quote('0x1')} `, orderId: 'A-2' }));
      await expect(payments.add(paymentToAdd(quoteId, { quoteText: quote('0x2') }))).rejects.toMatchObject({
        code: 'provider_unavailable',
      });
      expect(await payments.find(quoteId)).toMatchObject({ quoteText: quote('0x1'), orderId: 'A-2' });
    });
  });

  describe('a label that is set later', () => {
    it('is recorded again when it changes, and not when it is set again; null keeps what is stored', async () => {
      const quoteId = await added();
      const label = (orderId: string | null, metadata: Record<string, string> | null = null) =>
        payments.label(quoteId, { orderId, metadata });
      await label('A-1');
      await label('A-1');
      await label(null);
      await label('A-2', { x: 'y' });
      await label(null, { x: 'y' });
      expect(await eventsOf(quoteId)).toEqual(['1 created null', '2 updated A-1', '3 updated A-2']);
      expect(await payments.find(quoteId)).toMatchObject({
        orderId: 'A-2',
        metadata: { x: 'y' },
        sequence: 3,
        reportText: null,
      });
    });

    it('names the order of a completed payment once, by an addition too; who may rename learns the former order', async () => {
      const quoteId = randomUUID();
      await payments.add(adopted(quoteId, 'COMPLETED'));
      const label = (orderId: string, mayRename = false) =>
        others.payments.label(quoteId, { orderId, metadata: { x: 'y' }, mayRename });
      for (const orderId of ['A-1', 'A-1'])
        expect(await label(orderId)).toMatchObject({ previousOrderId: null });
      const refused = { code: 'order_already_named' };
      await expect(label('A-2')).rejects.toMatchObject(refused);
      await expect(payments.add(paymentToAdd(quoteId, { orderId: 'A-2' }))).rejects.toMatchObject(refused);
      expect(await label('A-2', true)).toMatchObject({ previousOrderId: 'A-1' });
      const { events = [] } = (await payments.eventsOf(quoteId)) ?? {};
      expect(events.slice(2).map((body) => (JSON.parse(body) as { data: object }).data)).toMatchObject([
        { orderId: 'A-1', named: true },
        { orderId: 'A-2', previousOrderId: 'A-1' },
      ]);
    });

    it('is ignored for a payment that does not exist', async () => {
      const quoteId = randomUUID();
      await payments.label(quoteId, { orderId: 'A-1', metadata: null });
      expect(await payments.find(quoteId)).toBeNull();
    });
  });

  describe('a resolution', () => {
    const REFUNDED = { reason: 'refunded', note: 'ticket 7', by: 'anna' } as const;

    async function resolutionsOf(quoteId: string): Promise<unknown[]> {
      const { events = [] } = (await payments.eventsOf(quoteId)) ?? {};
      return events.map((body) => {
        const { type, data } = JSON.parse(body) as { type: string; data: { resolution?: unknown } };
        return [type, data.resolution];
      });
    }

    it('is recorded when it changes, and not when it is given again; null takes it back', async () => {
      const quoteId = await added();
      await payments.resolve(quoteId, REFUNDED);
      await others.payments.resolve(quoteId, { ...REFUNDED, by: 'ben' });
      const first = { ...REFUNDED, at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) };
      expect(await payments.find(quoteId)).toMatchObject({
        resolution: first,
        status: 'AWAITING_DEPOSIT',
        tracking: 'active',
        nextPollAt: expect.any(Date),
      });
      await payments.resolve(quoteId, { reason: 'other', note: null, by: 'ben' });
      await payments.resolve(quoteId, null);
      await payments.resolve(quoteId, null);
      expect(await payments.find(quoteId)).toMatchObject({ resolution: null, sequence: 4 });
      expect(await resolutionsOf(quoteId)).toEqual([
        ['payment.created', undefined],
        ['payment.updated', first],
        ['payment.updated', { reason: 'other', note: null, by: 'ben', at: expect.any(String) }],
        ['payment.updated', null],
      ]);
    });

    it('stands beside a label, each published by itself', async () => {
      const quoteId = await added();
      await payments.resolve(quoteId, REFUNDED);
      await payments.label(quoteId, { orderId: 'A-1', metadata: { x: 'y' } });
      await payments.resolve(quoteId, { ...REFUNDED, note: null });
      expect(await payments.find(quoteId)).toMatchObject({
        orderId: 'A-1',
        metadata: { x: 'y' },
        resolution: { reason: 'refunded', note: null },
      });
      expect(await resolutionsOf(quoteId)).toMatchObject([
        ['payment.created', undefined],
        ['payment.updated', { note: 'ticket 7' }],
        ['payment.updated', undefined],
        ['payment.updated', { note: null }],
      ]);
    });

    it('is recorded for a completed payment too, and ignored for one that does not exist', async () => {
      const [quoteId, unknown] = [randomUUID(), randomUUID()];
      await payments.add(adopted(quoteId, 'COMPLETED'));
      for (const id of [quoteId, unknown]) await payments.resolve(id, REFUNDED);
      expect(await eventsOf(quoteId)).toEqual(['1 created null', '2 completed null', '3 updated null']);
      expect(await payments.find(quoteId)).toMatchObject({ status: 'COMPLETED', resolution: REFUNDED });
      expect(await payments.find(unknown)).toBeNull();
    });
  });

  describe('a payment that is not stored', () => {
    it('has no events, and was not removed', async () => {
      const quoteId = randomUUID();
      expect([await payments.find(quoteId), await payments.eventsOf(quoteId)]).toEqual([null, null]);
      expect(await payments.read(quoteId)).toBe('unknown');
    });

    it('has no page at a cursor that is none', async () => {
      for (const quoteId of [await added(), randomUUID()])
        await expect(payments.eventsOf(quoteId, 'DROP TABLE')).rejects.toMatchObject({
          code: 'invalid_cursor',
        });
    });
  });

  describe('a payment that was removed', () => {
    it.each([
      ['a UUID', randomUUID()],
      ['a UUID in capitals', randomUUID().toUpperCase()],
      ['a word', 'quote-1'],
      ['as long as an id may be', `0x${createHash('sha512').update('x').digest('hex')}`.slice(0, 128)],
    ])('is never stored again: %s', async (_what, quoteId) => {
      await payments.add(adopted(quoteId, 'COMPLETED'));
      expect(await payments.read(quoteId)).toMatchObject({ quoteId });
      await world.remove(quoteId);
      expect(await payments.read(quoteId)).toBe('removed');
      await expect(payments.add(adopted(quoteId, 'COMPLETED'))).rejects.toMatchObject(REMOVED);
      await expect(others.payments.add(paymentToAdd(quoteId))).rejects.toMatchObject(REMOVED);
      expect([await payments.find(quoteId), await payments.eventsOf(quoteId)]).toEqual([null, null]);
    });

    it('is known exactly: an id that only resembles it is another one', async () => {
      const quoteId = await added();
      await world.remove(quoteId);
      for (const other of [quoteId.replaceAll('-', ''), `${quoteId.slice(0, -1)}x`])
        expect(await payments.read(other)).toBe('unknown');
      expect(await payments.read(quoteId.toUpperCase())).toBe('removed');
    });
  });

  describe('the list', () => {
    it.each(['DROP TABLE', '', 'ZTE'])('refuses the cursor %j, which it never gave', async (cursor) => {
      await expect(payments.list({ limit: 2, cursor })).rejects.toMatchObject({ code: 'invalid_cursor' });
    });
  });

  describe('an idempotency key', () => {
    it('is claimed by one of many at once, answers the quote when done, and refuses another body', async () => {
      const key = randomUUID();
      const begun = await Promise.all(
        [...world.replicas, ...world.replicas].map((each) =>
          each.idempotency.begin('shop', key, 'hash', 5_000),
        ),
      );
      expect(begun.map((each) => each.kind).sort()).toEqual(['busy', 'busy', 'busy', 'claimed']);
      expect(await idempotency.begin('shop', key, 'other', 5_000)).toEqual({ kind: 'mismatch' });
      const held = begun.find((each) => each.kind === 'claimed');
      if (held?.kind !== 'claimed') throw new Error('nobody holds the key');
      const quoteId = randomUUID();
      await payments.add(paymentToAdd(quoteId), held.claim);
      expect(await others.idempotency.begin('shop', key, 'hash', 5_000)).toEqual({
        kind: 'done',
        quoteId,
        quoteText: `{"quoteId":"${quoteId}"}`,
      });
      expect(await others.idempotency.begin('shop', key, 'other', 5_000)).toEqual({ kind: 'mismatch' });
      expect(await idempotency.begin('another shop', key, 'other', 5_000)).toMatchObject({ kind: 'claimed' });
    });

    it('stores no quote of a holder that was overtaken', async () => {
      const key = randomUUID();
      const slow = await claimed(key, 1_000);
      await world.pass(1_001);
      const fast = await claimed(key);
      const quoteId = randomUUID();
      await expect(payments.add(paymentToAdd(quoteId), slow)).rejects.toMatchObject({
        code: 'idempotency_busy',
      });
      expect(await payments.find(quoteId)).toBeNull();
      await idempotency.release(slow);
      expect(await idempotency.begin('shop', key, 'hash', 5_000)).toEqual({ kind: 'busy' });
      expect(await payments.add(paymentToAdd(quoteId), fast)).toMatchObject({ isNew: true });
    });

    it('stays with a holder that renews its lease, and not with one that was overtaken', async () => {
      const key = randomUUID();
      const slow = await claimed(key, 1_000);
      await world.pass(900);
      await idempotency.renew(slow, 1_000);
      await world.pass(900);
      expect(await others.idempotency.begin('shop', key, 'hash', 1_000)).toEqual({ kind: 'busy' });
      await world.pass(101);
      await claimed(key, 1_000);
      await idempotency.renew(slow, 60_000);
      await world.pass(1_001);
      expect(await others.idempotency.begin('shop', key, 'hash', 1_000)).toMatchObject({ kind: 'claimed' });
    });

    it('is free again when released, also for another body', async () => {
      const key = randomUUID();
      await idempotency.release(await claimed(key));
      expect(await others.idempotency.begin('shop', key, 'other', 5_000)).toMatchObject({ kind: 'claimed' });
    });

    it('is free again for the same body when its holder died, and for any after a day', async () => {
      const key = randomUUID();
      await claimed(key, 1_000);
      expect(await idempotency.begin('shop', key, 'hash', 1_000)).toEqual({ kind: 'busy' });
      await world.pass(1_001);
      expect(await idempotency.begin('shop', key, 'other', 1_000)).toEqual({ kind: 'mismatch' });
      await claimed(key);
      await world.pass(DAY_MS + 1_000);
      expect(await others.idempotency.begin('shop', key, 'other', 1_000)).toMatchObject({ kind: 'claimed' });
    });

    it('that made a quote is not released, and answers it for a day', async () => {
      const key = randomUUID();
      const claim = await claimed(key);
      const quoteId = randomUUID();
      await payments.add(paymentToAdd(quoteId), claim);
      await idempotency.release(claim);
      await world.pass(DAY_MS - 60_000);
      expect(await idempotency.removeExpired()).toBeGreaterThanOrEqual(0);
      expect(await idempotency.begin('shop', key, 'hash', 1_000)).toMatchObject({ kind: 'done' });
      await world.pass(120_000);
      expect(await idempotency.removeExpired()).toBeGreaterThan(0);
      expect(await idempotency.removeExpired()).toBe(0);
      expect(await idempotency.begin('shop', key, 'hash', 1_000)).toMatchObject({ kind: 'claimed' });
    });

    it('is completed by a quote whose payment was stored before', async () => {
      const quoteId = await added();
      const claim = await claimed(quoteId);
      expect(await payments.add(paymentToAdd(quoteId, { orderId: 'A-1' }), claim)).toMatchObject({
        isNew: false,
      });
      expect(await eventsOf(quoteId)).toEqual(['1 created null', '2 updated A-1']);
      expect(await idempotency.begin('shop', quoteId, 'hash', 60_000)).toMatchObject({ kind: 'done' });
    });

    it('whose payment was removed says so, and makes no second quote', async () => {
      const quoteId = randomUUID();
      await payments.add(paymentToAdd(quoteId), await claimed(quoteId));
      await world.remove(quoteId);
      expect(await idempotency.begin('shop', quoteId, 'hash', 60_000)).toEqual({ kind: 'removed' });
      expect(await idempotency.begin('shop', quoteId, 'other', 60_000)).toEqual({ kind: 'mismatch' });
    });
  });
});
