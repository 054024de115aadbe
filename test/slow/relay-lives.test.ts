import { describe, expect, it } from '@jest/globals';

import { RelayStage } from '../support/relay-stage.ts';
import { jsonOf } from '../support/stage.ts';

type Json = Record<string, unknown>;

/** The shortest that can be set, and Relay is given some seconds to see a deposit of the last one. */
const TTL_S = 30;
const EXPIRED_WITHIN_MS = 50_000;
/** Who failed or expired is polled every 30 s at first: what comes sooner was found by reconciliation. */
const SWEPT_WITHIN_MS = 20_000;

describe('a quote that nobody pays in time', () => {
  it('expires by our clock, and a deposit after that is an event, delivered and published as late', async () => {
    const stage = await RelayStage.open();
    const { lives } = stage.relay;
    const app = await stage.start({ RELAY_QUOTE_TTL_SECONDS: String(TTL_S) });
    await stage.addShop(app);
    const [late, unpaid] = [await stage.quoted(app), await stage.quoted(app)];
    const lastReport = async (words: readonly string[], timeoutMs: number): Promise<Json> => {
      const event = (await stage.published(app, late.quoteId, words, timeoutMs)).at(-1);
      expect(await jsonOf(await app.fetch(`/api/status/${late.quoteId}`), 200)).toEqual(event?.data.payment);
      return event?.data.payment ?? {};
    };
    const expired = ['created', 'expired'];
    const report = await lastReport(expired, EXPIRED_WITHIN_MS);
    expect(report).toMatchObject({ status: 'EXPIRED', deposit: null, error: null });
    expect(Number(report['expiresAt']) - Number(report['createdAt'])).toBe(TTL_S);
    lives.deposit(late.address);
    await stage.published(app, late.quoteId, [...expired, 'deposit_received late'], SWEPT_WITHIN_MS);
    lives.settle(late.address);
    const story = [...expired, 'deposit_received late', 'completed late'];
    expect(await lastReport(story, SWEPT_WITHIN_MS)).toMatchObject({ status: 'COMPLETED' });
    await stage.published(app, unpaid.quoteId, expired);
  }, 150_000);
});
