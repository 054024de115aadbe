import { beforeAll, describe, expect, it } from '@jest/globals';

import { REFUSED_KEY, REFUSED_KEY_STATUSES } from '../../support/refused-key.ts';
import type { SharedService } from '../../support/shared-process.ts';
import { quoteRequest } from '../../../tools/testkit/provider-objects.ts';
import { jsonOf, type Stage } from '../../support/stage.ts';
import { plainPaybell } from './plain-paybell.ts';

const ZERO = `0x${'0'.repeat(40)}`;
const UNKNOWN_ID = '5af8532c-5bf4-45c2-b099-1b36e96e91a3';

const LEFT = `
  SELECT (SELECT count(*) FROM event) + (SELECT count(*) FROM delivery) + (SELECT count(*) FROM idempotency)
    + (SELECT count(*) FROM destination WHERE kind = 'webhook') AS count`;

export function badInput(): void {
  describe('bad input', () => {
    let stage: Stage;
    let app: SharedService;
    let callsBefore = 0;

    beforeAll(async () => {
      ({ stage, app } = await plainPaybell());
      // The chains and the token are known before the counting begins.
      await jsonOf(await app.fetch('/api/chains'), 200);
      await jsonOf(await app.fetch('/api/currencies', { method: 'POST', body: { term: 'usdc' } }), 200);
      callsBefore = stage.provider.calls.all.length;
    });

    interface Problem {
      readonly status: number;
      readonly detail: string;
      readonly code: string;
      readonly errors?: { field: string; message: string }[];
    }

    async function problemOf(answer: Response): Promise<Problem> {
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      const text = await answer.text();
      expect(text).not.toMatch(/\bat [\w.]+ \(|SELECT |INSERT |node_modules|provider-key-of-the-stage/);
      const problem = JSON.parse(text) as Problem;
      expect(problem).toMatchObject({
        success: false,
        status: answer.status,
        code: expect.stringMatching(/^[a-z_]+$/),
        error: problem.detail,
      });
      return problem;
    }

    async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Problem> {
      return problemOf(await app.fetch(path, { method: 'POST', body, headers }));
    }

    function without(field: string): Record<string, unknown> {
      const request = quoteRequest();
      delete request[field];
      return request;
    }

    const FIELDS = ['fromChainId', 'toChainId', 'fromToken', 'toToken', 'amount', 'recipient'];
    const WRONG_TYPES: [string, unknown][] = [
      ['fromChainId', '1'],
      ['fromChainId', 1.5],
      ['fromChainId', -1],
      ['toChainId', null],
      ['toChainId', { id: 1 }],
      ['fromToken', 0],
      ['fromToken', ''],
      ['toToken', ['0x0']],
      ['amount', 5],
      ['amount', true],
      ['recipient', {}],
      ['recipient', ''],
      ['recipient', 'a'.repeat(200)],
      ['orderId', 17],
      ['orderId', 'x'.repeat(201)],
      ['metadata', 'shop=eu'],
      ['metadata', ['eu']],
    ];
    const AMOUNTS = [
      '0',
      '0.0',
      '-1',
      '+1',
      '1e18',
      'NaN',
      'Infinity',
      '1,5',
      '1.5.0',
      ' 1',
      '',
      '0x10',
      '.5',
      '1.',
      '١',
    ];

    describe('a quote request', () => {
      it.each(FIELDS)('without %s is a 400 that names it', async (field) => {
        const { status, code, errors } = await post('/api/quote', without(field));
        expect([status, code]).toEqual([400, 'invalid_request']);
        expect(errors?.map((error) => error.field)).toEqual([field]);
      });

      it.each(WRONG_TYPES)('with %s = %j is a 400 that names it', async (field, value) => {
        const { status, errors } = await post('/api/quote', quoteRequest({ [field]: value }));
        expect([status, errors?.map((error) => error.field)]).toEqual([400, [field]]);
      });

      it.each(AMOUNTS)('for the amount %j is a 400 that names it', async (amount) => {
        const { status, errors } = await post('/api/quote', quoteRequest({ amount }));
        expect([status, errors?.map((error) => error.field)]).toEqual([400, ['amount']]);
      });

      it.each([
        ['a native token', { amount: `0.${'1'.repeat(19)}` }],
        [
          'a token that a search has returned',
          { fromChainId: 8453, fromToken: '0x833589FCD6eDb6E08f4c7C32D4f71b54bdA02913', amount: '1.0000001' },
        ],
      ])('with more fraction digits than %s has is a 400', async (_token, partial) => {
        const { status, errors } = await post('/api/quote', quoteRequest(partial));
        expect([status, errors?.map((error) => error.field)]).toEqual([400, ['amount']]);
      });

      it.each(['fromChainId', 'toChainId'])(
        'with an unknown chain as %s is a 400 that names it',
        async (field) => {
          const { status, errors } = await post('/api/quote', quoteRequest({ [field]: 999_999 }));
          expect([status, errors?.map((error) => error.field)]).toEqual([400, [field]]);
        },
      );

      it('with the zero address as recipient is a 400 that names it', async () => {
        const { status, errors } = await post('/api/quote', quoteRequest({ recipient: ZERO }));
        expect([status, errors?.map((error) => error.field)]).toEqual([400, ['recipient']]);
      });

      it.each([
        ['51 values', Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v']))],
        ['a value of 501 characters', { key: 'x'.repeat(501) }],
        ['a number', { key: 5 }],
      ])('with metadata of %s is a 400 that names it', async (_what, metadata) => {
        const { status, errors } = await post('/api/quote', quoteRequest({ metadata }));
        expect(status).toBe(400);
        expect(errors?.[0]?.field).toMatch(/^metadata/);
      });

      it('names every bad field at once', async () => {
        const { errors } = await post('/api/quote', {});
        expect(errors?.map((error) => error.field).sort()).toEqual([...FIELDS].sort());
      });

      it.each([
        ['malformed JSON', '{"fromChainId": 1,', 400],
        ['no object', '[1,2]', 400],
        ['a bare null', 'null', 400],
        ['nothing at all', '', 400],
        ['a NUL character', JSON.stringify(quoteRequest({ orderId: 'a\u0000b' })), 400],
        ['more than 100 KiB', JSON.stringify(quoteRequest({ metadata: { key: 'x'.repeat(110_000) } })), 413],
        ['a hundred thousand brackets', '['.repeat(50_000), 400],
      ])('that is %s is a problem', async (_what, body, status) => {
        expect((await post('/api/quote', body)).status).toBe(status);
      });

      it('that is no JSON by its content type is a 415', async () => {
        expect(
          await post('/api/quote', 'amount=1', { 'content-type': 'application/x-www-form-urlencoded' }),
        ).toMatchObject({
          status: 415,
        });
      });

      it.each(['', 'x'.repeat(256), 'ein schlüssel'])('with the Idempotency-Key %j is a 400', async (key) => {
        const encoded = Buffer.from(key, 'utf8').toString('latin1');
        const { status } = await post('/api/quote', quoteRequest(), { 'idempotency-key': encoded });
        expect(status).toBe(400);
      });
    });

    describe('an API key', () => {
      it.each<[string, Record<string, string>]>([
        ['missing', { 'x-api-key': '' }],
        ['wrong', { 'x-api-key': 'test-key-0123456789abcdeg' }],
        ['cut short', { 'x-api-key': 'test-key-0123456789abcde' }],
        ['wrong as a bearer', { authorization: 'Bearer nothing' }],
        ['of another scheme', { authorization: 'Basic dGVzdDp0ZXN0' }],
      ])('that is %s is refused on every route', async (_what, headers) => {
        for (const path of ['/api/quote', '/api/payments', '/api/webhook-endpoints', '/api/currencies']) {
          const { status, code } = await post(path, quoteRequest(), headers);
          expect(REFUSED_KEY).toContainEqual({ status, code });
        }
        for (const path of [
          '/api/chains',
          `/api/status/${UNKNOWN_ID}`,
          '/api/payments',
          '/api/webhook-endpoints',
          '/api/nothing',
          '/api',
        ]) {
          expect(REFUSED_KEY_STATUSES).toContain(
            (await problemOf(await app.fetch(path, { headers }))).status,
          );
        }
      });

      it('is taken both ways', async () => {
        for (const headers of [{ 'x-api-key': app.apiKey }, { authorization: `Bearer ${app.apiKey}` }])
          expect((await app.fetch('/api/chains', { headers })).status).toBe(200);
      });
    });

    describe('an id in a path', () => {
      it.each([
        "1' OR '1'='1",
        '1;DROP TABLE payment',
        '../../etc/passwd',
        '..',
        'a/b',
        'a?b#c',
        'a%00b',
        'x'.repeat(129),
        '%',
        'é',
      ])('such as %j is a 4xx everywhere', async (id) => {
        const encoded = id.includes('%') ? id : encodeURIComponent(id);
        for (const path of [
          `/api/status/${encoded}`,
          `/api/payments/${encoded}/events`,
          `/api/payments/${encoded}/x`,
          `/api/webhook-endpoints/${encoded}`,
        ]) {
          // Every client makes /api/events of it before it asks, which is another route.
          if (path === '/api/payments/../events') continue;
          const { status } = await problemOf(await app.fetch(path));
          expect([400, 404]).toContain(status);
        }
        const { status } = await post('/api/payments', { quoteId: id });
        expect(status).toBe(400);
      });

      it.each(['/api/nothing', '/nothing', '/api/status', '/api'])('%s is a 404 problem', async (path) => {
        expect(await problemOf(await app.fetch(path))).toMatchObject({ status: 404, code: 'not_found' });
      });
    });

    describe('a list', () => {
      it.each([
        'limit=0',
        'limit=101',
        'limit=ten',
        'cursor=nonsense',
        'status=PAID',
        'sort=amount',
        'createdAfter=yesterday',
        'createdBefore=2026-13-01',
        `orderId=${'x'.repeat(201)}`,
        'limit=1&limit=2',
        'orderid=A-17',
        'status=FAILED,EXPIRED',
        'status%5B%5D=FAILED',
      ])('with %s is a 400', async (query) => {
        expect((await problemOf(await app.fetch(`/api/payments?${query}`))).status).toBe(400);
      });
    });

    describe('a webhook endpoint', () => {
      it.each<[string, unknown]>([
        ['no URL', {}],
        ['a URL that is none', { url: 'shop' }],
        ['another scheme', { url: 'ftp://shop.example/x' }],
        ['credentials in the URL', { url: 'https://user:password@shop.example/x' }],
        ['a private address', { url: 'http://10.0.0.1/x' }],
        ['the metadata address', { url: 'http://169.254.169.254/latest' }],
        ['an unknown event type', { url: 'http://127.0.0.1/x', eventTypes: ['payment.paid'] }],
        ['event types that are no list', { url: 'http://127.0.0.1/x', eventTypes: 'payment.created' }],
      ])('with %s is a 400', async (_what, body) => {
        expect((await post('/api/webhook-endpoints', body)).status).toBe(400);
      });
    });

    describe('a currency search', () => {
      it.each([
        { limit: 0 },
        { limit: 101 },
        { limit: '20' },
        { chainIds: 1 },
        { chainIds: ['1'] },
        { verified: 'yes' },
      ])('with %j is a 400', async (body) => {
        const { status, errors } = await post('/api/currencies', body);
        expect(status).toBe(400);
        expect(errors?.[0]?.field).toContain(Object.keys(body)[0]);
      });
    });

    describe('all of this bad input together', () => {
      it('stored nothing and asked the provider for nothing', async () => {
        expect(stage.provider.calls.all.slice(callsBefore)).toEqual([]);
        expect(await stage.countPayments()).toBe(0);
        const [left] = await stage.database.query<{ count: string }>(LEFT);
        expect(left?.count).toBe('0');
      });
    });
  });
}
