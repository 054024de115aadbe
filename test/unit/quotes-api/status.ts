import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import type { StatusAnswer } from '../../../src/ports/payment-provider.ts';
import { quoteText, reportOf } from '../../support/fakes/provider.fake.ts';
import { QUOTE_BODY, startGateway } from '../../support/quotes-app.ts';
import type { FeatureApp } from '../../support/feature-app.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';

export function statusSuite(): void {
  describe('statuses', () => {
    const HUGE = ', "route":{"amount":123456789012345678901234567890}, "new":[ 1.10 ]';
    const DOWN: StatusAnswer = {
      kind: 'unavailable',
      reason: 'time-out',
      retryAfterMs: 7_000,
      httpStatus: null,
    };
    let app: FeatureApp;

    const textOf = (answer: StatusAnswer): string => (answer.kind === 'report' ? answer.report.text : '');
    const know = (quoteId: string, answer: StatusAnswer): unknown =>
      app.provider.statuses.set(quoteId, answer);
    const many = (path: string, count: number) =>
      Promise.all(Array.from({ length: count }, () => app.get(path)));

    async function makeQuote(quoteId: string): Promise<void> {
      app.provider.onQuote = () => quoteText(quoteId);
      expect((await app.post('/api/quote', QUOTE_BODY)).status).toBe(200);
    }

    beforeEach(async () => {
      app = await startGateway();
    });
    afterEach(() => app.stop());

    describe('the status of a payment that is known', () => {
      it('is the stored report, verbatim, with its time, and costs the provider nothing', async () => {
        await makeQuote('q-1');
        know('q-1', reportOf('q-1', 'EXECUTING', HUGE));
        await app.get('/api/status/q-1');
        app.clock.advance(60_000);
        const answers = await many('/api/status/q-1', 20);
        for (const answer of answers) {
          expect([answer.status, answer.text]).toEqual([200, textOf(reportOf('q-1', 'EXECUTING', HUGE))]);
          expect(answer.headers.get('last-modified')).toBe('Fri, 20 Nov 2026 12:00:00 GMT');
          expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
        }
        expect(app.provider.statusReads).toEqual(['q-1']);
      });

      it('is 304 for who has it already', async () => {
        await makeQuote('q-1');
        know('q-1', reportOf('q-1'));
        const { headers } = await app.get('/api/status/q-1');
        const since = {
          'if-modified-since': headers.get('last-modified') ?? '',
          'cache-control': 'max-age=0',
        };
        const again = await app.get('/api/status/q-1', since);
        expect([again.status, again.text]).toEqual([304, '']);
      });

      it('is looked up once for all who ask when there is no report yet', async () => {
        await makeQuote('q-1');
        know('q-1', reportOf('q-1'));
        const pollNow = jest.spyOn(app.pollRequests, 'pollNow');
        const release = app.provider.hold();
        const asking = many('/api/status/q-1', 10);
        await waitFor(() => app.provider.statusReads.length > 0);
        release();
        expect((await asking).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
        expect(pollNow.mock.calls).toEqual([['q-1', 5_000, 'key shop']]);
      });

      it('waits for the poll that another replica makes', async () => {
        await makeQuote('q-1');
        const claim = await app.schedule.claimNow('q-1', 0, 30_000);
        expect(claim).toMatchObject({ paymentId: 'q-1' });
        const pollNow = jest.spyOn(app.pollRequests, 'pollNow');
        const asking = app.get('/api/status/q-1');
        await waitFor(() => pollNow.mock.calls.length > 0);
        const row = app.payments.rows.get('q-1');
        Object.assign(row ?? {}, { reportText: '{"status":"EXECUTING"}', reportedAt: app.clock.now() });
        expect((await asking).text).toBe('{"status":"EXECUTING"}');
        expect(app.provider.statusReads).toEqual([]);
      });

      it('is unavailable when the other poll came to nothing', async () => {
        await makeQuote('q-1');
        await app.schedule.claimNow('q-1', 0, 30_000);
        const answer = await app.get('/api/status/q-1');
        expect([answer.status, answer.json.code]).toEqual([503, 'provider_unavailable']);
        expect(answer.headers.get('retry-after')).toBe('5');
      });

      it.each<[StatusAnswer, number, string]>([
        [DOWN, 503, 'provider_unavailable'],
        [{ kind: 'credentials' }, 502, 'provider_credentials'],
        [{ kind: 'refused', httpStatus: 422, message: 'odd' }, 422, 'provider_refused'],
      ])("is the provider's error while there is no report: %j", async (answer, status, code) => {
        await makeQuote('q-1');
        know('q-1', answer);
        const { status: published, json } = await app.get('/api/status/q-1');
        expect([published, json.code]).toEqual([status, code]);
      });
    });

    describe('the status of a payment that is not known', () => {
      it('is looked up at the provider, answered verbatim, and tracked from then on', async () => {
        know('q-9', reportOf('q-9', 'DEPOSIT_RECEIVED', `${HUGE}, "expiresAt":1795176300`));
        const answer = await app.get('/api/status/q-9');
        const [text] = [...app.provider.statuses.values()].map(textOf);
        expect([answer.status, answer.text]).toEqual([200, text]);
        expect(answer.headers.get('last-modified')).toBe('Fri, 20 Nov 2026 12:00:00 GMT');
        const row = app.payments.rows.get('q-9');
        expect(row).toMatchObject({
          quoteText: null,
          payment: { status: 'DEPOSIT_RECEIVED', sequence: 2, orderId: null },
        });
        expect(row?.payment.expiresAt).toEqual(new Date(1_795_176_300_000));
      });

      it('is asked for once, however many ask at the same time', async () => {
        know('q-9', reportOf('q-9'));
        const release = app.provider.hold();
        const asking = many('/api/status/q-9', 10);
        await waitFor(() => app.provider.statusReads.length > 0);
        release();
        expect(new Set((await asking).map(({ status }) => status))).toEqual(new Set([200]));
        expect([app.provider.statusReads.length, app.payments.adds]).toEqual([1, 1]);
      });

      it('is 404 where the provider does not know it either, and for a moment not asked again', async () => {
        const answer = await app.get('/api/status/q-9');
        expect([answer.status, answer.json.code]).toEqual([404, 'unknown_payment']);
        await many('/api/status/q-9', 5);
        expect(app.provider.statusReads).toHaveLength(1);
        app.clock.advance(5_001);
        know('q-9', reportOf('q-9'));
        expect((await app.get('/api/status/q-9')).status).toBe(200);
      });

      it.each<[string, StatusAnswer, number, string]>([
        ['another quote', reportOf('q-8'), 503, 'provider_unavailable'],
        ['down', DOWN, 503, 'provider_unavailable'],
        ['key refused', { kind: 'credentials' }, 502, 'provider_credentials'],
        ['odd', { kind: 'refused', httpStatus: 400, message: 'odd' }, 400, 'provider_refused'],
      ])('stays unknown when the provider gives no report of it: %s', async (_what, answer, status, code) => {
        know('q-9', answer);
        const published = await app.get('/api/status/q-9');
        expect([published.status, published.json.code, app.payments.adds]).toEqual([status, code, 0]);
        await app.get('/api/status/q-9');
        expect(app.provider.statusReads).toHaveLength(2);
      });

      it('is not asked for beyond the request budget', async () => {
        app.provider.limits = { ...app.provider.limits, maxRpm: 2 };
        expect((await app.get('/api/status/q-8')).status).toBe(404);
        const answer = await app.get('/api/status/q-9');
        expect([answer.status, answer.json.code]).toEqual([503, 'provider_unavailable']);
        expect(app.provider.statusReads).toEqual(['q-8']);
      });
    });

    describe('the status of a payment that was removed', () => {
      beforeEach(() => app.payments.remove('q-1'));

      it('is answered as the provider reports it, and nothing is tracked', async () => {
        know('q-1', reportOf('q-1', 'COMPLETED', HUGE));
        const answer = await app.get('/api/status/q-1');
        expect([answer.status, answer.text]).toEqual([200, textOf(reportOf('q-1', 'COMPLETED', HUGE))]);
        expect(answer.headers.get('last-modified')).toBe('Fri, 20 Nov 2026 12:00:00 GMT');
        expect([app.payments.rows.size, app.payments.adds]).toEqual([0, 0]);
      });

      it('costs the provider one request in a moment, however many ask for it', async () => {
        know('q-1', reportOf('q-1', 'COMPLETED'));
        const release = app.provider.hold();
        const asking = many('/api/status/q-1', 10);
        await waitFor(() => app.provider.statusReads.length > 0);
        release();
        for (const answer of [...(await asking), ...(await many('/api/status/q-1', 10))])
          expect(answer.status).toBe(200);
        expect(app.provider.statusReads).toEqual(['q-1']);
        app.clock.advance(5_000);
        const later = await app.get('/api/status/q-1');
        expect(later.headers.get('last-modified')).toBe('Fri, 20 Nov 2026 12:00:05 GMT');
        expect(app.provider.statusReads).toHaveLength(2);
      });

      it('is 404 with a code of its own where the provider does not know it any more', async () => {
        const answers = [await app.get('/api/status/q-1'), await app.get('/api/status/q-1')];
        for (const { status, json } of answers) expect([status, json.code]).toEqual([404, 'payment_removed']);
        expect(app.provider.statusReads).toHaveLength(1);
      });

      it('is not asked for beyond the request budget', async () => {
        app.provider.limits = { ...app.provider.limits, maxRpm: 2 };
        await app.rateLimit.takeOne('another');
        const answer = await app.get('/api/status/q-1');
        expect([answer.status, answer.json.code]).toEqual([503, 'provider_unavailable']);
        expect(app.provider.statusReads).toEqual([]);
      });

      it("is the provider's error when it gives no usable answer", async () => {
        know('q-1', DOWN);
        const answer = await app.get('/api/status/q-1');
        expect([answer.status, answer.json.code]).toEqual([503, 'provider_unavailable']);
      });
    });

    describe('an id that cannot be one', () => {
      it.each(["q'; DROP TABLE payment;--", '..%2F..%2Fetc%2Fpasswd', '.', 'x'.repeat(129), 'q-1\n'])(
        'is refused, and nobody is asked: %p',
        async (id) => {
          const path = id.includes('%') ? id : encodeURIComponent(id).replace(/^\.$/, '%2E%2Fx');
          const answer = await app.get(`/api/status/${path}`);
          expect([answer.status, answer.json.errors?.[0]?.field]).toEqual([400, 'id']);
          expect(app.provider.calls).toBe(0);
        },
      );
    });
  });
}
