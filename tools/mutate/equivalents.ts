import type { Equivalents } from './equivalents/equivalents.ts';
import { EVENT } from './equivalents/event.ts';
import { JUDGEMENT } from './equivalents/judgement.ts';
import { PAYMENT } from './equivalents/payment.ts';
import { POLLING } from './equivalents/polling.ts';
import { RATE_LIMIT } from './equivalents/rate-limit.ts';
import { TEXT } from './equivalents/text.ts';
import type { Mutant } from './mutants.ts';

export const EQUIVALENTS: readonly Equivalents[] = [
  ...EVENT,
  ...TEXT,
  ...PAYMENT,
  ...POLLING,
  ...RATE_LIMIT,
  ...JUDGEMENT,
];

/** `before → after`, on one line. */
export function changeOf({ before, after }: Mutant): string {
  return `${oneLine(before)} → ${after === '' ? '(removed)' : oneLine(after)}`;
}

/** Why no test can notice this mutant; null: a test could. */
export function equivalenceOf(file: string, mutant: Mutant): string | null {
  const known = EQUIVALENTS.find(
    (each) =>
      each.file === file && mutant.lineText.includes(each.line) && each.changes.includes(changeOf(mutant)),
  );
  return known?.reason ?? null;
}

function oneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ');
}
