import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import type { ScriptedAnswer } from '../../tools/testkit/http-receiver.ts';
import { CHAINS } from '../../tools/testkit/provider-objects.ts';
import { arrivalsAt, waitForStories } from '../support/published-events.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const HTML_404: ScriptedAnswer = {
  status: 404,
  headers: { 'content-type': 'text/html' },
  body: '<html></html>',
};
const NO_KEY = /^it does not accept our key/;
const WITHIN_MS = 15_000;
/** Far above the interval, for a machine that is busy with other tests. */
const ORDINARY_MS = 5_000;

let stage: Stage;
let app: SharedService;
let seen = 0;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(async () => {
  expect(await app.stop()).toBe(0);
});

/** The log lines about unreadable lists of chains that no test has read yet. */
function logged(): string[] {
  return app.lines.filter((line) => line.includes(`GET ${stage.provider.url}/api/chains`)).slice(seen);
}

async function healthOf(app: SharedService): Promise<string> {
  const { checks } = await jsonOf(await app.fetch('/health/ready'), 200);
  const { status, detail = '' } = (checks as { provider: { status: string; detail?: string } }).provider;
  return status === 'ok' ? 'ok' : detail;
}

async function becomes(app: SharedService, health: RegExp): Promise<void> {
  await waitFor(async () => health.test(await healthOf(app)), {
    timeoutMs: WITHIN_MS,
    everyMs: 200,
    what: `health ${health}`,
  });
}

describe('without any traffic', () => {
  // Only a list that was never read is read again every few seconds: the provider is repaired after the last of these tests.
  beforeAll(async () => {
    stage.provider.fail({ status: 401 });
    app = await stage.startWarm({ PROVIDER_TIMEOUT_MS: '700' });
  });

  it.each<[string, RegExp, () => Promise<void> | void]>([
    ['a key that is refused', NO_KEY, () => undefined],
    ['a wrong address', /^there is no payment API at its address/, () => stage.provider.fail(HTML_404)],
    [
      'a provider that is not there',
      /^its list of chains cannot be read: connection refused$/,
      () => stage.provider.down(),
    ],
  ])(
    '%s is degraded within seconds, and logged once',
    async (_what, health, breakIt) => {
      await breakIt();
      await becomes(app, health);
      expect(logged()).toHaveLength(1);
      seen += 1;
    },
    60_000,
  );

  it('what is mended is ok again, and has the chains that nobody had before', async () => {
    expect(await jsonOf(await app.fetch('/api/chains'), 503)).toMatchObject({ code: 'provider_unavailable' });
    await stage.provider.up();
    stage.provider.recover();
    await becomes(app, /^ok$/);
    expect(logged()).toEqual([]);
    expect(await jsonOf(await app.fetch('/api/chains'), 200)).toEqual({ success: true, chains: CHAINS });
  });
});

describe('a provider in trouble', () => {
  beforeAll(() => stage.addShop(app));
  afterEach(async () => {
    stage.provider.recover();
    await stage.provider.up();
  });

  it('answers 429 or 503 about two payments: they alone wait, and the others complete in their time', async () => {
    const quoteIds = await stage.quotes(app, 8);
    const [refused, good] = [quoteIds.slice(0, 2), quoteIds.slice(2)];
    const headers = { 'retry-after': '86400' };
    refused.forEach((id, at) => stage.provider.fail({ status: at === 0 ? 429 : 503, headers }, id));
    const polls = (): number[] => refused.map((id) => stage.provider.calls.polls(id).length);
    const before = polls();
    await waitFor(() => polls().every((count, index) => count > (before[index] ?? 0)));
    stage.say(good, 'COMPLETED');
    const saidAt = performance.now();
    await waitForStories(() => arrivalsAt(stage.shop), good, 2);
    expect(performance.now() - saidAt).toBeLessThan(ORDINARY_MS);
    expect(await healthOf(app)).toBe('ok');
    await stage.quote(app);
    expect(Math.max(...polls().map((count, index) => count - (before[index] ?? 0)))).toBe(1);
  });
});
