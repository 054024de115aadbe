import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { NATIVE, RELAY_KEY, type RelayStage } from '../../support/relay-stage.ts';
import { jsonOf } from '../../support/stage.ts';
import { relayPaybell, SANCTIONED } from './relay-paybell.ts';

type Json = Record<string, unknown>;

const ANY_ADDRESS = /0x[0-9a-f]{40}/i;

export function refusals(): void {
  describe('a quote that Relay can not make', () => {
    let stage: RelayStage;
    let app: SharedService;

    let before: object[];

    const stored = (): Promise<object[]> =>
      stage.database.query('SELECT quote_id FROM payment UNION SELECT quote_id FROM relay_quote ORDER BY 1');

    beforeAll(async () => {
      ({ stage, app } = await relayPaybell());
      before = await stored();
    });

    afterEach(async () => {
      stage.relay.recover();
      expect(await stored()).toEqual(before);
    });

    /** The problem of a quote that is refused so; its detail and its fields' messages as one text. */
    async function refusedWith(
      status: number,
      change: Json,
    ): Promise<{ problem: Json; fields: unknown[]; words: string }> {
      const answer = await stage.askQuote(app, change);
      expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
      const problem = await jsonOf(answer, status);
      const errors = (problem['errors'] ?? []) as { field: string; message: string }[];
      const words = [problem['detail'], ...errors.map(({ message }) => message)].join(' ');
      return { problem, fields: errors.map(({ field }) => field), words };
    }

    it('since no deposit address takes the token is a 422 with the field and a reason in plain words', async () => {
      const { problem, fields, words } = await refusedWith(422, { fromChainId: 137, fromToken: NATIVE });
      expect(problem).toMatchObject({ success: false, code: 'provider_refused', status: 422 });
      expect([fields, words]).toEqual([
        ['fromToken'],
        expect.stringMatching(/can't be paid with on Polygon\. A deposit address there takes .*USDC/),
      ]);
    });

    it('since it pays the recipient nothing is a 422 that names the recipient', async () => {
      const { fields, words } = await refusedWith(422, { recipient: SANCTIONED });
      expect([fields, words]).toEqual([['recipient'], expect.stringMatching(/may not be paid.*sanctioned/)]);
    });

    it.each(['html502', 'hang'] as const)(
      'for a fault of its own, %s, is a 503 with Retry-After',
      async (kind) => {
        stage.relay.fault(kind, { path: '/quote/v2', times: 1 });
        const answer = await stage.askQuote(app);
        expect(await jsonOf(answer, 503)).toMatchObject({ code: 'provider_unavailable' });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      },
    );

    it('honestly, since it would pay a stranger or to a stranger, is neither shown nor logged, but for the failed check', async () => {
      for (const lie of ['recipient', 'depositAddress', 'calldata'] as const) {
        stage.relay.lie(lie, 1);
        const { problem } = await refusedWith(503, {});
        expect(problem['code']).toBe('provider_unavailable');
        expect(JSON.stringify(problem)).not.toMatch(ANY_ADDRESS);
      }
      const logged = app.lines.filter((line) => line.includes('the failed check'));
      expect(logged).toHaveLength(3);
      expect(logged.filter((line) => ANY_ADDRESS.test(line))).toEqual([]);
      expect(app.lines.filter((line) => line.includes(RELAY_KEY))).toEqual([]);
    });
  });
}
