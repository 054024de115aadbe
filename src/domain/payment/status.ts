/**
 * The meaning of a status for a payment. `waiting`: no deposit yet. `in_flight`: money is on its way. `watched`: the payment has
 * ended for the merchant, but a late deposit may still change it. `final`: nothing changes it.
 */
type Phase = 'waiting' | 'in_flight' | 'watched' | 'final';

interface StatusRow {
  readonly phase: Phase;
  /** The statuses that may follow; a report of any other status is a contradiction. */
  readonly next: readonly Status[];
}

/** The statuses of the payment API. Source: the provider's specification, section 3. */
const TABLE = {
  AWAITING_DEPOSIT: {
    phase: 'waiting',
    next: ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED', 'FAILED', 'EXPIRED'],
  },
  DEPOSIT_RECEIVED: { phase: 'in_flight', next: ['EXECUTING', 'COMPLETED', 'FAILED'] },
  EXECUTING: { phase: 'in_flight', next: ['COMPLETED', 'FAILED'] },
  COMPLETED: { phase: 'final', next: [] },
  FAILED: { phase: 'watched', next: ['COMPLETED'] },
  EXPIRED: { phase: 'watched', next: ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED', 'FAILED'] },
} as const;

export type Status = keyof typeof TABLE;

const ROWS: Readonly<Record<Status, StatusRow>> = TABLE;

export const STATUSES = Object.keys(TABLE) as readonly Status[];

/** The relation of a reported status to the payment's current one. */
export type Move = 'same' | 'forward' | 'late' | 'back' | 'after_completed';

export function isStatus(word: string): word is Status {
  return Object.hasOwn(TABLE, word);
}

/** EXPIRED and FAILED end the payment for the merchant, but a late deposit may still change the status. */
export function isWatched(status: Status): boolean {
  return ROWS[status].phase === 'watched';
}

/** Whether the deposit came, or the provider reports a step that follows a deposit. */
export function isPaid(status: Status): boolean {
  return !ROWS[status].next.includes('DEPOSIT_RECEIVED');
}

export function isMoneyInFlight(status: Status): boolean {
  return ROWS[status].phase === 'in_flight';
}

/** COMPLETED: nothing changes the payment any more, whatever its later reports say. */
export function isFinal(status: Status): boolean {
  return ROWS[status].phase === 'final';
}

export function judgeMove(from: Status, to: Status): Move {
  if (from === to) return 'same';
  if (isFinal(from)) return 'after_completed';
  if (!ROWS[from].next.includes(to)) return 'back';
  return isWatched(from) ? 'late' : 'forward';
}
