import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { ProviderUnavailable } from '../../../src/ports/payment-provider.ts';
import { StoreUnavailable } from '../../../src/ports/payments.ts';
import type { Status } from '../../../src/domain/payment/status.ts';
import type { FakeRow } from '../../support/fakes/payments.fake.ts';
import { quoteText } from '../../support/fakes/provider.fake.ts';
import { QUOTE_BODY, startGateway } from '../../support/quotes-app.ts';
import { type Answer, FeatureApp } from '../../support/feature-app.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

const LEASE_MS = 60;

export function idempotencySuite(): void {
  describe('idempotent quotes', () => {
    const KEY = { 'idempotency-key': 'order A-1, try 1' };
    let app: FeatureApp;

    const quote = (body: object = QUOTE_BODY, headers: Record<string, string> = KEY): Promise<Answer> =>
      app.post('/api/quote', body, headers);
    const quotesMade = (): number => app.provider.quoteRequests.length;

    beforeEach(async () => {
      app = await startGateway(new FeatureApp(), { idempotencyLeaseMs: LEASE_MS });
    });
    afterEach(() => app.stop());

    describe('an Idempotency-Key', () => {
      it('answers the stored quote again, marked as replayed, and asks the provider once', async () => {
        const first = await quote();
        const second = await quote();
        expect([second.status, second.text]).toEqual([200, first.text]);
        expect(first.headers.get('idempotency-replayed')).toBeNull();
        expect(second.headers.get('idempotency-replayed')).toBe('true');
        expect([quotesMade(), app.payments.rows.size]).toEqual([1, 1]);
      });

      it('answers with the time that is left, and every digit as it was', async () => {
        app.provider.onQuote = () => quoteText('q-1', ',"n":1.10');
        await quote();
        app.clock.advance(20_500);
        const { headers, json, text } = await quote();
        expect([headers.get('idempotency-replayed'), json.expiresIn]).toEqual(['true', 280]);
        expect(text).toContain('"n":1.10');
      });

      it.each<[Status, number, string]>([
        ['AWAITING_DEPOSIT', 300_000, 'has ended'],
        ['EXPIRED', 0, 'has ended'],
        ['FAILED', 0, 'has ended'],
        ['DEPOSIT_RECEIVED', 0, 'under way'],
        ['EXECUTING', 0, 'under way'],
        ['COMPLETED', 0, 'completed'],
      ])('whose quote is in %s after %d ms shows its address to nobody', async (status, ms, why) => {
        app.provider.onQuote = () => quoteText('q-1');
        await quote();
        const row = app.payments.rows.get('q-1') as FakeRow;
        row.payment = { ...row.payment, status };
        app.clock.advance(ms);
        const { status: httpStatus, json, text } = await quote();
        expect([httpStatus, json]).toMatchObject([
          409,
          { code: 'quote_no_longer_payable', quoteId: 'q-1', paymentStatus: status },
        ]);
        expect([json.detail, text.includes('0xdq-1'), quotesMade()]).toEqual([
          expect.stringContaining(why),
          false,
          1,
        ]);
      });

      it('goes by what the body means, not by the order of its keys or by unknown fields', async () => {
        const body = { ...QUOTE_BODY, metadata: { a: '1', b: '2' } };
        const first = await quote(body);
        const turned = Object.fromEntries(
          Object.entries({ ...body, metadata: { b: '2', a: '1' } }).reverse(),
        );
        const second = await quote({ ...turned, unknown: 1, orderId: null });
        expect(second.text).toBe(first.text);
      });

      it.each([{ amount: '26' }, { orderId: 'B' }, { metadata: { a: 'b' } }])(
        'with another body is a conflict: %p',
        async (change) => {
          await quote();
          const other = await quote({ ...QUOTE_BODY, ...change });
          expect([other.status, other.json.code]).toEqual([409, 'idempotency_mismatch']);
          expect(quotesMade()).toBe(1);
        },
      );

      it('makes no second quote where the payment of its first one was removed', async () => {
        app.provider.onQuote = () => quoteText('q-1');
        await quote();
        app.payments.remove('q-1');
        const again = await quote();
        expect([again.status, again.json.code, quotesMade()]).toEqual([409, 'payment_removed', 1]);
      });

      it('belongs to the API key that it came with', async () => {
        const first = await quote(QUOTE_BODY, { ...KEY, 'x-test-key': 'shop-a' });
        const second = await quote(QUOTE_BODY, { ...KEY, 'x-test-key': 'shop-b' });
        expect(second.text).not.toBe(first.text);
        expect(quotesMade()).toBe(2);
      });

      it.each(['', 'x'.repeat(256), 'schlüssel', 'a\tb'])(
        'that cannot be one is refused: %p',
        async (key) => {
          const answer = await quote(QUOTE_BODY, { 'idempotency-key': key });
          expect([answer.status, answer.json.errors[0].field]).toEqual([400, 'Idempotency-Key']);
          expect(app.provider.calls).toBe(0);
        },
      );

      it('is not used up by a body that is refused', async () => {
        expect((await quote({ ...QUOTE_BODY, amount: '0' })).status).toBe(400);
        expect(app.idempotency.begins).toBe(0);
        expect((await quote()).status).toBe(200);
      });

      it('is not used up while the database is not ready, and no quote is requested', async () => {
        app.database.isUp = false;
        expect([(await quote()).status, quotesMade()]).toEqual([503, 0]);
        app.database.isUp = true;
        expect((await quote({ ...QUOTE_BODY, orderId: 'another body' })).status).toBe(200);
      });

      it('makes exactly one quote of many requests at once', async () => {
        const release = app.provider.hold();
        const racing = Array.from({ length: 8 }, () => quote());
        await waitFor(() => app.idempotency.begins > 8);
        release();
        const answers = await Promise.all(racing);
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
        expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(
          7,
        );
        expect([quotesMade(), app.payments.rows.size]).toEqual([1, 1]);
      });

      it('is taken over by the one who waits when the holder fails', async () => {
        const open = app.provider.hold();
        const good = app.provider.onQuote;
        app.provider.onQuote = () => {
          app.provider.onQuote = good;
          throw new ProviderUnavailable('reset');
        };
        const racing = [quote(), quote()];
        await waitFor(() => app.idempotency.begins > 2);
        open();
        const statuses = (await Promise.all(racing)).map(({ status }) => status);
        expect(new Set(statuses)).toEqual(new Set([200, 503]));
        expect([quotesMade(), app.payments.rows.size]).toEqual([2, 1]);
      });

      it('is given back when the quote could not be stored', async () => {
        app.payments.failNextAdd = new StoreUnavailable();
        const failed = await quote();
        expect([failed.status, failed.json.code]).toEqual([503, 'database_unavailable']);
        expect((await quote()).status).toBe(200);
        expect(app.payments.rows.size).toBe(1);
      });

      it('whose release fails too still answers the error that counts', async () => {
        app.payments.failNextAdd = new StoreUnavailable();
        app.idempotency.release = () => Promise.reject(new StoreUnavailable());
        expect((await quote()).json.code).toBe('database_unavailable');
      });

      it('makes one quote however long that takes, since its holder renews the lease', async () => {
        const release = app.provider.hold();
        const holder = quote();
        await waitFor(() => quotesMade() === 1);
        for (let lease = 0; lease < 3; lease += 1) {
          const renewals = app.idempotency.renewals;
          await waitFor(() => app.idempotency.renewals > renewals);
          app.clock.advance(LEASE_MS - 1);
        }
        expect((await quote()).json.code).toBe('idempotency_busy');
        release();
        expect((await holder).status).toBe(200);
        expect(quotesMade()).toBe(1);
      });

      it('that stays busy longer than the provider may take is a conflict to be tried again', async () => {
        const release = app.provider.hold();
        const holder = quote();
        await waitFor(() => quotesMade() === 1);
        const waiting = await quote();
        expect([waiting.status, waiting.json.code]).toEqual([409, 'idempotency_busy']);
        expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0);
        release();
        expect((await holder).status).toBe(200);
        expect(quotesMade()).toBe(1);
      });
    });
  });
}
