import { styleText } from 'node:util';

import { printable } from '../../domain/text/printable.ts';

type Cell = string | number | boolean | null | undefined;

/** A table for people: a heading, and its rows in columns. Text of others can't move the cursor or change colours. */
export function tableOf(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map(textOf));
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [bold(lineOf(heads)), ...cells.map(lineOf)].map((line) => `${line}\n`).join('');
}

/** Names with their values, one a line. */
export function factsOf(facts: readonly (readonly [name: string, value: Cell])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${bold(name.padEnd(width))}  ${textOf(value)}\n`).join('');
}

export function textOf(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value), ' ');
}

/** Styled on a terminal that has colours; plain in a file or a pipe, and with NO_COLOR. */
function bold(text: string): string {
  return styled('bold', text);
}

export function styled(style: Parameters<typeof styleText>[0], text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
