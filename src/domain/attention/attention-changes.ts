import type { OperationalType } from '../event/operational-event.ts';

/** An endpoint gets at most one event for each code and type within this time. */
export const SAME_AGAIN_AFTER_MS = 300_000;

/** The last message to an endpoint about a code. */
export interface ToldCode {
  readonly code: string;
  readonly isOpen: boolean;
  /** When the endpoint was last told that the code opened; null: never. */
  readonly openedAt: Date | null;
  readonly closedAt: Date | null;
}

/** A code that opened or closed since an endpoint was last told about it. */
export interface CodeChange {
  readonly type: OperationalType;
  readonly told: ToldCode;
}

/**
 * Returns the messages that are due now. A change waits if it comes too soon after the last message of its type. If the change
 * is undone meanwhile, no message is sent: the last one is right again. Pure.
 */
export function changesOf(told: readonly ToldCode[], open: readonly string[], now: Date): CodeChange[] {
  const opened = open.flatMap((code): CodeChange[] => {
    const before = told.find((each) => each.code === code) ?? NEVER;
    const isTold = before.isOpen || !isOver(before.openedAt, now);
    return isTold
      ? []
      : [{ type: 'attention.opened', told: { ...before, code, isOpen: true, openedAt: now } }];
  });
  const closed = told.flatMap((before): CodeChange[] => {
    const isTold = !before.isOpen || open.includes(before.code) || !isOver(before.closedAt, now);
    return isTold ? [] : [{ type: 'attention.closed', told: { ...before, isOpen: false, closedAt: now } }];
  });
  return [...opened, ...closed];
}

const NEVER = { isOpen: false, openedAt: null, closedAt: null } as const;

function isOver(at: Date | null, now: Date): boolean {
  return at === null || now.getTime() - at.getTime() >= SAME_AGAIN_AFTER_MS;
}
