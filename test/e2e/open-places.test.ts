import { describe, expect, it } from '@jest/globals';

import { all, DOCS, FORMS, statuses } from '../support/open-paths.ts';
import { Stage } from '../support/stage.ts';

const ALWAYS = ['/health/live', '/health/ready'];

describe('METRICS and DOCS', () => {
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
