import { unicodeEscape } from './printable.ts';

/**
 * A cell that begins with one of these is a formula for a spreadsheet, and could run a program or send the sheet away;
 * full-width and small forms count too.
 */
const SIGNS = String.raw`[=+\-@＝＋－＠﹦﹢﹣﹫]`;
/**
 * Characters that a spreadsheet may skip before a sign, and apostrophes, so that an apostrophe of the text differs from an
 * added one.
 */
const SKIPPED = String.raw`(?:(?![\t\r\n])[\s"'\p{Cc}\p{Cf}])*`;
/**
 * In many countries Excel separates cells by `;` or tab and then ignores quotes, so that a cell may begin after each of these
 * and at each line.
 */
const FORMULAS = new RegExp(`(^|[;\\t\\r\\n])(?=${SKIPPED}${SIGNS})`, 'gu');
/** A number may be negative: a person may want to add it up. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",;\t\r\n]/;
/** A terminal obeys some of these characters, and some CSV readers stop at NUL. */
const CONTROLS = /(?![\t\r\n])\p{Cc}/gu;

/**
 * One line of CSV by RFC 4180. Control characters except line ends and tabs are shown as their JSON escapes. Text that a
 * spreadsheet with any separator would take for a formula gets one apostrophe in front. A program gets the text back by
 * removing one apostrophe where `FORMULAS` matches after it.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(text: string, column: number): string {
  const shown = text.replace(CONTROLS, unicodeEscape);
  // The first cell is never treated as a number: with another separator, it may be the beginning of a longer text.
  const safe = column > 0 && NUMBER.test(shown) ? shown : shown.replace(FORMULAS, "$1'");
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
