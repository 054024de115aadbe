import { describe, expect, it } from '@jest/globals';

import type { AppProcess } from '../support/app-process.ts';
import { RelayStage, USUAL_BUDGETS } from '../support/relay-stage.ts';
import { jsonOf } from '../support/stage.ts';
import { DEFAULT_LIMITS } from '../../tools/relay-stand-in/options.js';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const MINUTE_S = 60;
/** More quotes than Relay allows in a minute, and no more at once than the databases of busy machines take. */
const WAVES = 6;
const WAVE = 10;

async function startTwo(stage: RelayStage, more: Record<string, string>): Promise<[AppProcess, AppProcess]> {
  return Promise.all([stage.start(more), stage.start(more)]);
}

describe("Relay's limit of quotes", () => {
  it('is kept by two replicas together: who comes too late gets the time to come again, and Relay never says 429', async () => {
    const stage = await RelayStage.open({ limits: { ...DEFAULT_LIMITS } });
    const apps = await startTwo(stage, USUAL_BUDGETS);
    const answers: Response[] = [];
    for (let wave = 0; wave < WAVES; wave += 1) {
      const asked = Array.from({ length: WAVE }, (_, n) => stage.askQuote(apps[n % 2] ?? apps[0]));
      answers.push(...(await Promise.all(asked)));
    }
    const made = answers.filter(({ status }) => status === 200);
    const late = answers.filter(({ status }) => status !== 200);
    expect(stage.quotesAsked).toHaveLength(50);
    for (const answer of late) {
      expect(await jsonOf(answer, 503)).toMatchObject({ code: 'provider_unavailable' });
      const retryAfter = Number(answer.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThan(0);
      // As Relay counts its minute, with the way there.
      expect(retryAfter).toBeLessThanOrEqual(MINUTE_S + 5);
    }
    expect(made.length).toBeGreaterThan(0);
    expect(await stage.countPayments()).toBe(made.length);
    expect(stage.relay.tooMany).toEqual({ quote: 0, requests: 0, other: 0 });
    await Promise.all(apps.map((app) => app.stop()));
  }, 60_000);

  it('that somebody else has used up is a pause for both: Relay is not asked again before it', async () => {
    const stage = await RelayStage.open();
    const [one, other] = await startTwo(stage, USUAL_BUDGETS);
    stage.relay.fault('html429', { path: '/quote/v2', times: 1 });
    for (const app of [one, other, one]) {
      const answer = await stage.askQuote(app);
      expect(await jsonOf(answer, 503)).toMatchObject({ code: 'provider_unavailable' });
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(stage.quotesAsked).toHaveLength(1);
    await Promise.all([one.stop(), other.stop()]);
  }, 60_000);
});

describe("Relay's limit of reads", () => {
  it('once it is reached slows the polling down, loses nothing, and everything is published afterwards', async () => {
    const stage = await RelayStage.open();
    const app = await stage.start();
    await stage.addShop(app);
    const payments = await Promise.all(Array.from({ length: 10 }, () => stage.quoted(app)));
    await waitFor(() => stage.reads.length > 10);
    stage.relay.fault('html429', { path: '/requests/v3' });
    const refusedFrom = stage.reads.length;
    await waitFor(async () => {
      const { checks } = await jsonOf(await app.fetch('/health/ready'), 200);
      return JSON.stringify(checks).includes('it has asked for fewer requests');
    });
    for (const { address } of payments) stage.relay.lives.fill(address);
    await waitFor(() => stage.reads.length > refusedFrom + 1, { timeoutMs: 20_000 });
    for (const { quoteId } of payments) expect(await stage.eventsOf(app, quoteId)).toHaveLength(1);
    stage.relay.recover();
    for (const { quoteId } of payments) await stage.published(app, quoteId, ['created', 'completed']);
    expect(await app.stop()).toBe(0);
  }, 60_000);

  it('takes the status of a fresh quote, and the word that an id is unknown, from nobody: Paybell knows both', async () => {
    const stage = await RelayStage.open({ limits: { ...DEFAULT_LIMITS } });
    const app = await stage.start(USUAL_BUDGETS);
    // Whatever is asked of Relay about payments fails.
    stage.relay.fault('html502', { path: '/requests/v3', times: 1_000 });
    const quoteIds: string[] = [];
    for (let wave = 0; wave < 3; wave += 1) quoteIds.push(...(await stage.quotes(app, 10)));
    const published = await Promise.all(
      quoteIds.map(async (quoteId) => jsonOf(await app.fetch(`/api/status/${quoteId}`), 200)),
    );
    expect(published.map(({ quoteId }) => quoteId)).toEqual(quoteIds);
    for (const status of published)
      expect(status).toMatchObject({ success: true, status: 'AWAITING_DEPOSIT', error: null });
    for (const quoteId of quoteIds) {
      const [created, ...more] = await stage.eventsOf(app, quoteId);
      expect(created).toMatchObject({ type: 'payment.created', data: { status: 'AWAITING_DEPOSIT' } });
      expect(more).toEqual([]);
    }
    const strangers = Array.from({ length: 40 }, () => crypto.randomUUID());
    for (const stranger of strangers) {
      const answer = await app.fetch(`/api/status/${stranger}`);
      expect(await jsonOf(answer, 404)).toMatchObject({ code: 'unknown_payment' });
      const tracked = await app.fetch('/api/payments', { method: 'POST', body: { quoteId: stranger } });
      expect(await jsonOf(tracked, 404)).toMatchObject({ code: 'unknown_payment' });
    }
    expect(await app.stop()).toBe(0);
  }, 60_000);

  it('is kept by itself: two replicas with the usual settings never get a 429', async () => {
    const stage = await RelayStage.open({ limits: { ...DEFAULT_LIMITS } });
    const apps = await startTwo(stage, USUAL_BUDGETS);
    await stage.addShop(apps[0]);
    const payments = await Promise.all(
      Array.from({ length: 30 }, (_, n) => stage.quoted(apps[n % 2] ?? apps[0])),
    );
    const { length: before } = stage.relay.requests;
    await waitFor(() => stage.relay.requests.length > before + 10, { timeoutMs: 20_000 });
    for (const { address } of payments) stage.relay.lives.fill(address);
    for (const { quoteId } of payments)
      await stage.published(apps[1], quoteId, ['created', 'completed'], 30_000);
    expect(stage.relay.tooMany).toEqual({ quote: 0, requests: 0, other: 0 });
    await Promise.all(apps.map((app) => app.stop()));
  }, 60_000);
});
