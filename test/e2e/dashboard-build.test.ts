import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPI3 } from 'openapi-typescript';

import { apiTypes } from '../../tools/generate/api-types.ts';
import type { SharedService } from '../support/shared-process.ts';
import { Browser } from '../support/browser.ts';
import { Stage } from '../support/stage.ts';
import { SANDBOX } from '../support/suites/sandbox-stories.ts';

const DASHBOARD = fileURLToPath(new URL('../../dist/dashboard/', import.meta.url));
const KB = 1_000;
const FIRST_LOAD_KB = 170;
const SCREEN_KB = 60;
const IMPORTED = /(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g;
/** Matches a screen that is loaded when first visited: its chunk, and chunks that Vite loads with it. */
const LAZY = /import\(`\.\/([\w.-]+\.js)`\)/g;

const page = readFileSync(`${DASHBOARD}index.html`, 'utf8');
const names = readdirSync(`${DASHBOARD}assets`);

function textOf(name: string): string {
  return readFileSync(`${DASHBOARD}assets/${name}`, 'utf8');
}

/** The chunks that a chunk needs to run, itself included. */
function withImports(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  for (const [, imported = ''] of textOf(name).matchAll(IMPORTED)) withImports(imported, known);
  return known;
}

function sizeOf(files: Iterable<string>): number {
  return [...files].reduce((sum, name) => sum + gzipSync(textOf(name)).length, 0) / KB;
}

const entry = [...page.matchAll(/assets\/([\w.-]+\.(?:js|css))/g)].map(([, name = '']) => name);
const first = new Set(entry.flatMap((name) => (name.endsWith('.js') ? [...withImports(name)] : [name])));
const screens = names.filter((name) => /-screen-[\w-]+\.js$/.test(name));

describe('the built dashboard', () => {
  it(`is first loaded with at most ${FIRST_LOAD_KB} kB`, () => {
    const size = sizeOf(first);
    expect(size).toBeGreaterThan(20);
    expect(size).toBeLessThanOrEqual(FIRST_LOAD_KB);
  });

  it(`loads at most ${SCREEN_KB} kB more for a screen`, () => {
    const sizes = screens.map((name) => {
      const stem = name.replace(/-screen-.*/, '');
      const styles = names.filter((style) => style.startsWith(`${stem}-screen-`) && style.endsWith('.css'));
      const own = [...withImports(name), ...styles].filter((chunk) => !first.has(chunk));
      return [stem, Number(sizeOf(own).toFixed(1))] as const;
    });
    expect(sizes.length).toBeGreaterThan(8);
    expect(sizes.filter(([, size]) => size > SCREEN_KB)).toEqual([]);
  });

  it('has a screen only where it is asked for', () => {
    const lazy = new Set(
      [...first].flatMap((name) => [...textOf(name).matchAll(LAZY)].map(([, chunk]) => chunk)),
    );
    expect(screens.filter((name) => first.has(name))).toEqual([]);
    expect(screens.filter((name) => !lazy.has(name))).toEqual([]);
  });

  it('is files with hashes in their names, and one page that is asked for each time', () => {
    expect(readdirSync(DASHBOARD).sort()).toEqual(['assets', 'index.html']);
    expect(names.filter((name) => !/-[\w-]{8}\.(js|css|svg)$/.test(name))).toEqual([]);
  });

  it('keeps to its Content-Security-Policy: no inline script or style, no data: address, nothing from elsewhere', () => {
    expect(page).not.toMatch(/<script(?![^>]*\ssrc="\/dashboard\/assets\/)/);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=/);
    expect(page).not.toMatch(/(?:src|href)="(?!\/dashboard\/)/);
    expect(page).toContain('<meta property="csp-nonce" nonce="__CSP_NONCE__">');
    for (const name of names.filter((one) => one.endsWith('.css')))
      expect(textOf(name)).not.toMatch(/url\(|@import/);
  });
});

describe('the built dashboard of a running Paybell', () => {
  let app: SharedService;

  beforeAll(async () => {
    app = await (await Stage.open()).startWarm(SANDBOX);
  });

  it('sends a file that the browser has no second time', async () => {
    for (const name of entry) {
      const ask = (headers = {}) => new Browser(app.url).get(`/dashboard/assets/${name}`, headers);
      const etag = String((await ask()).headers['etag']);
      const again = await ask({ 'if-none-match': etag });
      expect([again.status, again.text.length, again.headers['etag']]).toEqual([304, 0, etag]);
      expect((await ask({ 'if-none-match': 'W/"other"' })).status).toBe(200);
    }
  });

  it('has the types that npm run generate makes of /openapi.json', async () => {
    const document = (await (await fetch(`${app.url}/openapi.json`)).json()) as OpenAPI3;
    const types = readFileSync(new URL('../../web/src/api/schema.d.ts', import.meta.url), 'utf8');
    expect(types).toBe(await apiTypes(document));
  });
});
