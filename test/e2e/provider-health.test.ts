import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import type { ScriptedAnswer } from '../../tools/testkit/http-receiver.ts';
import { quoteRequest } from '../../tools/testkit/provider-objects.ts';
import { jsonOf, Stage } from '../support/stage.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const HTML_404: ScriptedAnswer = {
  status: 404,
  headers: { 'content-type': 'text/html' },
  body: '<html></html>',
};
const NO_KEY = /^it does not accept our key/;
const WITHIN_MS = 15_000;

let stage: Stage;
let app: SharedService;
let seen = 0;
beforeAll(async () => {
  stage = await Stage.open();
});

/** The lines about a list of chains that could not be read, without those that a test has seen. */
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
    what: `health ${health}`,
  });
}

const quote = (app: SharedService): Promise<Response> =>
  app.fetch('/api/quote', { method: 'POST', body: quoteRequest() });

describe('without any traffic', () => {
  // Only what has never worked is read again every few seconds: the provider is mended after the last of these.
  beforeAll(async () => {
    stage.provider.fail({ status: 401 });
    app = await stage.startWarm();
  });

  it.each<[string, RegExp, () => Promise<void> | void]>([
    ['a key that is refused', NO_KEY, () => undefined],
    ['a wrong address', /^there is no payment API at its address/, () => stage.provider.fail(HTML_404)],
    [
      'a provider that is not there',
      /^its list of chains can't be read: connection refused$/,
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

  it('what is mended is ok again', async () => {
    await stage.provider.up();
    stage.provider.recover();
    await becomes(app, /^ok$/);
    expect(logged()).toEqual([]);
  }, 60_000);
});

describe('a service that has worked', () => {
  afterAll(async () => {
    expect(await app.stop()).toBe(0);
  });

  it('reports a key that is refused for quotes alone, and forgets it with the next quote', async () => {
    await becomes(app, /^ok$/);
    stage.provider.failPath('/api/quote', { status: 403 });
    expect((await quote(app)).status).toBe(502);
    await becomes(app, NO_KEY);
    stage.provider.recover();
    expect((await quote(app)).status).toBe(200);
    expect(await healthOf(app)).toBe('ok');
  }, 60_000);

  it('is degraded by one quote that finds nobody, and by no single one that fails among good answers', async () => {
    await becomes(app, /^ok$/);
    stage.provider.failPath('/api/quote', { status: 500 });
    expect((await quote(app)).status).toBe(503);
    const healths = new Set<string>();
    const reads = stage.provider.calls.count('/api/chains');
    await waitFor(async () => {
      healths.add(await healthOf(app));
      return stage.provider.calls.count('/api/chains') > reads;
    });
    expect([...healths]).toEqual(['ok']);
    stage.provider.recover();
    await stage.provider.down();
    expect((await quote(app)).status).toBe(503);
    await becomes(app, /connection refused/);
    await stage.provider.up();
    await becomes(app, /^ok$/);
  }, 60_000);
});
