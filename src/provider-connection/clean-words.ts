const MAX_WORDS = 300;
/** Control characters, and those that turn the direction of what follows them in a log. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
const HALF_A_CHARACTER = /[\ud800-\udbff]$/;

/** A provider's words as one printable line of at most 300 characters; `secret` is cut out, since some echo the key. */
export function cleanWords(words: string, secret: string | null): string {
  const told = secret === null ? words : spellings(secret).reduce(withoutWord, words);
  const line = told
    .slice(0, 2 * MAX_WORDS)
    .replace(UNPRINTABLE, ' ')
    .trim();
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
