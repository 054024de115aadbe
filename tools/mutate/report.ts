import { dirname } from 'node:path';

import { equivalenceOf } from './equivalents.ts';
import type { Mutant } from './mutants.ts';
import type { Verdict } from './judge-all.ts';
import { fileOf, type MutantKey } from './session.ts';

interface Row {
  readonly name: string;
  killed: number;
  survived: number;
  timeout: number;
  notCovered: number;
  equivalent: number;
}

const COLUMNS = ['killed', 'survived', 'timeout', 'notCovered', 'equivalent'] as const;

/** The survivors, and a table of files and folders. Equivalent mutants count neither way. */
export function reportOf(
  mutants: ReadonlyMap<MutantKey, Mutant>,
  verdicts: ReadonlyMap<MutantKey, Verdict>,
): { readonly text: string; readonly survivors: number } {
  const rows = new Map<string, Row>();
  const lines: string[] = [];
  for (const [key, mutant] of mutants) {
    const file = fileOf(key);
    const column = columnOf(file, mutant, verdicts.get(key) ?? 'survived');
    for (const name of [file, `${dirname(file)}/`, 'all']) rowOf(rows, name)[column] += 1;
    if (column === 'survived' || column === 'notCovered') lines.push(lineOf(file, mutant, column));
  }
  return { text: `${lines.join('')}\n${tableOf([...rows.values()])}`, survivors: lines.length };
}

function columnOf(file: string, mutant: Mutant, verdict: Verdict): (typeof COLUMNS)[number] {
  if (verdict === 'killed' || verdict === 'timeout') return verdict;
  if (equivalenceOf(file, mutant) !== null) return 'equivalent';
  return verdict === 'survived' ? 'survived' : 'notCovered';
}

function rowOf(rows: Map<string, Row>, name: string): Row {
  const row = rows.get(name) ?? { name, killed: 0, survived: 0, timeout: 0, notCovered: 0, equivalent: 0 };
  rows.set(name, row);
  return row;
}

function lineOf(file: string, { line, before, after, isStatement }: Mutant, column: string): string {
  const why = column === 'survived' ? '' : ' (no test reaches it)';
  return `${file}:${line}  ${oneLine(before)}  →  ${isStatement ? '(removed)' : oneLine(after)}${why}\n`;
}

function oneLine(code: string): string {
  const text = code.replaceAll(/\s+/g, ' ');
  return text.length > 90 ? `${text.slice(0, 89)}…` : text;
}

/** Files first, then folders, then all. */
function tableOf(rows: readonly Row[]): string {
  const rank = ({ name }: Row): number => (name === 'all' ? 2 : name.endsWith('/') ? 1 : 0);
  const sorted = [...rows].sort((one, other) => rank(one) - rank(other));
  const width = Math.max(...sorted.map(({ name }) => name.length));
  const head = ['killed', 'survived', 'time-out', 'no test', 'equivalent', 'score'];
  const cells = sorted.map((row) => [
    row.name,
    ...COLUMNS.map((column) => String(row[column])),
    scoreOf(row),
  ]);
  return [['', ...head], ...cells]
    .map(([name = '', ...rest]) => `${name.padEnd(width)}${rest.map((cell) => cell.padStart(11)).join('')}\n`)
    .join('');
}

function scoreOf({ killed, timeout, survived, notCovered }: Row): string {
  const found = killed + timeout;
  const all = found + survived + notCovered;
  return all === 0 ? '' : `${((found / all) * 100).toFixed(1)} %`;
}
