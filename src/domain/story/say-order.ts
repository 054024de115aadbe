import { counted } from './words.ts';

/** The parts of an order that the sentence uses. */
export interface SaidOrder {
  readonly payments: readonly unknown[];
  readonly open: readonly unknown[];
  readonly completed: readonly unknown[];
  readonly nextCursor: string | null;
}

/** Says whether the order is paid, and which facts about the order a person must know. */
export function sayOrder({ payments, open, completed, nextCursor }: SaidOrder): string {
  if (nextCursor !== null)
    return `Of the newest ${counted(payments.length, 'payment')}, ${completed.length} completed and ${open.length} are open.`;
  const more = open.length === 0 ? '' : ` ${counted(open.length, 'payment')} may still come.`;
  if (completed.length === 0)
    return open.length === 0 ? 'Not paid, and no payment is open.' : `Not paid yet.${more}`;
  if (completed.length === 1) return `Paid.${more}`;
  return `Paid ${completed.length} times: give back what is too much, and resolve it as a duplicate.${more}`;
}
