import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { quoteRequest } from '../../../tools/testkit/provider-objects.ts';
import { jsonOf, type Stage } from '../../support/stage.ts';
import { OTHER_KEY, plainPaybell } from './plain-paybell.ts';

export function idempotency(): void {
  describe('an Idempotency-Key', () => {
    let stage: Stage;
    let app: SharedService;
    const key = crypto.randomUUID();

    beforeAll(async () => {
      ({ stage, app } = await plainPaybell());
    });

    function ask(body: unknown = quoteRequest(), headers: Record<string, string> = {}): Promise<Response> {
      return app.fetch('/api/quote', {
        method: 'POST',
        body,
        headers: { 'idempotency-key': key, ...headers },
      });
    }

    it('makes one quote of many requests at once, answers its bytes again later, and is of its API key alone', async () => {
      const made = stage.provider.calls.count('/api/quote');
      const stored = await stage.countPayments();
      stage.provider.slowDown(300);
      const texts = await Promise.all(Array.from({ length: 10 }, async () => (await ask()).text()));
      stage.provider.slowDown(0);
      expect(new Set(texts).size).toBe(1);
      const again = await ask(Object.fromEntries(Object.entries(quoteRequest()).reverse()));
      expect([again.headers.get('idempotency-replayed'), await again.text()]).toEqual(['true', texts[0]]);
      expect(await jsonOf(await ask(quoteRequest({ amount: '0.06' })), 409)).toMatchObject({
        code: 'idempotency_mismatch',
      });
      const theirs = await jsonOf(await ask(quoteRequest(), { 'x-api-key': OTHER_KEY }), 200);
      expect(texts[0]).not.toContain(String(theirs['quoteId']));
      expect(stage.provider.calls.count('/api/quote') - made).toBe(2);
      expect((await stage.countPayments()) - stored).toBe(2);
    });
  });
}
