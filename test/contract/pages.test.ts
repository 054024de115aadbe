import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';

import { PageAnswer } from '../../src/features/dashboard/page-answer.ts';
import { PageFiles } from '../../src/features/dashboard/page-files.ts';
import { PagesController } from '../../src/features/dashboard/pages.controller.ts';
import { DashboardPage } from '../../src/platform/http/dashboard-page.ts';
import { PublicOrigin } from '../../src/platform/http/public-origin.ts';
import { Browser, type Reply } from '../support/browser.ts';
import { RawConnection, requestText } from '../support/raw-connection.ts';
import { ShellApp } from '../support/shell-app.ts';

const PROXY = '127.0.0.2';
const SCRIPT = `console.log(${JSON.stringify('x'.repeat(2_000))});`;
const FILES: Readonly<Record<string, string>> = {
  'index.html':
    '<!doctype html><title>Paybell</title><meta name="nonce" content="__CSP_NONCE__"><style nonce="__CSP_NONCE__"></style>',
  'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/main-4f9a1b.js': SCRIPT,
  'assets/main-77c0de.css': 'body{}',
  'assets/notes.exe': 'of no type that is served',
};

const root = mkdtempSync(join(tmpdir(), 'paybell-pages-'));
const folder = join(root, 'dashboard');
let shell: ShellApp;
let unbuilt: ShellApp;
let browser: Browser;

function startShell(pages: PageFiles): Promise<ShellApp> {
  return ShellApp.start(
    [PagesController],
    [
      { provide: PageFiles, useValue: pages },
      { provide: DashboardPage, useClass: PageAnswer },
      { provide: PublicOrigin, useValue: new PublicOrigin(null) },
    ],
  );
}

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  writeFileSync(join(root, 'package.json'), '{"secret":true}');
  shell = await startShell(new PageFiles(folder));
  shell.app.set('trust proxy', [PROXY]);
  unbuilt = await startShell(new PageFiles(join(root, 'nothing')));
  browser = new Browser(shell.url);
});

afterAll(async () => {
  await shell.stop();
  await unbuilt.stop();
  rmSync(root, { recursive: true });
});

function noncesOf({ text, headers }: Reply): string[] {
  const inPage = [...text.matchAll(/(?:content|nonce)="([^"]*)"/g)].map(([, nonce]) => nonce ?? '');
  const inPolicy = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1] ?? '';
  return [...inPage, inPolicy];
}

describe('the pages', () => {
  it.each([
    '/dashboard',
    '/dashboard/',
    '/dashboard/payments/5af8?tab=raw',
    '/dashboard/sign-in',
    '/Dashboard/x.js',
  ])('are one page under all their paths: %s', async (path) => {
    const { status, headers, text } = await browser.get(path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(text).toContain('<title>Paybell</title>');
  });

  it('have a nonce of their own in each answer', async () => {
    const [one = '', ...more] = noncesOf(await browser.get('/dashboard'));
    expect(one).toMatch(/^[\w+/]{22}==$/);
    expect(more).toEqual([one, one]);
    expect(noncesOf(await browser.get('/dashboard'))).not.toContain(one);
  });

  it('let a browser load nothing from elsewhere, and nobody frame them', async () => {
    const answer = await browser.get('/dashboard');
    const [nonce = ''] = noncesOf(answer);
    expect(String(answer.headers['content-security-policy']).split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self'",
      "connect-src 'self'",
      "font-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(answer.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
    });
  });

  it('bind browsers to https only where there is https', async () => {
    const header = 'strict-transport-security';
    const https = { 'x-forwarded-proto': 'https' };
    expect((await browser.get('/dashboard', https)).headers[header]).toBeUndefined();
    const proxied = new Browser(shell.url, https, PROXY);
    for (const path of ['/dashboard', '/dashboard/favicon.svg'])
      expect((await proxied.get(path)).headers[header]).toBe('max-age=31536000');
  });

  it('are where / leads to', async () => {
    const { status, headers } = await browser.get('/');
    expect([status, headers['location']]).toEqual([302, '/dashboard']);
  });

  it('take no form', async () => {
    expect((await browser.post('/dashboard', {})).status).toBe(405);
  });

  it('that are not built say how to build them', async () => {
    for (const path of ['/dashboard', '/dashboard/sign-in']) {
      const { status, text, headers } = await new Browser(unbuilt.url).get(path);
      expect([status, headers['cache-control']]).toEqual([503, 'no-store']);
      expect(text).toContain('<code>npm run build</code>');
    }
    expect((await new Browser(unbuilt.url).get('/dashboard/assets/main-4f9a1b.js')).status).toBe(404);
  });
});

