import { beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';

import type { SharedService } from '../../support/shared-process.ts';
import { all, ALWAYS_OPEN, DOCS, FORMS, statuses } from '../../support/open-paths.ts';
import { RawConnection, requestText } from '../../support/raw-connection.ts';
import { waitFor } from '../../../tools/testkit/wait-for.ts';
import { closedPaybell, plainPaybell } from './plain-paybell.ts';

export function openPlaces(): void {
  let app: SharedService;

  beforeAll(async () => {
    ({ app } = await plainPaybell());
  });

  describe('METRICS and DOCS', () => {
    it('are open by default', async () => {
      expect(await statuses(app, [...DOCS, ...FORMS, '/metrics'])).toEqual(
        all([...DOCS, ...FORMS, '/metrics'], 200),
      );
    });

    it('is where the deposits of the sandbox are not, with another provider', async () => {
      expect((await app.fetch('/sandbox/payments/x/deposit', { method: 'POST' })).status).toBe(404);
    });

    it('are not there where they are `off`, with a key or without', async () => {
      const { app: closed } = await closedPaybell();
      const paths = [...DOCS, ...FORMS, '/metrics', '/metrics/'];
      expect(await statuses(closed, paths)).toEqual(all(paths, 404));
      expect(await statuses(closed, paths, closed.apiKey)).toEqual(all(paths, 404));
      expect(await statuses(closed, ALWAYS_OPEN)).toEqual([200, 200]);
      expect((await closed.fetch('/api/chains')).status).toBe(200);
    });
  });

  describe('the files of /docs', () => {
    it('are those that the page needs, and no others', async () => {
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
      for (const path of ['/docs/swagger-ui-bundle.js', '/openapi.json']) {
        const etag = (await fetch(`${app.url}${path}`)).headers.get('etag') ?? '';
        // Node's own request: fetch would add no-cache to it.
        const headers = { 'if-none-match': etag };
        const again = await request(`${app.url}${path}`, { headers });
        expect(again.statusCode).toBe(304);
      }
    });
  });
}
