import { beforeAll, describe, expect, it } from '@jest/globals';

import type { SharedService } from '../../support/shared-process.ts';
import { Browser } from '../../support/browser.ts';
import { jsonOf, type Stage } from '../../support/stage.ts';
import { closedPaybell, plainPaybell } from './plain-paybell.ts';

export function signIn(): void {
  describe('the dashboard', () => {
    let stage: Stage;
    let app: SharedService;
    /** A key of the database. */
    let storedKey: string;
    const browsers: Browser[] = [];
    /** Every answer to these requests. */
    const texts: string[] = [];

    beforeAll(async () => {
      ({ stage, app } = await plainPaybell());
      storedKey = await addKey('ops');
    });

    async function addKey(name: string): Promise<string> {
      const body = { name, role: 'operator' };
      const answer = await app.fetch('/api/keys', { method: 'POST', body });
      return String((await jsonOf(answer, 201))['key']);
    }

    async function signedIn(key = app.apiKey): Promise<Browser> {
      const browser = new Browser(app.url);
      browsers.push(browser);
      const { status, headers } = await browser.signIn(key);
      expect([status, headers['location']]).toEqual([303, '/dashboard']);
      return browser;
    }

    /** Every row of every table. */
    async function tableTexts(): Promise<string[]> {
      const tables = await stage.database.query<{ name: string }>(
        `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
      );
      const rows = await Promise.all(
        tables.map(({ name }) => stage.database.query<object>(`SELECT t::text AS row FROM "${name}" t`)),
      );
      expect(rows.length).toBeGreaterThan(10);
      return rows.flat().map((row) => JSON.stringify(row));
    }

    async function whoami(browser: Browser): Promise<unknown> {
      const { status, json, text } = await browser.get('/api/whoami');
      texts.push(text);
      return status === 200 ? [json.name, json.role, json.via] : status;
    }

    it('is said at the start, with its address', () => {
      expect(app.lines.some((line) => line.includes(`the dashboard is at ${app.url}/dashboard`))).toBe(true);
    });

    it('has a page that needs no key, and / leads to it', async () => {
      const browser = new Browser(app.url);
      expect((await browser.get('/')).headers['location']).toBe('/dashboard');
      const { status, headers } = await browser.get('/dashboard/sign-in');
      // 503: the pages are not built.
      expect([200, 503]).toContain(status);
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    });

    it('signs in with a key of API_KEYS and of the database, for as long as the role allows', async () => {
      const [admin, operator] = [await signedIn(), await signedIn(storedKey)];
      expect(await whoami(admin)).toEqual(['test', 'admin', 'session']);
      expect(await whoami(operator)).toEqual(['ops', 'operator', 'session']);
      expect((await admin.get('/api/payments')).status).toBe(200);
      expect((await operator.get('/api/sessions')).status).toBe(403);
      const list = await admin.get('/api/sessions');
      texts.push(list.text);
      expect(list.json.data.map(({ keyName }: { keyName: string }) => keyName)).toEqual(
        expect.arrayContaining(['test', 'ops']),
      );
    });

    it('keeps tokens and keys out of its log, its answers and its tables', async () => {
      await new Browser(app.url).signIn('pb_a-wrong-key-that-nobody-may-read-0123456789');
      const published = [...app.lines, ...texts, ...(await tableTexts())].join('\n');
      const tokens = browsers.map((browser) => browser.cookie()).filter((token) => token !== '');
      expect(tokens).toHaveLength(2);
      for (const token of [...tokens, storedKey, 'pb_a-wrong-key', app.apiKey])
        expect(published).not.toContain(token);
    });

    it('is not there with DASHBOARD=false: no pages, nobody signs in, and a cookie is nothing', async () => {
      const { app: closed } = await closedPaybell();
      const browser = new Browser(closed.url, { cookie: `paybell_session=pbs_${'A'.repeat(65)}` });
      const paths = ['/', '/dashboard', '/dashboard/sign-in', '/dashboard/assets/x.js'];
      const answers = [
        ...(await Promise.all(paths.map((path) => browser.get(path)))),
        await browser.signIn(closed.apiKey),
      ];
      expect(answers.map(({ status, json }) => [status, json.code])).toEqual(
        answers.map(() => [404, 'not_found']),
      );
      expect((await browser.post('/dashboard/sign-out', {})).status).toBe(404);
      expect((await browser.get('/api/whoami')).status).toBe(401);
      expect((await closed.fetch('/api/whoami')).status).toBe(200);
      expect((await closed.fetch('/api/sessions')).status).toBe(404);
      const lines = closed.lines.join('\n');
      expect(lines).not.toContain('dashboard is at');
      expect(lines).toContain('no dashboard: DASHBOARD is false, or ROLES has no api');
    });
  });
}
