import type { Payment } from '../payment/payment.ts';

/** Most providers report an expiry a moment after it, and their clocks differ from ours. */
export const AFTER_EXPIRY_MS = 1_500;
/** The intervals within which a payment that still awaits its deposit after its expiry is polled again. */
const PAST_EXPIRY_INTERVALS = 10;

/**
 * The latest time for the next poll of an awaiting payment, however far the interval scale delays polls. The poll after
 * the expiry ends most awaiting payments; without it they would pile up and use the budget of others. Null: no limit.
 */
export function pollBy({ status, expiresAt }: Payment): Date | null {
  if (status !== 'AWAITING_DEPOSIT' || expiresAt === null) return null;
  return new Date(expiresAt.getTime() + AFTER_EXPIRY_MS);
}

/**
 * The latest time for the next poll: `pollByMs`, or some intervals from now once that has passed. Epoch milliseconds.
 * PostgreSQL has the same rule in functions/latest_poll.sql; rules-in-sql.test.ts compares the two.
 */
export function latestPoll(pollByMs: number, nowMs: number, intervalMs: number): number {
  return nowMs >= pollByMs ? nowMs + PAST_EXPIRY_INTERVALS * intervalMs : pollByMs;
}
