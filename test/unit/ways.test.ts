import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

const PAGE = 'docs/inside/ways.md';
/** The most files to open for each way. */
const MOST: Readonly<Record<string, number>> = {
  'A quote is stored': 18,
  "A poll's answer becomes a delivered webhook": 24,
  'A failed delivery is tried again': 13,
};

const sections = readFileSync(PAGE, 'utf8').split(/^## /m).slice(1);
const WAYS = sections.map((section) => {
  const [title = ''] = section.split('\n');
  const files = [...section.matchAll(/^\d+\. \[[^\]]+\]\(([^)]+)\)$/gm)].map(([, link = '']) =>
    join(dirname(PAGE), link),
  );
  return { title, files, said: Number(/^(\d+) files/m.exec(section)?.[1]) };
});

function textOf(file: string): string {
  return readFileSync(file, 'utf8');
}

/** A file leads to what it imports, to a database function that it calls, and through a port to the class behind it. */
function leadsTo(from: string, file: string): boolean {
  const text = textOf(from);
  const name = basename(file);
  if (name.endsWith('.sql')) return text.includes(`${basename(name, '.sql')}(`);
  if (text.includes(`/${name}'`)) return true;
  const ports = [...textOf(file).matchAll(/(?:extends|implements) ([A-Z]\w+)/g)].map(([, port = '']) => port);
  return ports.some((port) => new RegExp(`\\b${port}\\b`, 'i').test(text));
}

describe.each(WAYS)('the way of ways.md: $title', ({ title, files, said }) => {
  it('has files that exist, as many as it says, and no more than before', () => {
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(new Set(files).size).toBe(said);
    expect(said).toBeLessThanOrEqual(MOST[title] ?? 0);
  });

  it('leads from one file to the next', () => {
    const unled = files.filter(
      (file, index) => index > 0 && !files.slice(0, index).some((earlier) => leadsTo(earlier, file)),
    );
    expect(unled).toEqual([]);
  });
});

it('every way is held', () => {
  expect(WAYS.map(({ title }) => title)).toEqual(Object.keys(MOST));
});
