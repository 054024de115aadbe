import { styleText } from 'node:util';

import { printable } from '../../domain/text/printable.ts';
import { timeWords } from './time-words.ts';

type Cell = string | number | boolean | null | undefined;
type Style = Parameters<typeof styleText>[0];

/** The colours of words that begin a cell, on a terminal. */
const STYLES: ReadonlyMap<string, Style> = new Map([
  ...coloured('green', 'COMPLETED', 'delivered', 'ok', 'proven'),
  ...coloured('yellow', 'pending', 'refusing', 'failing', 'recovering', 'EXPIRED', 'refuses'),
  ...coloured('red', 'FAILED', 'failed', 'open', 'away', 'disabled', 'discarded', 'contradicted'),
]);

/** A table for people: a heading, and rows in columns. Text from outside cannot move the cursor or change colours. */
export function tableOf(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map(textOf));
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (row: readonly string[], style = (cell: string): string => cell): string =>
    row
      .map((cell, column) => {
        const isLast = column === row.length - 1;
        return `${style(cell)}${isLast ? '' : ' '.repeat((widths[column] ?? 0) - cell.length)}`;
      })
      .join('  ')
      .trimEnd();
  return [bold(lineOf(heads)), ...cells.map((row) => lineOf(row, byWord))]
    .map((line) => `${line}\n`)
    .join('');
}

/** Names with their values, one pair a line. */
export function factsOf(facts: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${bold(name.padEnd(width))}  ${byWord(textOf(value))}\n`).join('');
}

export function textOf(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(timeWords(String(value)), ' ');
}

function byWord(cell: string): string {
  const [word = ''] = cell.split(/[ :(]/, 1);
  const style = STYLES.get(word);
  return style === undefined ? cell : styled(style, cell);
}

function bold(text: string): string {
  return styled('bold', text);
}

/** Styled on a terminal that has colours; plain in a file or a pipe, and with NO_COLOR. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

function coloured(style: Style, ...words: readonly string[]): (readonly [string, Style])[] {
  return words.map((word) => [word, style]);
}
