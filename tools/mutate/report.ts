import { dirname } from 'node:path';

import type { Placed } from './areas.ts';
import { changeOf, equivalenceOf } from './equivalents.ts';
import type { Verdict } from './judge.ts';

const COLUMNS = ['killed', 'time-out', 'survived', 'no test', 'by chance', 'equivalent'] as const;
type Row = Record<(typeof COLUMNS)[number], number>;

/**
 * The mutants that no test found, and a table of the folders. Leaves out equivalent mutants, and those that the same tests
 * found once and missed later.
 */
export function reportOf(
  mutants: readonly Placed[],
  verdicts: ReadonlyMap<Placed, Verdict>,
): { readonly text: string; readonly left: number } {
  const rows = new Map<string, Row>();
  const lines: string[] = [];
  for (const mutant of mutants) {
    const verdict = verdicts.get(mutant) ?? 'survived';
    const isFound = verdict === 'killed' || verdict === 'time-out';
    const column = !isFound && equivalenceOf(mutant.file, mutant) !== null ? 'equivalent' : verdict;
    for (const name of [`${dirname(mutant.file)}/`, 'all']) rowOf(rows, name)[column] += 1;
    if (!isFound && column !== 'equivalent') lines.push(`${verdict.padEnd(10)}${lineOf(mutant)}\n`);
  }
  return { text: `${lines.join('')}\n${tableOf(rows)}`, left: lines.length };
}

/** `FILE:LINE  before → after`. */
export function lineOf(mutant: Placed): string {
  return `${mutant.file}:${mutant.line}  ${changeOf(mutant)}`;
}

function rowOf(rows: Map<string, Row>, name: string): Row {
  const row = rows.get(name) ?? (Object.fromEntries(COLUMNS.map((column) => [column, 0])) as Row);
  rows.set(name, row);
  return row;
}

/** Folders first, then all. */
function tableOf(rows: ReadonlyMap<string, Row>): string {
  const sorted = [...rows].toSorted(([one], [other]) => Number(one === 'all') - Number(other === 'all'));
  const width = Math.max(...sorted.map(([name]) => name.length));
  const cells = sorted.map(([name, row]) => [
    name,
    ...COLUMNS.map((column) => String(row[column])),
    scoreOf(row),
  ]);
  return [['', ...COLUMNS, 'score'], ...cells]
    .map(([name = '', ...rest]) => `${name.padEnd(width)}${rest.map((cell) => cell.padStart(11)).join('')}\n`)
    .join('');
}

function scoreOf(row: Row): string {
  const found = row.killed + row['time-out'];
  const all = found + row.survived + row['no test'];
  return all === 0 ? '' : `${((found / all) * 100).toFixed(1)} %`;
}
