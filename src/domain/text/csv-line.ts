import { unicodeEscape } from './printable.ts';

/** With these a spreadsheet begins a formula, which could run a program or send the sheet away; full and small widths too. */
const SIGNS = String.raw`[=+\-@＝＋－＠﹦﹢﹣﹫]`;
/**
 * The characters that a spreadsheet may skip before the sign, and apostrophes, so that an apostrophe of the text differs from
 * an added one.
 */
const SKIPPED = String.raw`(?:(?![\t\r\n])[\s"'\p{Cc}\p{Cf}])*`;
/** Excel separates cells by `;` or tab in many countries, and sees no quotes then: each may begin a cell, and so may a line. */
const FORMULAS = new RegExp(`(^|[;\\t\\r\\n])(?=${SKIPPED}${SIGNS})`, 'gu');
/** Also a negative one: a person may want to add it up. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",;\t\r\n]/;
/** A terminal obeys some of these, and some readers of CSV stop at NUL. */
const CONTROLS = /(?![\t\r\n])\p{Cc}/gu;

/**
 * One line of CSV by RFC 4180. A control character is shown as its escape in JSON, line ends and tabs excepted. What a spreadsheet would take for a formula, whatever its separator, gets one apostrophe in front;
 * a program that removes one where `FORMULAS` matches behind it has the text again.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(text: string, column: number): string {
  const shown = text.replace(CONTROLS, unicodeEscape);
  // To a spreadsheet with another separator, the first cell begins a text that goes on: no number.
  const safe = column > 0 && NUMBER.test(shown) ? shown : shown.replace(FORMULAS, "$1'");
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
