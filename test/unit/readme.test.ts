import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

import { storyOf } from '../../src/providers/sandbox/stories.ts';
import { judgeMove, STATUSES } from '../../src/domain/payment/status.ts';
import { EVENT_TYPES } from '../../src/domain/event/event.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
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

describe('README.md', () => {
  it('is short enough to be read', async () => {
    expect(linesOf(await readText('README.md')).length).toBeLessThanOrEqual(120);
  });

  it('has no line that is too wide to be read', async () => {
    expect(linesOf(await readText('README.md')).filter((line) => line.length > 160)).toEqual([]);
  });

  it('has eight guarantees, and reliability.md names the tests that show each', async () => {
    const part = (await readText('README.md')).split('\n## ').find((each) => each.startsWith('Guarantees\n'));
    const bullets = (part ?? '').split('\n- ').slice(1);
    const rows = rowsOf(await readText('docs/inside/reliability.md'), String.raw`\[guarantee\]\(\S+\)`);
    expect(rows).toHaveLength(8);
    for (const [index, [name = '', tests = '']] of rows.entries()) {
      expect(bullets[index]?.replaceAll('**', '').startsWith(name)).toBe(true);
      expect(codeSpans(tests).every((test) => /^test\/.*\.test\.ts$/.test(test))).toBe(true);
    }
  });

  it('names only npm scripts that there are', async () => {
    const { scripts } = JSON.parse(await readText('package.json')) as { scripts: Record<string, string> };
    const readme = await readText('README.md');
    const named = [...readme.matchAll(/npm run ([\w:]+)|npm (start|test)\b/g)].map(
      ([, run, own]) => run ?? own ?? '',
    );
    expect(named).toEqual(expect.arrayContaining(['demo', 'start', 'test']));
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

  it('has a page of docs/inside for each decision', async () => {
    const [, decisions = ''] = (await readText('ARCHITECTURE.md')).split('\n## Decisions\n');
    const bullets = decisions.split('\n- ').slice(1);
    expect(bullets.length).toBeGreaterThan(15);
    expect(bullets.filter((bullet) => !bullet.includes('](docs/inside/'))).toEqual([]);
  });

  it('shows every move between statuses, and no other', async () => {
    const picture = /```mermaid\n([\s\S]*?)```/.exec(await readText('ARCHITECTURE.md'))?.[1] ?? '';
    const shown = [...picture.matchAll(/(\w+) (-->|-\. late \.->) (.+)/g)].flatMap(
      ([, from, arrow, to = '']) =>
        to.split(' & ').map((each) => `${from} ${arrow === '-->' ? 'forward' : 'late'} ${each}`),
    );
    const moves = STATUSES.flatMap((from) => STATUSES.map((to) => `${from} ${judgeMove(from, to)} ${to}`));
    expect(shown.toSorted()).toEqual(moves.filter((move) => / (?:forward|late) /.test(move)).toSorted());
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
