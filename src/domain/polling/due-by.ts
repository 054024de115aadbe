import type { Payment } from '../payment/payment.ts';

/** Most providers tell an expiry within a moment after it; clocks differ as well. */
export const AFTER_EXPIRY_MS = 1_500;
/** In intervals: a payment that is still awaiting after its expiry is not left alone for long. */
const PAST_EXPIRY_INTERVALS = 10;

/**
 * By when an awaiting payment is looked at however far intervals are stretched: the look after its expiry ends most of
 * them, and without it they would pile up and take the others' budget. Null: there is no such time.
 */
export function pollBy({ status, expiresAt }: Payment): Date | null {
  if (status !== 'AWAITING_DEPOSIT' || expiresAt === null) return null;
  return new Date(expiresAt.getTime() + AFTER_EXPIRY_MS);
}

/** The same at a time: once it has passed, some intervals from then on. Milliseconds since the epoch. */
export function latestPoll(pollByMs: number, nowMs: number, intervalMs: number): number {
  return nowMs >= pollByMs ? nowMs + PAST_EXPIRY_INTERVALS * intervalMs : pollByMs;
}
