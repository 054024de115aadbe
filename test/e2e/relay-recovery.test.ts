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

/** Nobody polls within a test: what is known by then was found by reconciliation. */
const RARELY = { POLL_INTERVAL_MS: '600000' };
const SWEPT_WITHIN_MS = 20_000;
/** Contract §7: what a dead replica was at is taken over within 30 s. */
const TAKEN_OVER_MS = 30_000;
const PAYMENTS = 20;

describe('without notices and long before the next poll', () => {
  it('reconciliation finds what has changed, polls nothing else, and one of two replicas does it', async () => {
    const stage = await RelayStage.open();
    const apps = await Promise.all([stage.start(RARELY), stage.start(RARELY)]);
    await stage.addShop(apps[0]);
    const payments = await Promise.all(Array.from({ length: 6 }, () => stage.quoted(apps[0])));
    for (const { quoteId } of payments) await jsonOf(await apps[0].fetch(`/api/status/${quoteId}`), 200);
    const [changed, ...others] = payments;
    if (changed === undefined) throw new Error('no payment');
    const before = others.map((payment) => stage.readsOf(payment).length);
    const words = ['created', 'deposit_received', 'completed'];
    stage.relay.lives.deposit(changed.address);
    await stage.published(apps[1], changed.quoteId, words.slice(0, 2), SWEPT_WITHIN_MS);
    stage.relay.lives.settle(changed.address);
    await stage.published(apps[1], changed.quoteId, words, SWEPT_WITHIN_MS);
    expect(others.map((payment) => stage.readsOf(payment).length)).toEqual(before);
    const sweptAt = stage.relay.requests.flatMap(({ query, at }) => (query['apiKey'] ? at.getTime() : []));
    const gaps = sweptAt.slice(1).map((time, index) => time - (sweptAt[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(3_000);
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0]);
  }, 60_000);
});

describe('kill -9', () => {
  it('right after a quote was answered costs nothing: its deposit is seen and published', async () => {
    const stage = await RelayStage.open();
    const app = await stage.start();
    await stage.addShop(app);
    const { quoteId, address } = await stage.quoted(app);
    await app.kill9();
    stage.relay.lives.deposit(address);
    const again = await stage.start();
    const published = ['created', 'deposit_received'];
    await stage.published(again, quoteId, published, TAKEN_OVER_MS);
    stage.relay.lives.settle(address);
    await stage.published(again, quoteId, [...published, 'completed'], TAKEN_OVER_MS);
    expect(await again.stop()).toBe(0);
  }, 90_000);

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
