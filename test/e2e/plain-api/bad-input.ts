import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { quoteRequest } from '../../../tools/testkit/provider-objects.ts';
import { jsonOf, type Stage } from '../../support/stage.ts';
import { plainPaybell } from './plain-paybell.ts';

const ZERO = `0x${'0'.repeat(40)}`;
const USDC_ON_BASE = '0x833589FCD6eDb6E08f4c7C32D4f71b54bdA02913';
const SEVEN_DIGITS = { fromChainId: 8453, fromToken: USDC_ON_BASE, amount: '1.0000001' };

const LEFT = `
  SELECT (SELECT count(*) FROM event) + (SELECT count(*) FROM delivery) + (SELECT count(*) FROM idempotency)
    + (SELECT count(*) FROM payment) + (SELECT count(*) FROM destination WHERE kind = 'webhook') AS count`;

/** One of each way in which a route refuses; unit/quotes-api and contract/http-shell have the cases. */
const REFUSED: readonly (readonly [
  what: string,
  status: number,
  field: string | null,
  path: string,
  body?: unknown,
])[] = [
  ['a missing field', 400, 'recipient', '/api/quote', { ...quoteRequest(), recipient: undefined }],
  ['a wrong type', 400, 'amount', '/api/quote', quoteRequest({ amount: 5 })],
  ['an unknown chain', 400, 'toChainId', '/api/quote', quoteRequest({ toChainId: 999_999 })],
  [
    'more digits than a native token has',
    400,
    'amount',
    '/api/quote',
    quoteRequest({ amount: `0.${'1'.repeat(19)}` }),
  ],
  [
    'more digits than a token has that a search returned',
    400,
    'amount',
    '/api/quote',
    quoteRequest(SEVEN_DIGITS),
  ],
  ['the zero address', 400, 'recipient', '/api/quote', quoteRequest({ recipient: ZERO })],
  ['malformed JSON', 400, null, '/api/quote', '{"fromChainId": 1,'],
  ['a NUL character', 400, 'orderId', '/api/quote', JSON.stringify(quoteRequest({ orderId: 'a\u0000b' }))],
  ['more than 100 KiB', 413, null, '/api/quote', quoteRequest({ metadata: { key: 'x'.repeat(110_000) } })],
  ['an id that is SQL', 400, 'quoteId', '/api/payments', { quoteId: '1;DROP TABLE payment' }],
  ['a search of another type', 400, 'chainIds', '/api/currencies', { chainIds: 1 }],
  [
    'a URL of the internal network',
    400,
    'url',
    '/api/webhook-endpoints',
    { url: 'http://169.254.169.254/latest' },
  ],
  ['an unknown parameter', 400, 'orderid', '/api/payments?orderid=A-17'],
  ['a cursor that is none', 400, 'cursor', '/api/payments?cursor=nonsense'],
  ['a path to a file', 400, null, `/api/status/${encodeURIComponent('../../etc/passwd')}`],
  ['an address without a route', 404, null, '/api/nothing'],
];

export function badInput(): void {
  describe('bad input', () => {
    let stage: Stage;
    let app: SharedService;

    beforeAll(async () => {
      ({ stage, app } = await plainPaybell());
      // The chains and the token are known before the counting begins.
      await jsonOf(await app.fetch('/api/chains'), 200);
      await jsonOf(await app.fetch('/api/currencies', { method: 'POST', body: { term: 'usdc' } }), 200);
    });

    it('is a problem that names the field and nothing of ours; it stores nothing and asks the provider for nothing', async () => {
      const callsBefore = stage.provider.calls.all.length;
      for (const [what, status, field, path, body] of REFUSED) {
        const answer = await app.fetch(path, body === undefined ? {} : { method: 'POST', body });
        const text = await answer.text();
        expect(text).not.toMatch(/\bat [\w.]+ \(|SELECT |INSERT |node_modules|provider-key-of-the-stage/);
        const problem = JSON.parse(text) as { detail: string; errors?: { field: string }[] };
        expect([what, answer.status]).toEqual([what, status]);
        if (field !== null)
          expect([what, problem.errors?.map((error) => error.field)]).toEqual([what, [field]]);
        expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
        expect(problem).toMatchObject({ success: false, status, error: problem.detail });
      }
      expect(stage.provider.calls.all.slice(callsBefore)).toEqual([]);
      expect(await stage.database.query(LEFT)).toEqual([{ count: '0' }]);
    });
  });
}
