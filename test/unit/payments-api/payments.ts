import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { CsvDownloads } from '../../../src/features/payments/csv-downloads.ts';
import { HandOver } from '../../../src/features/payments/hand-over.ts';
import { PaymentsService } from '../../../src/features/payments/payments.service.ts';
import { PaymentCountController } from '../../../src/features/payments/payment-count.controller.ts';
import { PaymentsController } from '../../../src/features/payments/payments.controller.ts';
import { FakeProvider, reportOf } from '../../support/fakes/provider.fake.ts';
import { FeatureApp } from '../../support/feature-app.ts';
import { paymentToAdd } from '../../support/payment-to-add.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

export function paymentsSuite(): void {
  describe('payments', () => {
    const HUGE = ', "route":{"amount":123456789012345678901234567890}';
    let app: FeatureApp;

    function largeMetadata(entries: number, value: string): Record<string, string> {
      const key = (index: number): string => String(index).padEnd(100, 'k');
      return Object.fromEntries(Array.from({ length: entries }, (_none, index) => [key(index), value]));
    }

    async function add(quoteId: string, orderId: string | null = null): Promise<void> {
      const quoteText = `{"quoteId":"${quoteId}", "n":123456789012345678901234567890}`;
      await app.payments.add(paymentToAdd(quoteId, { orderId, quoteText }));
    }

    const MUST_BE_REPORTED = 'must be the address that the provider reports';

    beforeEach(async () => {
      app = await new FeatureApp([new FakeProvider('relay')]).start(
        [PaymentsController, PaymentCountController],
        [PaymentsService, HandOver, CsvDownloads],
      );
    });
    afterEach(() => app.stop());

    describe('tracking a quote that was made elsewhere', () => {
      it('stores what the provider knows, with the order id and the metadata: 201', async () => {
        app.provider.statuses.set('q-1', reportOf('q-1', 'EXECUTING', HUGE));
        const body = { quoteId: 'q-1', orderId: 'A-1', metadata: { shop: 'eu' } };
        const answer = await app.post('/api/payments', body);
        expect(answer.status).toBe(201);
        expect(answer.json).toMatchObject({ ...body, status: 'EXECUTING', sequence: 2, quote: null });
        expect(answer.text).toContain('"amount":123456789012345678901234567890');
      });

      it('takes all the metadata there can be in ASCII, and 32 KiB of anything', async () => {
        for (const [quoteId, metadata] of [
          ['q-1', largeMetadata(50, 'x'.repeat(500))],
          ['q-2', largeMetadata(50, '€'.repeat(500))],
        ] as const) {
          app.provider.statuses.set(quoteId, reportOf(quoteId));
          const answer = await app.post('/api/payments', { quoteId, metadata });
          expect([answer.status, answer.json.metadata]).toEqual([201, metadata]);
        }
      });

      it('sets what is said of one that is tracked already, and publishes it once: 200, and the provider is not asked', async () => {
        await add('q-1', 'A-1');
        const body = { quoteId: 'q-1', orderId: 'B', metadata: { x: 'y' } };
        for (const sent of [body, body, { quoteId: 'q-1' }, { quoteId: 'q-1', orderId: null }]) {
          const { status, json } = await app.post('/api/payments', sent);
          expect([status, json.orderId, json.metadata, json.sequence]).toEqual([200, 'B', { x: 'y' }, 2]);
        }
        expect(app.provider.calls).toBe(0);
        const events = (app.payments.rows.get('q-1')?.events ?? []).map((text) => JSON.parse(text));
        expect(events).toMatchObject([
          { type: 'payment.created', data: { orderId: 'A-1', metadata: null } },
          { type: 'payment.updated', data: { orderId: 'B', metadata: { x: 'y' }, payment: null } },
        ]);
      });

      it('names the order of a completed payment once, and another one for an operator or an admin', async () => {
        app.provider.statuses.set('q-1', reportOf('q-1', 'COMPLETED'));
        const name = async (orderId: string, role = 'shop') => {
          const answer = await app.post(
            '/api/payments',
            { quoteId: 'q-1', orderId },
            { 'x-test-role': role },
          );
          return [answer.status, answer.json.code ?? answer.json.orderId];
        };
        expect(await name('A-1')).toEqual([201, 'A-1']);
        expect(await name('A-2')).toEqual([409, 'order_already_named']);
        expect(await name('A-1')).toEqual([200, 'A-1']);
        for (const role of ['operator', 'admin']) expect(await name(role, role)).toEqual([200, role]);
        app.provider.statuses.set('q-2', reportOf('q-2'));
        for (const body of [
          { quoteId: 'q-2', orderId: 'A' },
          { quoteId: 'q-1' },
          { payments: [{ quoteId: 'q-2' }] },
        ]) {
          const answer = await app.post('/api/payments', body, { 'x-test-role': 'operator' });
          expect([answer.status, answer.json.code]).toEqual([403, 'forbidden']);
        }
      });

      const QUOTE = `{ "quoteId":"q-1", "n":123456789012345678901234567890,  "send":{"depositAddress":"0xd"} }`;

      it('stores the quote that is handed over, as the text it came in', async () => {
        app.provider.statuses.set('q-1', reportOf('q-1'));
        const answer = await app.post('/api/payments', `{"quote": ${QUOTE}\n, "quoteId":"q-1"}`);
        expect([answer.status, app.payments.rows.get('q-1')?.quoteText]).toEqual([201, QUOTE]);
        expect(answer.text).toContain(`"quote":${QUOTE}`);
        const other = { quoteId: 'q-1', quote: { quoteId: 'q-1', send: { depositAddress: '0xe' } } };
        expect((await app.post('/api/payments', other)).status).toBe(200);
        expect(app.payments.rows.get('q-1')?.quoteText).toBe(QUOTE);
      });

      it('gives the quote to a payment that is tracked already without one', async () => {
        app.provider.statuses.set('q-1', reportOf('q-1'));
        expect((await app.post('/api/payments', { quoteId: 'q-1', quote: null })).json.quote).toBeNull();
        const answer = await app.post('/api/payments', `{"quoteId":"q-1","quote":${QUOTE}}`);
        expect([answer.status, answer.json.sequence]).toEqual([200, 1]);
        expect(answer.text).toContain(`"quote":${QUOTE}`);
      });

      it.each([
        ['"a quote"', 'quote'],
        ['[]', 'quote'],
        ['7', 'quote'],
        ['{"quoteId":"q-2"}', 'quote.quoteId'],
        ['{"quoteId":7}', 'quote.quoteId'],
      ])('refuses a quote that is none, or another one: %s', async (quote, field) => {
        const answer = await app.post('/api/payments', `{"quoteId":"q-1","quote":${quote}}`);
        expect([answer.status, answer.json.errors[0].field]).toEqual([400, field]);
        expect(app.provider.calls).toBe(0);
      });

      it('refuses a quote whose deposit address is not the reported one, before and after it is tracked', async () => {
        const address = '0xAbCd000000000000000000000000000000000001';
        app.provider.statuses.set('q-1', reportOf('q-1', 'EXECUTING', `,"depositAddress":"${address}"`));
        const handOver = (depositAddress: string) =>
          app.post('/api/payments', { quoteId: 'q-1', orderId: 'A-1', quote: { send: { depositAddress } } });
        const refused = [400, [{ field: 'quote.send.depositAddress', message: MUST_BE_REPORTED }]];
        const other = await handOver('0xe');
        expect([other.status, other.json.errors]).toEqual(refused);
        expect(app.payments.adds).toBe(0);
        expect((await handOver(address.toLowerCase())).status).toBe(201);
        const late = await handOver('0xe');
        expect([late.status, late.json.errors]).toEqual(refused);
        expect((await handOver(address)).status).toBe(200);
      });

      it('answers one of two at the same time with 201, the other with 200, and asks the provider once', async () => {
        app.provider.statuses.set('q-1', reportOf('q-1'));
        const release = app.provider.hold();
        const racing = ['A', 'B'].map((orderId) => app.post('/api/payments', { quoteId: 'q-1', orderId }));
        await waitFor(() => app.provider.statusReads.length > 0);
        release();
        const answers = await Promise.all(racing);
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 201]));
        expect(['A', 'B']).toContain(app.payments.rows.get('q-1')?.payment.orderId);
        expect(app.provider.statusReads).toEqual(['q-1']);
      });

      it('is 404 where the provider does not know it, and nothing is stored', async () => {
        const answer = await app.post('/api/payments', { quoteId: 'q-1' });
        expect([answer.status, answer.json.code, app.payments.adds]).toEqual([404, 'unknown_payment', 0]);
      });

      it('takes no report about another quote', async () => {
        app.provider.statuses.set('q-1', reportOf('q-2'));
        const answer = await app.post('/api/payments', { quoteId: 'q-1' });
        expect([answer.status, answer.json.code, app.payments.adds]).toEqual([
          503,
          'provider_unavailable',
          0,
        ]);
      });

      it.each([
        [{}, 'quoteId'],
        [{ quoteId: 7 }, 'quoteId'],
        [{ quoteId: "x'; DROP TABLE payment" }, 'quoteId'],
        [{ quoteId: 'q-1', metadata: { a: 1 } }, 'metadata.a'],
        [{ quoteId: 'q-1', orderId: 'A\u202e1' }, 'orderId'],
        [{ quoteId: 'q-1', metadata: { 'a\u2066': 'x' } }, 'metadata.a?'],
        [{ quoteId: 'q-1', metadata: { k: '€'.repeat(501) } }, 'metadata.k'],
      ])('refuses %j, naming the field', async (body, field) => {
        const answer = await app.post('/api/payments', body);
        expect([answer.status, answer.json.errors[0].field, app.provider.calls]).toEqual([400, field, 0]);
      });
    });

    describe('a payment', () => {
      it('has exactly the fields of the contract, in ISO times, quote and report verbatim', async () => {
        await add('q-1', 'A-1');
        const { status, json, text } = await app.get('/api/payments/q-1');
        expect(status).toBe(200);
        expect(json).toEqual({
          quoteId: 'q-1',
          provider: 'http',
          orderId: 'A-1',
          metadata: null,
          status: 'AWAITING_DEPOSIT',
          late: false,
          sequence: 1,
          tracking: 'active',
          stalls: [],
          createdAt: '2026-11-20T12:00:00.000Z',
          expiresAt: null,
          updatedAt: '2026-11-20T12:00:00.000Z',
          lastPolledAt: null,
          nextPollAt: '2026-11-20T12:00:07.000Z',
          resolution: null,
          verification: null,
          amounts: null,
          output: null,
          quote: expect.anything(),
          report: null,
        });
        expect(text).toContain('"quote":{"quoteId":"q-1", "n":123456789012345678901234567890},"report":null');
      });

      it.each(['', '/events'])('that is not known is 404: %p', async (rest) => {
        const answer = await app.get(`/api/payments/q-1${rest}`);
        expect([answer.status, answer.json.code]).toEqual([404, 'unknown_payment']);
      });

      it('that was removed is answered as such: 404 to who reads it, 409 to who wants it tracked', async () => {
        await add('q-1');
        app.payments.remove('q-1');
        app.provider.statuses.set('q-1', reportOf('q-1', 'COMPLETED'));
        const answers = [
          await app.get('/api/payments/q-1'),
          await app.get('/api/payments/q-1/events'),
          await app.post('/api/payments/q-1/refresh', {}),
          await app.post('/api/payments', { quoteId: 'q-1', orderId: 'A-1' }),
        ];
        expect(answers.map(({ status, json }) => [status, json.status, json.code])).toEqual([
          [404, 404, 'payment_removed'],
          [404, 404, 'payment_removed'],
          [404, 404, 'payment_removed'],
          [409, 409, 'payment_removed'],
        ]);
        expect([app.payments.rows.size, app.provider.calls]).toEqual([0, 0]);
      });

      it.each(['%27%20OR%201%3D1', '..%2Fx', 'x'.repeat(129)])(
        'whose id cannot be one is refused: %s',
        async (id) => {
          const answers = [
            await app.get(`/api/payments/${id}`),
            await app.get(`/api/payments/${id}/events`),
            await app.post(`/api/payments/${id}/refresh`, {}),
          ];
          for (const { status, json } of answers)
            expect([status, json.errors[0].field]).toEqual([400, 'quoteId']);
        },
      );

      it('returns its events in order, each as every destination gets it', async () => {
        app.provider.statuses.set('q-1', reportOf('q-1', 'COMPLETED', HUGE));
        await app.post('/api/payments', { quoteId: 'q-1' });
        const { status, json, text } = await app.get('/api/payments/q-1/events');
        expect(status).toBe(200);
        expect(json.data.map((event: { type: string }) => event.type)).toEqual([
          'payment.created',
          'payment.completed',
        ]);
        expect(text).toBe(`{"data":[${app.payments.rows.get('q-1')?.events.join(',')}]}`);
        expect(text).toContain('123456789012345678901234567890');
      });
    });

    describe('the list of payments', () => {
      it('is newest first, in pages', async () => {
        for (let i = 1; i <= 25; i += 1) await add(`q-${i}`);
        const first = await app.get('/api/payments');
        expect(first.json.data).toHaveLength(20);
        expect([first.json.data[0].quoteId, first.json.nextCursor]).toEqual(['q-25', 'q-6']);
        const second = await app.get(`/api/payments?cursor=${first.json.nextCursor}`);
        expect(second.json.data.map(({ quoteId }: { quoteId: string }) => quoteId)).toEqual([
          'q-5',
          'q-4',
          'q-3',
          'q-2',
          'q-1',
        ]);
        expect(second.json.nextCursor).toBeNull();
      });

      it.each<[string, object]>([
        ['search=0xAb12&orderId=A-1&limit=7', { search: '0xAb12', orderId: 'A-1', limit: 7 }],
        ['createdAfter=2026-11-20', { createdAfter: new Date('2026-11-20T00:00:00Z') }],
        ['createdBefore=2026-11-20T12:00:00%2B01:00', { createdBefore: new Date('2026-11-20T11:00:00Z') }],
        ['sort=oldest', { sort: 'oldest' }],
        ['sort=newest', { sort: 'newest' }],
        ['chain=%20Base&token=USDC%20', { chain: 'Base', token: 'USDC' }],
        ['status=EXECUTING', { statuses: ['EXECUTING'] }],
        ['status=FAILED&status=EXECUTING&status=FAILED', { statuses: ['EXECUTING', 'FAILED'] }],
        ['provider=http&provider=relay&provider=http', { providers: ['http', 'relay'] }],
        ['provider=relay', { providers: ['relay'] }],
        // Filters for payments in trouble leave out resolved ones.
        ['stalled=true', { stalled: true, resolved: false }],
        ['anomaly=true', { anomaly: true, resolved: false }],
        ['undelivered=true', { undelivered: true }],
        ['undelivered=true&late=false', { undelivered: true, late: false }],
        ['stalled=true&resolved=true', { stalled: true, resolved: true }],
        ['late=true', { late: true }],
        ['stalled=false&anomaly=false', { stalled: false, anomaly: false }],
        ['resolved=false', { resolved: false }],
        // An empty filter is none.
        ['search=&status=&provider=&orderId=&createdAfter=&createdBefore=&sort=&limit=&cursor=', {}],
        ['late=&stalled=&anomaly=&undelivered=&resolved=&chain=&token=', {}],
      ])('is narrowed by %s', async (query, filter) => {
        await app.get(`/api/payments?${query}`);
        expect(app.payments.filters).toEqual([{ limit: 20, ...filter }]);
      });

      it.each([
        ['sort', 'OLDEST'],
        ['sort', 'newest,oldest'],
        ['status', 'toString'],
        ['status', 'FAILED,EXPIRED'],
        ['status', 'FAILED&status='],
        ['status', 'FAILED&status=PAID'],
        ['status', `FAILED${'&status=FAILED'.repeat(6)}`],
        ['provider', 'HTTP'],
        ['provider', 'http,relay'],
        ['provider', 'http&provider='],
        ['provider', 'http&provider=x'],
        ['search', 'x'.repeat(201)],
        ['search', '%20'],
        ['search', 'a%E2%80%8Bb'],
        ['orderId', 'x'.repeat(201)],
        ['createdAfter', 'yesterday'],
        ['createdAfter', '2026-13-01'],
        ['createdAfter', '2026-02-30'],
        ['createdAfter', '2026-02-30T00:00:00Z'],
        ['createdBefore', '2026-11-20T12:00:00'],
        ['createdBefore', '1795176300'],
        ['late', 'yes'],
        ['late', 'TRUE'],
        ['stalled', '1'],
        ['anomaly', 'null'],
        ['undelivered', '0'],
        ['resolved', 'unresolved'],
        ['chain', '%20'],
        ['chain', 'x'.repeat(101)],
        ['chain', 'a%0Ab'],
        ['token', 'x'.repeat(201)],
        ['token', 'a%E2%80%8Bb'],
        ['limit', '0'],
        ['limit', '101'],
        ['limit', '1e1'],
        ['limit', '-1'],
        ['cursor', 'x'.repeat(501)],
      ])('refuses %s=%s, naming it', async (field, value) => {
        const answer = await app.get(`/api/payments?${field}=${value}`);
        expect([answer.status, answer.json.errors[0].field]).toEqual([400, field]);
      });

      it.each([
        ['sort=amount', 'must be one of newest, oldest'],
        ['status=PAID', expect.stringContaining('AWAITING_DEPOSIT, DEPOSIT_RECEIVED')],
        ['provider=oneclick', 'must be one of http, relay; it may be repeated'],
        ['limit=1&limit=2', 'must be given once'],
      ])('says what is wrong with %s, and asks for nothing', async (query, message) => {
        const { status, json } = await app.get(`/api/payments?${query}`);
        expect([status, json.errors]).toEqual([400, [{ field: query.split('=')[0], message }]]);
        expect(app.payments.filters).toEqual([]);
      });
    });

    describe('the count', () => {
      it('is asked for by the same filters as the list', async () => {
        for (const id of ['q-1', 'q-2', 'q-3']) await add(id);
        const answer = await app.get('/api/payment-count?orderId=A&stalled=false&search=');
        expect([answer.status, answer.json]).toEqual([200, { count: 3, isMore: false }]);
        await app.get('/api/payment-count?undelivered=true');
        expect(app.payments.counted).toEqual([{ orderId: 'A', stalled: false }, { undelivered: true }]);
      });

      it.each([
        'status=PAID',
        'provider=oneclick',
        'late=yes',
        'createdAfter=soon',
        'sort=oldest',
        'limit=7',
        'cursor=x',
      ])('refuses %s, naming it', async (query) => {
        const { status, json } = await app.get(`/api/payment-count?${query}`);
        expect([status, json.errors[0].field]).toEqual([400, query.split('=')[0]]);
        expect(app.payments.counted).toEqual([]);
      });
    });

    describe('a refresh', () => {
      it('polls the payment now and returns its state', async () => {
        await add('q-1');
        app.provider.statuses.set('q-1', reportOf('q-1', 'EXECUTING', HUGE));
        const answer = await app.post('/api/payments/q-1/refresh', {});
        expect([answer.status, answer.json.status, answer.json.sequence]).toEqual([200, 'EXECUTING', 2]);
        expect(answer.text).toContain('123456789012345678901234567890');
        expect(app.inspectedNow).toEqual(['q-1']);
      });

      it('polls at most once a second, and returns the stored state in between', async () => {
        await add('q-1');
        app.provider.statuses.set('q-1', reportOf('q-1'));
        for (let i = 0; i < 3; i += 1)
          expect((await app.post('/api/payments/q-1/refresh', '')).status).toBe(200);
        for (const [passedMs, reads] of [
          [999, 1],
          [1, 2],
        ] as const) {
          app.clock.advance(passedMs);
          await app.post('/api/payments/q-1/refresh', '');
          expect(app.provider.statusReads).toHaveLength(reads);
        }
      });

      it('of a payment that is not known is 404, and the provider is not asked', async () => {
        const answer = await app.post('/api/payments/q-1/refresh', {});
        expect([answer.status, answer.json.code, app.provider.calls]).toEqual([404, 'unknown_payment', 0]);
      });

      it("that comes to nothing is the provider's error", async () => {
        await add('q-1');
        app.provider.statuses.set('q-1', {
          kind: 'unavailable',
          reason: 'time-out',
          retryAfterMs: null,
          httpStatus: null,
        });
        expect((await app.post('/api/payments/q-1/refresh', {})).status).toBe(503);
      });
    });
  });
}
