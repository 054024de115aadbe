import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { NATIVE, RELAY_KEY, type RelayStage } from '../../support/relay-stage.ts';
import { LIE_NAMES } from '../../../tools/relay-stand-in/lies.js';
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

    describe('what Relay could not do is refused with 422, the field and a reason in plain words', () => {
      it.each<[what: string, field: string, reason: RegExp, change: Json]>([
        [
          'a native token that no deposit address takes',
          'fromToken',
          /can't be paid with on Polygon\. A deposit address there takes .*USDC/,
          { fromChainId: 137, fromToken: NATIVE },
        ],
        [
          'an amount below the fees',
          'amount',
          /too small.*Relay says: Amount is too low/,
          { amount: '0.000001' },
        ],
        ['a sanctioned wallet', 'recipient', /may not be paid.*sanctioned/, { recipient: SANCTIONED }],
        ['an EVM recipient cut short', 'recipient', /0x and 40 hexadecimal digits/, { recipient: '0x1234' }],
      ])('%s: %s', async (_what, field, reason, change) => {
        const { problem, fields, words } = await refusedWith(422, change);
        expect(problem).toMatchObject({ success: false, code: 'provider_refused', status: 422 });
        expect(fields).toEqual([field]);
        expect(words).toMatch(reason);
      });

      it('no way at all: no field is at fault, and the key is not repeated', async () => {
        stage.relay.refuseQuotes('NO_QUOTES', { message: `words with ${RELAY_KEY} in them`, times: 1 });
        const { problem, fields, words } = await refusedWith(422, {});
        expect([problem['code'], fields]).toEqual(['provider_refused', []]);
        expect(words).toMatch(/no route/);
        expect(words).not.toContain(RELAY_KEY);
      });
    });

    describe('what Relay could not do for reasons of its own is 503 with Retry-After', () => {
      it.each(['json500', 'hang'] as const)('%s', async (kind) => {
        stage.relay.fault(kind, { path: '/quote/v2', times: 1 });
        const answer = await stage.askQuote(app);
        expect(await jsonOf(answer, 503)).toMatchObject({ code: 'provider_unavailable' });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      });
    });

    describe('a quote that would pay somebody else, something else or somewhere else is never shown', () => {
      it.each(LIE_NAMES)('%s', async (lie) => {
        const { length: before } = stage.quotesAsked;
        stage.relay.lie(lie, 1);
        const { problem } = await refusedWith(503, {});
        expect(problem['code']).toBe('provider_unavailable');
        expect(JSON.stringify(problem)).not.toMatch(ANY_ADDRESS);
        expect(stage.quotesAsked).toHaveLength(before + 1);
      });

      it('nor logged, but for the failed check', () => {
        const published = app.lines.filter((line) => line.includes('the failed check'));
        expect(published).toHaveLength(LIE_NAMES.length);
        expect(published.filter((line) => ANY_ADDRESS.test(line))).toEqual([]);
        expect(app.lines.filter((line) => line.includes(RELAY_KEY))).toEqual([]);
      });
    });
  });
}
