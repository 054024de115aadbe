import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { AppProcess } from '../support/app-process.ts';
import type { PaybellService } from '../../tools/testkit/paybell-process.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { RawConnection } from '../support/raw-connection.ts';
import { SharedProcess } from '../support/shared-process.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { arrivalsAt, firstArrivals, storyOf, waitForStories } from '../support/published-events.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

/** Contract §7: the work in flight ends within this time. */
const STOPPED_WITHIN_MS = 10_000;
const SLACK_MS = 1_500;

const shared = new SharedProcess();

describe('SIGTERM', () => {
  let stage: Stage;
  let app: PaybellService;
  beforeAll(async () => {
    stage = await Stage.open();
    app = await stage.start({ WEBHOOK_TIMEOUT_MS: '60000', PROVIDER_TIMEOUT_MS: '60000' });
    await stage.addShop(app);
  });
  afterAll(async () => {
    expect(await app.stop()).toBe(0);
  });

  it('does not wait for a provider and a shop that never answer, and loses nothing of theirs', async () => {
    stage.shop.answer(() => 'hang');
    const quoteId = await stage.quote(app);
    await stage.shop.waitForCount(1);
    stage.provider.fail('hang');
    const polls = stage.provider.calls.polls(quoteId).length;
    await waitFor(() => stage.provider.calls.polls(quoteId).length > polls);
    const asking = app.fetch('/api/quote', { method: 'POST', body: quoteRequest() }).catch(() => null);
    await waitFor(() => stage.provider.calls.count('/api/quote') === 2);
    const startedAt = Date.now();
    expect(await app.stop()).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(STOPPED_WITHIN_MS + SLACK_MS);
    await asking;
    stage.shop.answer(() => ({ status: 204 }));
    stage.provider.recover();
    app = await stage.startIn(shared, { WEBHOOK_TIMEOUT_MS: '5000' });
    await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 1);
    expect(firstArrivals(arrivalsAt(stage.shop))).toEqual(storyOf([quoteId], ['payment.created']));
  });

  it('finishes the request, the poll and the webhook in flight, takes no more, and exits 0', async () => {
    const quoteId = await stage.quote(app);
    await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 1);
    const arrived = stage.shop.requests.length;
    const quoted = stage.provider.calls.count('/api/quote');
    stage.shop.answer(() => ({ status: 204, delayMs: 1_000 }));
    stage.say([quoteId], 'DEPOSIT_RECEIVED');
    await stage.shop.waitForCount(arrived + 1);
    stage.provider.slowDown(1_000);
    const polls = stage.provider.calls.polls(quoteId).length;
    const quoting = app.fetch('/api/quote', { method: 'POST', body: quoteRequest() });
    await waitFor(() => stage.provider.calls.count('/api/quote') > quoted);
    await waitFor(() => stage.provider.calls.polls(quoteId).length > polls);
    const startedAt = Date.now();
    const stopping = app.stop();
    const inFlight = await jsonOf(await quoting, 200);
    expect(await stopping).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(STOPPED_WITHIN_MS);
    const refused = await app.fetch('/api/chains').catch(() => 'refused');
    expect(refused).toBe('refused');
    expect(await stage.at([String(inFlight['quoteId'])], 'AWAITING_DEPOSIT')).toHaveLength(1);

    stage.provider.slowDown(0);
    stage.shop.answer(() => ({ status: 204 }));
    app = await stage.startIn(shared);
    stage.say([quoteId], 'COMPLETED');
    await waitForStories(() => arrivalsAt(stage.shop), [quoteId], 3);
    const published = arrivalsAt(stage.shop).filter(({ subject }) => subject === quoteId);
    expect(published.map(({ type }) => type)).toEqual([
      'payment.created',
      'payment.deposit_received',
      'payment.completed',
    ]);
  });
});

describe('SIGTERM while nothing is in flight', () => {
  /** Connections are cut after 8 s: a stop that waits for a connection takes longer, any other stop much less. */
  const FAR_BELOW_THE_CUT_MS = 3_000;
  const STOPS = 2;
  const FORM = 'content-type: application/x-www-form-urlencoded\r\n';

  it('ends at once, each time, beside silent connections, parts of requests and an aborted stream', async () => {
    const stage = await Stage.open();
    const took: number[] = [];
    for (let stop = 0; stop < STOPS; stop += 1) {
      const app = await stage.startIn(shared);
      const aborted = new AbortController();
      await app.fetch('/api/events/stream', { signal: aborted.signal });
      aborted.abort();
      const connections = await Promise.all(Array.from({ length: 4 }, () => RawConnection.open(app.url)));
      connections[2]?.send('GET /health/live HTTP/1.1\r\nhost:');
      connections[3]?.send(
        `POST /dashboard/session HTTP/1.1\r\nhost: a\r\n${FORM}content-length: 9\r\n\r\nkey=`,
      );
      await app.fetch('/health/live');
      const startedAt = performance.now();
      expect(await app.stop()).toBe(0);
      took.push(Math.round(performance.now() - startedAt));
    }
    expect(took.filter((ms) => ms < FAR_BELOW_THE_CUT_MS)).toHaveLength(STOPS);
  }, 240_000);
});

describe('with nothing configured', () => {
  it('keeps database and key in DATA_DIR, also over a kill -9, and prints the key once', async () => {
    const settings = { API_KEYS: '', SANDBOX_SPEED: '50', DATA_DIR: shared.dataDir };
    const first = await shared.startReady(settings);
    const keys = (app: PaybellService): string[] => app.lines.join('\n').match(/pb_[\w-]{20,}/g) ?? [];
    const [key = ''] = keys(first);
    expect(keys(first)).toHaveLength(1);
    expect(first.lines.filter((line) => /WARN|"level":"?(40|warn)/.test(line)).join('\n')).toMatch(
      /PROVIDER is the sandbox, at speed 50: no real money moves/,
    );
    const { checks } = (await (await first.fetch('/health/ready')).json()) as { checks: unknown };
    expect(checks).toMatchObject({ provider: { status: 'ok', detail: 'sandbox: no real money moves' } });
    const keyed = { headers: { 'x-api-key': key } };
    expect((await first.fetch('/api/chains')).status).toBe(401);
    const asked = { method: 'POST', body: quoteRequest(), ...keyed };
    const quoteId = String((await jsonOf(await first.fetch('/api/quote', asked), 200))['quoteId']);
    expect(await first.stop()).toBe(0);

    const second = await shared.startReady(settings);
    expect((await second.fetch(`/api/payments/${quoteId}`, keyed)).status).toBe(200);
    await second.kill9();

    const third = await AppProcess.startReady(settings);
    const isDone = async () =>
      (await jsonOf(await third.fetch(`/api/payments/${quoteId}`, keyed), 200))['status'] === 'COMPLETED';
    await waitFor(isDone, { what: 'the payment to be tracked to its end' });
    expect([...keys(second), ...keys(third)]).toEqual([]);
    expect(await third.stop()).toBe(0);
  });
});
