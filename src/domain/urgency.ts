import type { Payment } from './payment.ts';
import { isMoneyInFlight } from './status.ts';

/** How pressing the next look at a payment is: lower comes first when the budget is short. */
export const URGENCY = { inFlight: 0, awaiting: 1, watching: 2 } as const;

export type UrgencyClass = (typeof URGENCY)[keyof typeof URGENCY];

export interface UrgencyRules {
  /** The target interval for an open payment. */
  readonly pollIntervalMs: number;
  /** How long an expired or failed payment is still looked at. */
  readonly lateWatchMs: number;
  /** The first interval of the late watch. */
  readonly watchFromMs: number;
  readonly watchUpToMs: number;
}

/** When to look again, counted from now; null: never. */
export interface NextLook {
  readonly inMs: number | null;
  readonly urgency: UrgencyClass;
}

/** An expiry is looked at just after it happened, with room for clocks that differ. */
const AFTER_EXPIRY_MS = 500;
const BACKOFF_UP_TO_MS = 60_000;

/** When a payment wants to be looked at next. Pure: of the payment and the time alone. */
export function nextLook(payment: Payment, now: Date, rules: UrgencyRules): NextLook {
  if (payment.tracking === 'closed') return { inMs: null, urgency: URGENCY.watching };
  if (payment.tracking === 'watching') return nextWatch(payment, now, rules);
  if (isMoneyInFlight(payment.status)) return { inMs: rules.pollIntervalMs, urgency: URGENCY.inFlight };
  return { inMs: untilExpiry(payment, now, rules) ?? rules.pollIntervalMs, urgency: URGENCY.awaiting };
}

/** How long to leave a payment alone that could not be read for the `failures`th time in a row. */
export function backoffMs(failures: number, rules: UrgencyRules): number {
  const doubled = rules.pollIntervalMs * 2 ** Math.min(failures - 1, 20);
  return Math.max(rules.pollIntervalMs, Math.min(doubled, BACKOFF_UP_TO_MS));
}

/** Half of the time already watched on top of the first interval is the same as growing it by 1.5 each look. */
function nextWatch(payment: Payment, now: Date, rules: UrgencyRules): NextLook {
  const watchedMs = now.getTime() - (payment.endedAt ?? now).getTime();
  if (watchedMs >= rules.lateWatchMs) return { inMs: null, urgency: URGENCY.watching };
  const grownMs = Math.min(rules.watchFromMs + watchedMs / 2, rules.watchUpToMs);
  const lastLookMs = Math.max(rules.lateWatchMs - watchedMs, rules.pollIntervalMs);
  return { inMs: Math.round(Math.min(grownMs, lastLookMs)), urgency: URGENCY.watching };
}

/** The look just after the expiry, when it falls into the next interval but not at its very beginning. */
function untilExpiry(payment: Payment, now: Date, rules: UrgencyRules): number | null {
  if (payment.expiresAt === null) return null;
  const afterExpiryMs = payment.expiresAt.getTime() + AFTER_EXPIRY_MS - now.getTime();
  const isNext = afterExpiryMs > rules.pollIntervalMs && afterExpiryMs < 2 * rules.pollIntervalMs;
  return isNext ? afterExpiryMs : null;
}