describe('a HEAD request', () => {
  it.each(['/dashboard', '/dashboard/favicon.svg', '/dashboard/assets/main-4f9a1b.js'])(
    'has the headers of the answer, and no body: %s',
    async (path) => {
      const [head, get] = [await browser.send('HEAD', path), await browser.get(path)];
      expect([head.status, head.text]).toEqual([200, '']);
      const names = ['content-type', 'content-length', 'cache-control', 'x-content-type-options'];
      for (const name of names) expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
      if (path !== '/dashboard') expect(head.headers['etag']).toBe(get.headers['etag']);
    },
  );

  it('for what is not there is a 404', async () => {
    const { status, text } = await browser.send('HEAD', '/dashboard/assets/gone-123.js');
    expect([status, text]).toEqual([404, '']);
  });
});

describe('a file of the pages', () => {
  it('is sent whole, not in ranges', async () => {
    const range = 'bytes=0-9';
    const { status, headers, text } = await browser.get('/dashboard/assets/main-4f9a1b.js', { range });
    expect([status, text, headers['content-range']]).toEqual([200, SCRIPT, undefined]);
  });

  it('with a hash in its name is kept for ever', async () => {
    const { status, headers, text } = await browser.get('/dashboard/assets/main-4f9a1b.js');
    expect([status, text]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': expect.stringContaining("style-src 'self';"),
      'x-content-type-options': 'nosniff',
    });
  });

  it('without one is asked for again, and not sent again', async () => {
    const { headers } = await browser.get('/dashboard/favicon.svg');
    expect([headers['content-type'], headers['cache-control']]).toEqual([
      'image/svg+xml',
      'private, no-cache',
    ]);
    const again = await browser.get('/dashboard/favicon.svg', { 'if-none-match': String(headers['etag']) });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('is compressed for those who can read that', async () => {
    const path = `${shell.url}/dashboard/assets/main-4f9a1b.js`;
    const { headers, body } = await request(path, { headers: { 'accept-encoding': 'gzip, br' } });
    const bytes = Buffer.from(await body.arrayBuffer());
    expect([headers['content-encoding'], headers['vary']]).toEqual(['gzip', 'accept-encoding']);
    expect(bytes.length).toBeLessThan(SCRIPT.length / 2);
    expect(gunzipSync(bytes).toString()).toBe(SCRIPT);
    const small = await request(path.replace('main-4f9a1b.js', 'main-77c0de.css'), {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect([small.headers['content-encoding'], await small.body.text()]).toEqual([undefined, 'body{}']);
  });

  it.each(['/dashboard/assets/gone-123.js', '/dashboard/assets/notes.exe', '/dashboard/assets/'])(
    'that is not there is a 404, and not a page: %s',
    async (path) => {
      const { status, json } = await browser.get(path);
      expect([status, json.code]).toEqual([404, 'not_found']);
    },
  );

  const ABROAD = [
    '/dashboard/../package.json',
    '/dashboard/../../package.json',
    '/dashboard/assets/../../package.json',
    '/dashboard/%2e%2e/package.json',
    '/dashboard/..%2fpackage.json',
    '/dashboard/..%5cpackage.json',
    '/dashboard//package.json',
    '/dashboard/assets/..%2f..%2fpackage.json',
    '/dashboard/index.html/../../package.json',
    '/dashboard/assets%2f..%2f..%2fpackage.json%00',
    '/dashboard/__proto__',
    '/dashboard/constructor',
  ];

  it('is in the folder of the pages', async () => {
    for (const path of ABROAD) {
      const connection = (await RawConnection.open(shell.url)).read();
      connection.send(requestText(path, { connection: 'close' }));
      await connection.whenClosed(3_000);
      expect([path, [200, 404].includes(connection.statuses[0] ?? 0)]).toEqual([path, true]);
      expect([path, connection.text]).toEqual([path, expect.not.stringContaining('secret')]);
    }
  });
});
