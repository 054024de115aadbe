/** A cell that begins so is a formula to a spreadsheet, which could run a program or send the sheet away. */
const FORMULA = /^[=+\-@\t\r]/;
/** Also a negative one: a person may want to add it up. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One line of CSV by RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
