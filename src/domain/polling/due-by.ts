import type { Payment } from '../payment/payment.ts';
import { isFinal } from '../payment/status.ts';

/** Most providers report an expiry a moment late, and their clocks differ from ours. */
export const AFTER_EXPIRY_MS = 1_500;
/** The time of the poll just after an awaiting payment's expiry; null: there is none. */
export function afterExpiry({ status, expiresAt }: Payment): Date | null {
  if (status !== 'AWAITING_DEPOSIT' || expiresAt === null) return null;
  return new Date(expiresAt.getTime() + AFTER_EXPIRY_MS);
}

/**
 * The latest time for the next poll, however far the interval scale delays polls. The poll after the expiry ends most awaiting
 * payments, and the last poll after the completion ends all completed ones: delayed, such payments would pile up and use the
 * budget of others. Null: no limit.
 */
export function pollBy(
  payment: Payment,
  { afterCompletionMs }: { readonly afterCompletionMs: readonly number[] },
): Date | null {
  const { status, endedAt } = payment;
  if (!isFinal(status) || endedAt === null) return afterExpiry(payment);
  return new Date(endedAt.getTime() + (afterCompletionMs.at(-1) ?? 0));
}
