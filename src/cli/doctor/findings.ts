import { styled, textOf } from '../output/table.ts';

/** For how long the doctor waits for each answer. */
export const LIMIT_MS = 2_000;

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

const COLOURS = { ok: 'green', off: 'dim', warning: 'yellow', wrong: 'red' } as const;

/** The findings about one part, in order. */
export class Findings {
  readonly list: Finding[] = [];

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

  private note(check: string, outcome: Outcome, detail: string, advice: string | null): void {
    this.list.push({ place: this.place, check, outcome, detail, advice });
  }
}

/** True when Paybell can work. */
export function isGood(list: readonly Finding[]): boolean {
  return list.every(({ outcome }) => outcome !== 'wrong');
}

export function asText(list: readonly Finding[]): string {
  const width = Math.max(...list.map((finding) => nameOf(finding).length));
  const ordered = OUTCOMES.flatMap((outcome) => list.filter((finding) => finding.outcome === outcome));
  const lines = ordered.map((finding) => {
    const { outcome, detail, advice } = finding;
    const todo = advice === null ? '' : `\n${' '.repeat(width + 11)}-> ${advice}`;
    const name = nameOf(finding).padEnd(width);
    return `${styled(COLOURS[outcome], outcome.padEnd(7))}  ${name}  ${textOf(detail)}${todo}\n`;
  });
  const isAdvised = list.some(({ advice }) => advice !== null);
  const end = isGood(list) ? 'Nothing is wrong.' : 'Something is wrong.';
  return `${lines.join('')}\n${end}${isAdvised ? ' The arrows say what to do.' : ''}\n`;
}

function nameOf({ place, check }: Finding): string {
  return place === 'shell' ? `this shell: ${check}` : check;
}
