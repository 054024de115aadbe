import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { storyOf } from '../../src/providers/sandbox/story-chapters.ts';
import { Config } from '../../src/config/config.ts';
import { EVENT_TYPES } from '../../src/domain/event/event.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** How EnvReader is asked for variables that have no default. */
const WITHOUT_DEFAULT = new Set(['optional', 'url', 'cidrs', 'namedKeys', 'key32']);

interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly values: string;
}

const readText = (name: string): Promise<string> => readFile(join(ROOT, name), 'utf8');

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

const codeSpans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

/** The rows of all tables with this first heading, cell by cell. */
function rowsOf(text: string, heading: string): string[][] {
  const lines = text.split('\n');
  const isHead = new RegExp(`^\\| ${heading} +\\|`);
  const heads = lines.flatMap((line, index) => (isHead.test(line) ? [index] : []));
  expect(heads.length).toBeGreaterThan(0);
  return heads.flatMap((head) => {
    const body = lines.slice(head + 2);
    const end = body.findIndex((line) => !line.startsWith('|'));
    return body.slice(0, end).map(cellsOf);
  });
}

function cellsOf(line: string): string[] {
  const cells = line.split('|').map((cell) => cell.trim());
  return cells.slice(1, -1);
}

/** What the configuration says against one variable's value; null when it takes it. */
function refusal(name: string, value: string): string | null {
  try {
    void new Config({ [name]: value });
    return null;
  } catch (error) {
    const lines = (error as Error).message.split('\n');
    return lines.find((line) => line.startsWith(`  - ${name} `)) ?? null;
  }
}

