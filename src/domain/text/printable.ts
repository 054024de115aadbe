/**
 * What breaks a line, or turns the direction of what follows it: control characters, halves of characters, separators of
 * lines and paragraphs, what is not seen at all, and the marks by which text is shown in another order than it is written
 * in. The joiners U+200C and U+200D belong to words.
 */
const UNPRINTABLE = String.raw`[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]`;

const ANY = new RegExp(UNPRINTABLE, 'u');
const RUNS = new RegExp(`${UNPRINTABLE}+`, 'gu');
const RUNS_IN_LINE = new RegExp(`(?![\\n\\t])${UNPRINTABLE}`, 'gu');

/** True for text that shows on one line what it is. */
export function isPrintable(text: string): boolean {
  return !ANY.test(text);
}

/** The text with `instead` for each run of unprintable characters. */
export function printable(text: string, instead: string): string {
  return text.replace(RUNS, instead);
}

/** The same, one by one, for text that may have lines and tabs. */
export function printableLines(text: string, instead: string): string {
  return text.replace(RUNS_IN_LINE, instead);
}
