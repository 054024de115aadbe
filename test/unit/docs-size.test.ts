import { readdirSync, readFileSync } from 'node:fs';

import { expect, it } from '@jest/globals';

const SHELVES = readdirSync('docs', { recursive: true, encoding: 'utf8' });
const PAGES = SHELVES.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`);
const MOST_WORDS = 41_700;
const MOST_WORDS_OF_A_PAGE = 2_500;
const MOST_WORDS_OF_BENCHMARKS = 2_000;

/** The bars and lines of tables are no words. */
function wordsOf(path: string): number {
  return readFileSync(path, 'utf8')
    .split(/\s+/)
    .filter((word) => /\w/.test(word)).length;
}

it('no page is too long to be read to its end', () => {
  expect(PAGES.length).toBeGreaterThan(30);
  expect(PAGES.filter((path) => wordsOf(path) > MOST_WORDS_OF_A_PAGE)).toEqual([]);
  expect(wordsOf('docs/inside/benchmarks.md')).toBeLessThanOrEqual(MOST_WORDS_OF_BENCHMARKS);
});

it('all pages together are short enough to be kept true', () => {
  const words = PAGES.map(wordsOf).reduce((sum, count) => sum + count, 0);
  expect(words).toBeLessThanOrEqual(MOST_WORDS);
});

it('every page stands in the index', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const missing = PAGES.filter((path) => path !== 'docs/README.md').filter(
    (path) => !index.includes(`](${path.slice('docs/'.length)})`),
  );
  expect(missing).toEqual([]);
});
