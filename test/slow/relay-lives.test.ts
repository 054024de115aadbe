import { describe, expect, it } from '@jest/globals';

import { RelayStage } from '../support/relay-stage.ts';
import { jsonOf } from '../support/stage.ts';
import {
  arrivalsAt,
  firstArrivals,
  PLAIN_STORY,
  storyOf,
  waitForStories,
} from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

type Json = Record<string, unknown>;

/** The shortest that can be set, and Relay is given some seconds to see a deposit of the last one. */
const TTL_S = 30;
const EXPIRED_WITHIN_MS = 50_000;
/** Who failed or expired is polled every 30 s at first: what comes sooner was found by reconciliation. */
const SWEPT_WITHIN_MS = 20_000;
/** Contract §7: what a dead replica was at is taken over within 30 s. */
const TAKEN_OVER_MS = 30_000;
const PAYMENTS = 20;

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

describe('kill -9', () => {
  it('in the middle of every life loses nothing, and gives no number twice', async () => {
    const stage = await RelayStage.open();
    let app = await stage.start();
    await stage.addShop(app);
    const payments = await Promise.all(Array.from({ length: PAYMENTS }, () => stage.quoted(app)));
    const quoteIds = payments.map(({ quoteId }) => quoteId);
    const { lives } = stage.relay;
    const published = (count: number): Promise<void> =>
      waitForStories(() => arrivalsAt(stage.shop), quoteIds, count, TAKEN_OVER_MS);
    await published(1);
    for (const [index, move] of (['deposit', 'sweep', 'settle'] as const).entries()) {
      const { length: before } = stage.reads;
      const { length: arrived } = stage.shop.requests;
      for (const { address } of payments) lives[move](address);
      // Some are recorded by then, or even published, and others are not.
      await stage.shop.waitForCount(arrived + 1 + Math.floor(Math.random() * PAYMENTS), 20_000);
      await waitFor(() => stage.reads.length > before);
      await app.kill9();
      app = await stage.start();
      await published(index + 2);
    }
    expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf(quoteIds, PLAIN_STORY));
    expect(await app.stop()).toBe(0);
  }, 90_000);
});
