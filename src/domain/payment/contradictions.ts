import type { Payment } from './payment.ts';

/** Bounds the payment's row when a provider keeps contradicting itself in new ways. */
const MAX_CONTRADICTIONS = 50;
const MAX_CONTRADICTION_LENGTH = 200;

/** A contradiction as the payment keeps it, so that the same one makes no second event. */
export function contradictionOf(reason: string, detail: string): string {
  return `${reason}:${detail}`.slice(0, MAX_CONTRADICTION_LENGTH).replace(/\p{C}/gu, ' ');
}

/** False: an event has reported the contradiction already, or the payment has too many of them. */
export function isNewContradiction({ contradictions }: Payment, contradiction: string): boolean {
  return !contradictions.includes(contradiction) && contradictions.length < MAX_CONTRADICTIONS;
}
