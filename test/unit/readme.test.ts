import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { storyOf } from '../../src/providers/sandbox/story-chapters.ts';
import { Config } from '../../src/config/config.ts';
import { EVENT_TYPES } from '../../src/domain/event/event.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'docs/webhooks.md',
  'docs/verifying-webhooks.md',
  'docs/rabbitmq.md',
  'docs/events.md',
  'docs/errors.md',
  'docs/client.md',
  'examples/shop-webhooks/README.md',
  'examples/worker-rabbitmq/README.md',
  'docs/tracking.md',
  'docs/providers.md',
  'docs/metrics.md',
  'docs/simulation.md',
] as const;
/** How EnvReader is asked for variables that have no default. */
const WITHOUT_DEFAULT = new Set(['optional', 'url', 'cidrs', 'namedKeys', 'key32']);

interface Setting {
  readonly name: string;
  readonly fallback: string;
  readonly values: string;
}

const readText = (name: string): Promise<string> => readFile(join(ROOT, name), 'utf8');

const codeSpans = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '');

/** The rows of the table with this first heading, cell by cell. */
function tableOf(text: string, heading: string): string[][] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => new RegExp(`^\\| ${heading} +\\|`).test(line));
  expect(head).toBeGreaterThanOrEqual(0);
  const body = lines.slice(head + 2);
  const end = body.findIndex((line) => !line.startsWith('|'));
  return body.slice(0, end).map((line) =>
    line
      .split('|')
      .map((cell) => cell.trim())
      .slice(1, -1),
  );
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

describe('the configuration tables of README.md and docs/providers.md', () => {
  let settings: Setting[] = [];
  let readers = new Map<string, string>();

  beforeAll(async () => {
    const documents = await Promise.all(['README.md', 'docs/providers.md'].map(readText));
    const rows = documents.flatMap((text) => tableOf(text, 'variable'));
    settings = rows.map(([name = '', fallback = '', values = '']) => ({
      name: codeSpans(name)[0] ?? '',
      fallback,
      values,
    }));
    const sources = await Promise.all(
      ['src/config/config.ts', 'src/config/provider-settings.ts'].map(readText),
    );
    const source = sources.join('\n');
    const calls = source.matchAll(/\bread\.(\w+)\(\s*'([A-Z][A-Z0-9_]*)'/g);
    readers = new Map(
      [...calls].flatMap(([, method = '', name = '']): [string, string][] =>
        method === 'refuse' || method === 'isRefused' ? [] : [[name, method]],
      ),
    );
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
    expect((await readText('README.md')).split('\n').length).toBeLessThanOrEqual(285);
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

  it('tells every story of the sandbox', async () => {
    const published = tableOf(await readText('README.md'), 'amount ends in').flatMap(([digits = '']) =>
      codeSpans(digits),
    );
    const hundredths = Array.from({ length: 100 }, (_none, index) => String(index).padStart(2, '0'));
    expect(published).toEqual(hundredths.filter((digits) => storyOf(`1.${digits}`) !== 'plain'));
  });
});

describe('docs/webhooks.md', () => {
  it('says of every event type what it means', async () => {
    const rows = tableOf(await readText('docs/webhooks.md'), 'type');
    expect(rows.flatMap(([type = '']) => codeSpans(type))).toEqual([...EVENT_TYPES]);
  });
});

describe.each(DOCUMENTS)('%s', (document) => {
  it('links only to files and headings that exist', async () => {
    const text = await readText(document);
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '');
    for (const link of links.filter((each) => !each.startsWith('https://'))) {
      const [path = '', heading] = link.split('#');
      const file = join(dirname(join(ROOT, document)), path);
      await expect(access(file)).resolves.toBeUndefined();
      if (heading !== undefined) expect(headingsOf(await readFile(file, 'utf8'))).toContain(heading);
    }
  });

  it('names only source files that exist', async () => {
    const text = await readText(document);
    for (const [name] of text.matchAll(/\b(?:src|test)\/[\w/.-]+\.ts\b/g))
      await expect(access(join(ROOT, name))).resolves.toBeUndefined();
  });
});

function headingsOf(text: string): string[] {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title ?? '');
  return titles.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}
