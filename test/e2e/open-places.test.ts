import { describe, expect, it } from '@jest/globals';
import { request } from 'undici';

import type { AppProcess } from '../support/app-process.ts';
import { RawConnection, requestText } from '../support/raw-connection.ts';
import { Stage } from '../support/stage.ts';
import { waitFor } from '../support/wait-for.ts';

const DOCS = [
  '/docs',
  '/docs/',
  '/docs/index.html',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-init.js',
  '/docs/favicon-32x32.png',
  '/openapi.json',
  '/asyncapi.json',
  '/schemas',
  '/schemas/payment.completed.json',
];
const FORMS = ['/DOCS', '/OpenApi.json', '/openapi.json/', '/Schemas/', '/docs?x=1', '/docs/?key=1'];
const ALWAYS = ['/health/live', '/health/ready'];

async function statuses(app: AppProcess, paths: readonly string[], key = ''): Promise<number[]> {
  const headers = { 'x-api-key': key };
  const answers = await Promise.all(paths.map((path) => fetch(`${app.url}${path}`, { headers })));
  return answers.map(({ status }) => status);
}

function all(paths: readonly string[], status: number): number[] {
  return paths.map(() => status);
}

describe('METRICS and DOCS', () => {
  it('are open by default', async () => {
    const stage = await Stage.open();
    const app = await stage.start();
    expect(await statuses(app, [...DOCS, ...FORMS, '/metrics'])).toEqual(
      all([...DOCS, ...FORMS, '/metrics'], 200),
    );
  });

  it('ask for an API key where they are `key`', async () => {
    const stage = await Stage.open();
    const app = await stage.start({ METRICS: 'key', DOCS: 'key' });
    const paths = [...DOCS, ...FORMS, '/metrics', '/METRICS', '/metrics/', '/metrics?x=1'];
    expect(await statuses(app, paths)).toEqual(all(paths, 401));
    expect(await statuses(app, paths, 'wrong')).toEqual(all(paths, 401));
    expect(await statuses(app, paths, app.apiKey)).toEqual(all(paths, 200));
    expect(await statuses(app, ALWAYS)).toEqual([200, 200]);
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

  it('are not there where they are `off`, with a key or without', async () => {
    const stage = await Stage.open();
    const app = await stage.start({ METRICS: 'off', DOCS: 'off' });
    const paths = [...DOCS, ...FORMS, '/metrics', '/metrics/'];
    expect(await statuses(app, paths)).toEqual(all(paths, 404));
    expect(await statuses(app, paths, app.apiKey)).toEqual(all(paths, 404));
    expect(await statuses(app, ALWAYS)).toEqual([200, 200]);
    expect((await app.fetch('/api/chains')).status).toBe(200);
  });
});

describe('the files of /docs', () => {
  it('are those that the page needs, and no others', async () => {
    const stage = await Stage.open();
    const app = await stage.start();
    const paths = [
      '/docs/package.json',
      '/docs/README.md',
      '/docs/swagger-ui-bundle.js.map',
      '/docs/absolute-path.js',
      '/docs/constructor',
      '/docs/__proto__',
      '/docs/%2e%2e%2fpackage.json',
      '/docs/..%2f..%2fpackage.json',
      '/docs/swagger-ui.css%00',
      '/docs/swagger-ui.css/',
      '/docs/docs/swagger-ui.css',
    ];
    const expected = paths.map((path) => (path === '/docs/swagger-ui.css/' ? 200 : 404));
    expect(await statuses(app, paths)).toEqual(expected);
    for (const path of ['/docs/../package.json', '/docs/./../../package.json', '/docs//package.json']) {
      const connection = (await RawConnection.open(app.url)).read();
      connection.send(requestText(path));
      await waitFor(() => connection.statuses.length === 1);
      expect(connection.statuses).toEqual([404]);
    }
  });

  it('are kept by browsers until they change', async () => {
    const stage = await Stage.open();
    const app = await stage.start();
    for (const path of ['/docs/swagger-ui-bundle.js', '/openapi.json']) {
      const etag = (await fetch(`${app.url}${path}`)).headers.get('etag') ?? '';
      // Not fetch: it sends no-cache with it.
      const headers = { 'if-none-match': etag };
      const again = await request(`${app.url}${path}`, { headers });
      expect(again.statusCode).toBe(304);
    }
  });
});
