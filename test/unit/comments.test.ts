import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

/** The words and beginnings that a noun replaces: a reader should not have to guess what they stand for. */
const RIDDLES: readonly (readonly [words: string, pattern: RegExp])[] = [
  ['"so many", "so long": name the quantity', /\bso (?:many|few|much|long|often|late)\b(?! that\b)/i],
  ['"of before", "from before": say older than what', /\b(?:of|from) before\b/i],
  ['"of late": lately, recent', /\bof late\b/i],
  ['"nobody": name who does not', /(?<!`)\b[Nn]obody\b(?!`)/],
  ['"one that": name it', /(?<!\b(?:the|first|last|only) )\bone that\b/i],
  ['"What …" at the beginning: a sentence with a verb, or the noun', /^What\b/],
];

const COMMENT = /\/\*\*?(?<block>[\s\S]*?)\*\/|(?<=^|\s)\/\/ (?<line>.*)$/gm;
const SQL_COMMENT = /--(?<line>.*)$/gm;

/** The texts of the comments of a file; lines that follow each other are one text. */
function commentsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8').replaceAll(
    /\n *(?:\/\/|--) (?=.)/g,
    (start, at: number, whole: string) =>
      /(?:\/\/|--).*$/.test(whole.slice(whole.lastIndexOf('\n', at - 1) + 1, at)) ? ' ' : start,
  );
  return [...text.matchAll(path.endsWith('.sql') ? SQL_COMMENT : COMMENT)].map(({ groups }) =>
    (groups?.['block'] ?? groups?.['line'] ?? '').replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim(),
  );
}

const FILES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(?:ts|sql)$/.test(path))
  .map((path) => join('src', path));

describe('comments', () => {
  it('are found', () => {
    expect(FILES.flatMap(commentsOf).length).toBeGreaterThan(4_000);
    expect(commentsOf('test/unit/comments.test.ts')).toContain(
      'The texts of the comments of a file; lines that follow each other are one text.',
    );
  });

  it.each(RIDDLES)('say no riddle: %s', (_words, pattern) => {
    const riddles = FILES.flatMap((path) =>
      commentsOf(path).flatMap((comment) => (pattern.test(comment) ? [`${path}: ${comment}`] : [])),
    );
    expect(riddles).toEqual([]);
  });
});
