import { styled, textOf } from '../output/table.ts';

export type Outcome = 'ok' | 'off' | 'warning' | 'wrong';
/** The subject of a finding: the running Paybell, or the environment of this command. */
export type Place = 'service' | 'shell';

export interface Finding {
  readonly place: Place;
  readonly check: string;
  readonly outcome: Outcome;
  readonly detail: string;
  /** Null where nothing is to be done. */
  readonly advice: string | null;
}

const COLOURS = { ok: 'green', off: 'dim', warning: 'yellow', wrong: 'red' } as const;

/** The findings of the doctor, in order. */
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
  const names = list.map(({ place, check }) => (place === 'shell' ? `this shell: ${check}` : check));
  const width = Math.max(...names.map(({ length }) => length));
  const lines = list.map(({ outcome, detail, advice }, index) => {
    const todo = advice === null ? '' : `\n${' '.repeat(width + 11)}-> ${advice}`;
    const name = (names[index] ?? '').padEnd(width);
    return `${styled(COLOURS[outcome], outcome.padEnd(7))}  ${name}  ${textOf(detail)}${todo}\n`;
  });
  return `${lines.join('')}\n${isGood(list) ? 'Nothing is wrong.' : 'The arrows say what to do.'}\n`;
}
