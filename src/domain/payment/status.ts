/** The six statuses of the payment API and which may follow which. Source: the provider's specification, section 3. */
export const STATUSES = [
  'AWAITING_DEPOSIT',
  'DEPOSIT_RECEIVED',
  'EXECUTING',
  'COMPLETED',
  'FAILED',
  'EXPIRED',
] as const;

export type Status = (typeof STATUSES)[number];

/** How a reported status relates to the payment's current one. */
export type Move = 'same' | 'forward' | 'late' | 'back' | 'after_completed';

const FORWARD: Record<Status, readonly Status[]> = {
  AWAITING_DEPOSIT: ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED', 'FAILED', 'EXPIRED'],
  DEPOSIT_RECEIVED: ['EXECUTING', 'COMPLETED', 'FAILED'],
  EXECUTING: ['COMPLETED', 'FAILED'],
  COMPLETED: [],
  FAILED: ['COMPLETED'],
  EXPIRED: ['DEPOSIT_RECEIVED', 'EXECUTING', 'COMPLETED', 'FAILED'],
};

export function isStatus(word: string): word is Status {
  return (STATUSES as readonly string[]).includes(word);
}

/** EXPIRED and FAILED end the payment for the merchant, but a late deposit may still change the status. */
export function isWatched(status: Status): boolean {
  return status === 'EXPIRED' || status === 'FAILED';
}

export function isMoneyInFlight(status: Status): boolean {
  return status === 'DEPOSIT_RECEIVED' || status === 'EXECUTING';
}

export function judgeMove(from: Status, to: Status): Move {
  if (from === to) return 'same';
  if (from === 'COMPLETED') return 'after_completed';
  if (!FORWARD[from].includes(to)) return 'back';
  return isWatched(from) ? 'late' : 'forward';
}
