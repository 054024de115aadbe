import { markdown } from './formatted.ts';

export type Row = readonly string[];

/** The rows of each table by its name, the head first. */
export type Tables = Readonly<Record<string, () => readonly Row[]>>;

/** A comment with the name of a table, and the table. */
const TABLE = /(?<=<!-- npm run generate: (\w+) -->\n\n)(?:\|.*\n)+/g;

/** The text of a document with new contents in its named tables. */
export function withTables(text: string, tables: Tables): Promise<string> {
  const made = text.replaceAll(TABLE, (_table, name: string) => tableOf(tables[name]?.() ?? []));
  return markdown(made);
}

export function tableOf([head = [], ...rows]: readonly Row[]): string {
  return [head, head.map(() => '-'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}