describe('docs/running/configuration.md', () => {
  let settings: Setting[] = [];
  let readers = new Map<string, string>();

  beforeAll(async () => {
    const rows = rowsOf(await readText('docs/running/configuration.md'), 'variable');
    settings = rows.map(([name = '', fallback = '', values = '']) => ({
      name: codeSpans(name)[0] ?? '',
      fallback,
      values,
    }));
    const sources = await Promise.all(
      ['src/config/config.ts', 'src/config/provider-settings.ts', 'src/config/tracing-settings.ts'].map(
        readText,
      ),
    );
    const source = sources.join('\n');
    const calls = source.matchAll(/\bread\.(\w+)\(\s*'([A-Z][A-Z0-9_]*)'/g);
    const lists = source.matchAll(/\bread[A-Z]\w+\(read, '([A-Z][A-Z0-9_]*)'/g);
    readers = new Map([
      ...[...lists].map(([, name = '']): [string, string] => [name, 'url']),
      ...[...calls].flatMap(([, method = '', name = '']): [string, string][] =>
        method === 'refuse' || method === 'isRefused' ? [] : [[name, method]],
      ),
    ]);
  });

  it('names exactly the variables that the configuration reads, each once', () => {
    expect(readers.size).toBeGreaterThan(20);
    expect(settings.map(({ name }) => name).toSorted()).toEqual([...readers.keys()].toSorted());
  });

  it('shows the defaults: set to them, the configuration is the same as without', () => {
    const byDefault = new Config({});
    for (const { name, fallback } of settings) {
      const value = codeSpans(fallback)[0];
      const hasDefault = !WITHOUT_DEFAULT.has(readers.get(name) ?? '');
      expect({ name, hasDefault: value !== undefined }).toEqual({ name, hasDefault });
      if (value !== undefined)
        expect({ name, config: new Config({ [name]: value }) }).toEqual({ name, config: byDefault });
      else expect({ name, fallback }).toEqual({ name, fallback: 'unset' });
    }
  });

  it('shows the bounds: the configuration takes them, and nothing beyond', () => {
    const bounded = settings.flatMap(({ name, values }) => {
      const [, min, max] = /^`([\d.]+)` to `([\d.]+)`$/.exec(values) ?? [];
      return min === undefined || max === undefined ? [] : [{ name, min, max }];
    });
    const numbers = [...readers].filter(([, method]) => method === 'integer' || method === 'decimal');
    expect(bounded.map(({ name }) => name).toSorted()).toEqual(numbers.map(([name]) => name).toSorted());
    for (const { name, min, max } of bounded) {
      const step = readers.get(name) === 'integer' ? 1 : 0.01;
      const published = [min, max, `${Number(min) - step}`, `${Number(max) + step}`].map((value) =>
        refusal(name, value),
      );
      expect({ name, published: published.map((each) => each === null) }).toEqual({
        name,
        published: [true, true, false, false],
      });
      expect(published[2]).toContain(`from ${min} to ${max}`);
    }
  });

  it('shows every choice there is', () => {
    for (const { name, values } of settings) {
      if (!['choice', 'flag'].includes(readers.get(name) ?? '')) continue;
      expect(refusal(name, 'neither')).toContain(`not one of: ${codeSpans(values).join(', ')}`);
    }
  });
});

describe('README.md', () => {
  it('is short enough to be read', async () => {
    expect(linesOf(await readText('README.md')).length).toBeLessThanOrEqual(160);
  });

  it('has no line that is too wide to be read', async () => {
    expect(linesOf(await readText('README.md')).filter((line) => line.length > 160)).toEqual([]);
  });

  it('has eight guarantees, each with tests that show it', async () => {
    const part = (await readText('README.md')).split('\n## ').find((each) => each.startsWith('Guarantees\n'));
    const bullets = (part ?? '').split('\n- ').slice(1);
    const shown = bullets.map((bullet) =>
      codeSpans(bullet).filter((span) => /^test\/.*\.test\.ts$/.test(span)),
    );
    expect(shown).toHaveLength(8);
    expect(shown.filter((tests) => tests.length === 0)).toEqual([]);
  });

  it('names only npm scripts that there are', async () => {
    const { scripts } = JSON.parse(await readText('package.json')) as { scripts: Record<string, string> };
    const readme = await readText('README.md');
    const named = [...readme.matchAll(/npm run ([\w:]+)|npm (start|test)\b/g)].map(
      ([, run, own]) => run ?? own ?? '',
    );
    expect(named).toEqual(expect.arrayContaining(['demo', 'build', 'start', 'test']));
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('links only to files that the package brings along', async () => {
    const manifest = JSON.parse(await readText('package.json')) as { files: string[] };
    const links = [...(await readText('README.md')).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, link = '']) => link,
    );
    const own = links.filter((link) => !/^https?:/.test(link)).map((link) => link.split('#')[0] ?? '');
    expect(own.length).toBeGreaterThan(20);
    const isPacked = (path: string): boolean =>
      manifest.files.some((file) => path === file || path.startsWith(`${file}/`));
    expect(own.filter((path) => !isPacked(path))).toEqual([]);
    expect(new Set(manifest.files).size).toBe(manifest.files.length);
  });
});

describe('ARCHITECTURE.md', () => {
  it('is one page', async () => {
    expect(linesOf(await readText('ARCHITECTURE.md')).length).toBeLessThanOrEqual(130);
  });
});

describe('docs/running/sandbox.md', () => {
  it('shows every story of the sandbox', async () => {
    const rows = rowsOf(await readText('docs/running/sandbox.md'), 'amount ends in');
    const published = rows.flatMap(([digits = '']) => codeSpans(digits));
    const hundredths = Array.from({ length: 100 }, (_none, index) => String(index).padStart(2, '0'));
    expect(published).toEqual(hundredths.filter((digits) => storyOf(`1.${digits}`) !== 'plain'));
  });
});

describe('docs/running/troubleshooting.md', () => {
  it('quotes only messages that the source has', async () => {
    const files = await readdir(join(ROOT, 'src'), { recursive: true });
    const sources = files.filter((file) => /\.[tj]s$/.test(file)).map((file) => readText(`src/${file}`));
    const source = (await Promise.all(sources)).join('\n').replaceAll("\\'", "'");
    const messages = rowsOf(await readText('docs/running/troubleshooting.md'), 'message');
    const spans = messages.flatMap(([message = '']) => codeSpans(message));
    const parts = spans.flatMap((span) => span.split(/[…:;,()]/).map((part) => part.trim()));
    const own = parts.filter((part) => part.length > 5 && !/\d$/.test(part));
    expect(own.length).toBeGreaterThan(messages.length);
    expect(own.filter((part) => !source.includes(part))).toEqual([]);
  });
});

describe('docs/using/receive-webhooks.md', () => {
  it('says of every event type what it means', async () => {
    const rows = rowsOf(await readText('docs/using/receive-webhooks.md'), 'type');
    expect(rows.flatMap(([type = '']) => codeSpans(type))).toEqual([...EVENT_TYPES]);
  });
});
