import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../support/shared-process.ts';
import { Browser } from '../support/browser.ts';
import { all, ALWAYS_OPEN, DOCS, FORMS, statuses } from '../support/open-paths.ts';
import { PrometheusText } from '../support/prometheus-text.ts';
import { Stage } from '../support/stage.ts';
import { TcpProxy } from '../../tools/testkit/tcp-proxy.ts';
import { waitFor } from '../../tools/testkit/wait-for.ts';

const POSTGRES_PORT = 5432;
/** The figures may be five seconds old, and each check costs the service time. */
const PATIENCE = { everyMs: 200 };
async function scrape(url: string, key = ''): Promise<PrometheusText> {
  const answer = await fetch(`${url}/metrics`, { headers: { 'x-api-key': key } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`/metrics answered ${answer.status}: ${text}`);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; .*version=0\.0\.4/);
  return new PrometheusText(text);
}

function sum(scraped: PrometheusText, name: string): number {
  return scraped.samplesOf(name).reduce((total, { value }) => total + value, 0);
}

describe('the metrics of a running service', () => {
  let stage: Stage;
  let app: SharedService;
  let proxy: TcpProxy;

  beforeAll(async () => {
    stage = await Stage.open();
    proxy = await TcpProxy.inFrontOf(stage.database.url, POSTGRES_PORT);
    app = await stage.startWarm({ DATABASE_URL: proxy.through(stage.database.url) });
  });
  afterAll(() => proxy.close());

  it('show open payments, polls, requests and the gaps before changes, and no secret', async () => {
    const quoteIds = await stage.quotes(app, 4);
    await waitFor(async () => {
      const scraped = await scrape(app.url);
      const unchanged = scraped.value('paybell_polls_total', { provider: 'http', outcome: 'unchanged' }) ?? 0;
      return unchanged > 0 && sum(scraped, 'paybell_open_payments') === 4;
    }, PATIENCE);
    await waitFor(() => quoteIds.every((quoteId) => stage.provider.calls.polls(quoteId).length > 1));
    const inFlight = quoteIds.slice(0, 3);
    stage.say(inFlight, 'EXECUTING');
    await waitFor(async () => (await stage.at(inFlight, 'EXECUTING')).length === 3);
    const labels = { provider: 'http', status: 'EXECUTING', class: 'in_flight' };
    const moved = await waitFor(async () => {
      const scraped = await scrape(app.url);
      return scraped.value('paybell_open_payments', labels) === 3 && scraped;
    }, PATIENCE);
    expect(
      moved.value('paybell_detection_gap_seconds_count', { provider: 'http', status: 'EXECUTING' }),
    ).toBe(3);
    expect(
      moved.value('paybell_polls_total', { provider: 'http', outcome: 'changed' }),
    ).toBeGreaterThanOrEqual(3);
    const requests = moved.value('paybell_provider_requests_total', { provider: 'http' }) ?? 0;
    expect(requests).toBe(
      moved.value('paybell_provider_request_duration_seconds_count', { provider: 'http' }),
    );
    expect(requests).toBeGreaterThan(0);
    expect(requests).toBeLessThanOrEqual(stage.provider.calls.count('/api/status'));
    expect(moved.value('paybell_provider_circuit', { provider: 'http', state: 'closed' })).toBe(1);
    expect(moved.samplesOf('paybell_budget_limit_per_minute')).toEqual([]);
    const values = moved.samples().flatMap((sample) => Object.values(sample.labels));
    const database = proxy.through(stage.database.url);
    for (const value of [...quoteIds, app.apiKey, stage.provider.url, stage.database.url, database])
      expect(values.some((label) => label.includes(value))).toBe(false);
  });

  it('outlive the database, and have its figures again when it is back', async () => {
    const isUp = async (): Promise<boolean> => (await scrape(app.url)).value('paybell_database_up') === 1;
    expect(await isUp()).toBe(true);
    proxy.cut();
    await waitFor(async () => !(await isUp()), PATIENCE);
    const away = await scrape(app.url);
    expect(away.samplesOf('paybell_open_payments')).toEqual([]);
    expect(away.samplesOf('paybell_polls_total').length).toBe(7);
    proxy.heal();
    await waitFor(isUp, PATIENCE);
  });
});

describe('the metrics of a role', () => {
  let stage: Stage;
  let apps: Record<'api' | 'tracker', SharedService>;

  beforeAll(async () => {
    stage = await Stage.open();
    const [api, tracker] = await Promise.all([
      stage.startWarm({ ROLES: 'api', METRICS: 'key', DOCS: 'key' }),
      stage.startWarm({ ROLES: 'tracker', PROVIDER_MAX_RPM: '6000' }),
    ]);
    apps = { api, tracker };
  });
  afterAll(async () => {
    expect(await Promise.all(Object.values(apps).map((app) => app.stop()))).toEqual([0, 0]);
  });

  it('come alone, without pages and sessions, where the role is not api', async () => {
    const app = apps.tracker;
    const paths = ['/', '/dashboard', '/dashboard/sign-in', '/api/sessions', '/api/whoami', '/api/keys'];
    const answers = await Promise.all([
      ...paths.map((path) => app.fetch(path)),
      new Browser(app.url).signIn(app.apiKey),
      new Browser(app.url).post('/dashboard/sign-out', {}),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    const page = await new Browser(app.url).get('/dashboard');
    expect([page.headers['content-type'], page.json.code]).toEqual([
      'application/problem+json; charset=utf-8',
      'not_found',
    ]);
  });

  it('ask for an API key where METRICS is `key`, as the description does where DOCS is', async () => {
    const app = apps.api;
    const paths = [...DOCS, ...FORMS, '/metrics', '/METRICS', '/metrics/', '/metrics?x=1'];
    expect(await statuses(app, paths)).toEqual(all(paths, 401));
    // The sixth and each later wrong key is throttled; concurrent requests arrive in any order.
    const wrong = (await statuses(app, paths, 'wrong')).toSorted((one, other) => one - other);
    expect(wrong).toEqual(paths.map((_path, index) => (index < 5 ? 401 : 429)));
    expect(await statuses(app, paths, app.apiKey)).toEqual(all(paths, 200));
    expect(await statuses(app, ALWAYS_OPEN)).toEqual([200, 200]);
    const headers = { authorization: `Bearer ${app.apiKey}` };
    expect((await fetch(`${app.url}/metrics`, { headers })).status).toBe(200);
    const problem = await fetch(`${app.url}/metrics`);
    expect(problem.headers.get('content-type')).toContain('application/problem+json');
    expect(await problem.json()).toMatchObject({ code: 'unauthorized' });
    const document = (await (await app.fetch('/openapi.json')).json()) as {
      paths: Record<string, { get: object }>;
    };
    expect(document.paths['/metrics']?.get).not.toHaveProperty('security');
    expect(document.paths['/health/live']?.get).toHaveProperty('security', []);
  });
});
