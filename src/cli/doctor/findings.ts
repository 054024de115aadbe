import { styled, textOf } from '../output/table.ts';

export type Outcome = 'ok' | 'off' | 'warning' | 'wrong';

export interface Finding {
  readonly check: string;
  readonly outcome: Outcome;
  readonly detail: string;
  /** Null where nothing is to be done. */
  readonly advice: string | null;
}

const COLOURS = { ok: 'green', off: 'dim', warning: 'yellow', wrong: 'red' } as const;

/** What the doctor has found, in order. */
export class Findings {
  readonly list: Finding[] = [];

  /** True when Paybell can work. */
  get isGood(): boolean {
    return this.list.every(({ outcome }) => outcome !== 'wrong');
  }

  ok(check: string, detail: string): void {
    this.list.push({ check, outcome: 'ok', detail, advice: null });
  }

  off(check: string, detail: string): void {
    this.list.push({ check, outcome: 'off', detail, advice: null });
  }

  warning(check: string, detail: string, advice: string): void {
    this.list.push({ check, outcome: 'warning', detail, advice });
  }

  wrong(check: string, detail: string, advice: string): void {
    this.list.push({ check, outcome: 'wrong', detail, advice });
  }
}

export function asText({ list, isGood }: Findings): string {
  const width = Math.max(...list.map(({ check }) => check.length));
  const lines = list.map(({ check, outcome, detail, advice }) => {
    const todo = advice === null ? '' : `\n${' '.repeat(width + 11)}-> ${advice}`;
    return `${styled(COLOURS[outcome], outcome.padEnd(7))}  ${check.padEnd(width)}  ${textOf(detail)}${todo}\n`;
  });
  return `${lines.join('')}\n${isGood ? 'Nothing is wrong.' : 'The arrows say what to do.'}\n`;
}
