import { stripVTControlCharacters } from 'node:util';

import { wordsOf } from '../output/exit-status.ts';
import { styled, textOf } from '../output/table.ts';
import { ADVICE } from './advice.ts';
import { Late } from './in-time.ts';

/** The outcomes in the order of the text: faults come last, right above the prompt. */
const OUTCOMES = ['ok', 'off', 'warning', 'wrong'] as const;
export type Outcome = (typeof OUTCOMES)[number];
/** The subject of a finding: the running Paybell, or the environment of this command. */
export type Place = 'service' | 'shell';

export interface Finding {
  readonly place: Place;
  readonly check: string;
  readonly outcome: Outcome;
  readonly detail: string;
  /** Null if there is nothing to do. */
  readonly advice: string | null;
}

const OUTCOME_WIDTH = 7;
/** The fewest characters of a detail that say something. */
const LEAST_DETAIL = 20;
const COLOURS = { ok: 'green', off: 'dim', warning: 'yellow', wrong: 'red' } as const;

/** Examines one part, once its code is loaded. */
export type Examination = (findings: Findings) => Promise<void>;

/** The findings about one part, in order. */
export class Findings {
  readonly list: Finding[] = [];
  /** True once an answer did not come in time. */
  isLate = false;

  constructor(private readonly place: Place) {}

  ok(check: string, detail: string): void {
    this.note(check, 'ok', detail, null);
  }

  off(check: string, detail: string): void {
    this.note(check, 'off', detail, null);
  }

  warning(check: string, detail: string, advice: string): void {
    this.note(check, 'warning', detail, advice);
  }

  wrong(check: string, detail: string, advice: string): void {
    this.note(check, 'wrong', detail, advice);
  }

  /** Notes an error with its remedy. */
  failed(check: string, error: unknown, advice: string): void {
    if (error instanceof Late) this.late(check, error.message, advice);
    else this.wrong(check, wordsOf(error), advice);
  }

  /** Notes an answer that did not come in time: the load of this machine may be the cause. */
  late(check: string, detail: string, advice = ''): void {
    this.isLate = true;
    this.wrong(check, detail, `${ADVICE.slow} ${advice}`.trim());
  }

  private note(check: string, outcome: Outcome, detail: string, advice: string | null): void {
    this.list.push({ place: this.place, check, outcome, detail, advice });
  }
}

/** True when Paybell can work. */
export function isGood(list: readonly Finding[]): boolean {
  return list.every(({ outcome }) => outcome !== 'wrong');
}

/** The size of what the text is shown on; `columns` is Infinity where lines are not broken. */
export interface Screen {
  readonly rows: number;
  readonly columns: number;
}

/**
 * The findings with their arrows, the faults last. On a screen that is too small for all, details are cut to a row each;
 * then those that matter least are counted, and the command that shows them is named.
 */
export function asText(list: readonly Finding[], screen: Screen | null = null): string {
  const width = Math.max(...list.map((finding) => nameOf(finding).length));
  const ordered = OUTCOMES.flatMap((outcome) => list.filter((finding) => finding.outcome === outcome));
  const shown = screen === null ? whole(ordered, width) : fitting(ordered, width, screen);
  const isAdvised = list.some(({ advice }) => advice !== null);
  const end = isGood(list) ? 'Nothing is wrong.' : 'Something is wrong.';
  return `${shown}\n${end}${isAdvised ? ' The arrows say what to do.' : ''}\n`;
}

function whole(ordered: readonly Finding[], width: number): string {
  return ordered.map((finding) => entryOf(finding, width)).join('');
}

/** The rows of the prompt, of the empty line and of the last sentence. */
const OTHER_ROWS = 3;

function fitting(ordered: readonly Finding[], width: number, { rows, columns }: Screen): string {
  const free = rows - OTHER_ROWS;
  const all = whole(ordered, width);
  if (rowsOf(all, columns) <= free) return all;
  const entries = ordered.map((finding) => entryOf(finding, width, columns));
  let left = 0;
  while (left < entries.length && rowsOf(entries.slice(left).join(''), columns) > free - Math.min(left, 1))
    left += 1;
  return `${restOf(ordered.slice(0, left))}${entries.slice(left).join('')}`;
}

function restOf(left: readonly Finding[]): string {
  if (left.length === 0) return '';
  const counts = OUTCOMES.flatMap((outcome) => {
    const { length } = left.filter((finding) => finding.outcome === outcome);
    return length === 0 ? [] : [`${length} ${outcome}`];
  });
  return `${left.length} more (${counts.join(', ')}): \`paybell doctor --all\` shows them.\n`;
}

/** The rows of a text whose lines are broken at this number of columns. */
function rowsOf(text: string, columns: number): number {
  const lines = stripVTControlCharacters(text).split('\n').slice(0, -1);
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(line.length / columns)), 0);
}

function entryOf(finding: Finding, width: number, columns = Infinity): string {
  const { outcome, detail, advice } = finding;
  const indent = width + OUTCOME_WIDTH + 4;
  const todo = advice === null ? '' : `\n${' '.repeat(indent)}-> ${advice}`;
  const text = textOf(detail);
  const room = Math.max(columns - indent, LEAST_DETAIL);
  const said = text.length > room ? `${text.slice(0, room - 1)}…` : text;
  return `${styled(COLOURS[outcome], outcome.padEnd(OUTCOME_WIDTH))}  ${nameOf(finding).padEnd(width)}  ${said}${todo}\n`;
}

function nameOf({ place, check }: Finding): string {
  return place === 'shell' ? `this shell: ${check}` : check;
}
