import { printable } from '../../domain/text/printable.ts';

const MAX_WORDS = 300;
const HALF_A_CHARACTER = /[\ud800-\udbff]$/;

/** A provider's words as one printable line of at most 300 characters; `secret` is cut out, since some echo the key. */
export function cleanWords(words: string, secret: string | null): string {
  const published = secret === null ? words : spellings(secret).reduce(withoutWord, words);
  const line = printable(published.slice(0, 2 * MAX_WORDS), ' ').trim();
  return line.slice(0, MAX_WORDS).replace(HALF_A_CHARACTER, '');
}

/** As it is, and as the query of an echoed URL has it; the longest first, since one may hold another. */
function spellings(secret: string): string[] {
  const inQuery = new URLSearchParams({ '': secret }).toString().slice(1);
  return [inQuery, encodeURIComponent(secret), encodeURI(secret), secret];
}

function withoutWord(words: string, word: string): string {
  return words.replaceAll(word, '***');
}
