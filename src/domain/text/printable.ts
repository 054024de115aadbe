/**
 * Characters that break a line or change the reading direction: control characters, lone surrogates, line and paragraph
 * separators, invisible characters and bidirectional controls. The joiners U+200C and U+200D are allowed: words need them.
 */
const UNPRINTABLE = String.raw`[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]`;

const ANY = new RegExp(UNPRINTABLE, 'u');
const EACH = new RegExp(UNPRINTABLE, 'gu');
const RUNS = new RegExp(`${UNPRINTABLE}+`, 'gu');
const RUNS_IN_LINE = new RegExp(`(?![\\n\\t])${UNPRINTABLE}`, 'gu');

/** True for text without unprintable characters. */
export function isPrintable(text: string): boolean {
  return !ANY.test(text);
}

/** Replaces each run of unprintable characters by `instead`. */
export function printable(text: string, instead: string): string {
  return text.replace(RUNS, instead);
}

/** Replaces each unprintable character except line feed and tab by `instead`. */
export function printableLines(text: string, instead: string): string {
  return text.replace(RUNS_IN_LINE, instead);
}

/** Escapes unprintable characters in the strings of a one-line JSON text: the value stays the same. */
export function printableJson(json: string): string {
  return json.replace(EACH, unicodeEscape);
}

/** The JSON escape of a character of the Basic Multilingual Plane. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
