import { pollBy } from './due-by.ts';
import type { Payment } from '../payment/payment.ts';
import { isMoneyInFlight } from '../payment/status.ts';

/** How pressing the next look at a payment is: lower comes first when the budget is short. */
export const URGENCY = { inFlight: 0, attended: 1, unattended: 2, watching: 3 } as const;

export type UrgencyClass = (typeof URGENCY)[keyof typeof URGENCY];

/** The classes' names as operators read them, in the order of their numbers. */
export const URGENCY_NAMES = ['in_flight', 'attended', 'unattended', 'watching'] as const;

export interface UrgencyRules {
  /** The target interval for an open payment. */
  readonly pollIntervalMs: number;
  /** Money in flight is looked at as often as this: as the gap between two looks allows, but not wildly more often. */
  readonly inFlightMs: number;
  /** So long after its creation, or after somebody asked for it, a payment counts as attended. */
  readonly attendedMs: number;
  /** How long an expired or failed payment is still looked at. */
  readonly lateWatchMs: number;
  /** The first interval of the late watch. */
  readonly watchFromMs: number;
  readonly watchUpToMs: number;
}

/** When to look again, counted from now; null: never. */
export interface NextPoll {
  readonly inMs: number | null;
  readonly urgency: UrgencyClass;
}

/** From claim to claim goes by so many gaps: requests start a little after their claims, and not all by the same. */
export const GAP_SPARE = 1.01;

const BACKOFF_UP_TO_MS = 60_000;
/** Hardly any delivery ends within this share of the time that the quote promises. */
const EARLY_SHARE = 0.2;
const EARLY_INTERVALS = 2;
/** In flight without any news for so many times what the quote promised, and so many intervals: no longer pressing. */
const OVERDUE_ESTIMATES = 5;
const OVERDUE_INTERVALS = 20;

/**
 * When a payment wants to be looked at next. Pure: of the payment, the time, and when somebody last asked for it
 * (`hintedAt`). The interval is what the payment wants; a short budget stretches it.
 */
export function nextPoll(
  payment: Payment,
  now: Date,
  rules: UrgencyRules,
  hintedAt: Date | null = null,
): NextPoll {
  if (payment.tracking === 'closed') return { inMs: null, urgency: URGENCY.watching };
  if (payment.tracking === 'watching') return nextWatch(payment, now, rules);
  if (isMoneyInFlight(payment.status))
    return { inMs: inFlightMs(payment, now, rules), urgency: URGENCY.inFlight };
  const isAttended = agoMs(hintedAt ?? payment.createdAt, now) < rules.attendedMs;
  return {
    inMs: untilExpiry(payment, now, rules) ?? rules.pollIntervalMs,
    urgency: isAttended ? URGENCY.attended : URGENCY.unattended,
  };
}

/** How long to leave a payment alone that could not be read for the `failures`th time in a row. */
export function backoffMs(failures: number, rules: UrgencyRules): number {
  const doubled = rules.pollIntervalMs * 2 ** Math.min(Math.max(failures - 1, 0), 20);
  return Math.max(rules.pollIntervalMs, Math.min(doubled, BACKOFF_UP_TO_MS));
}

/** How long hardly any delivery can be expected to end; 0 or less once that is over. */
export function earlyMs({ expectedMs, progressAt }: Payment, now: Date): number {
  return EARLY_SHARE * (expectedMs ?? 0) - agoMs(progressAt, now);
}

/** How long after its last progress a payment in flight is overdue, and no longer pressing. */
export function overdueAfterMs({ expectedMs }: Payment, { pollIntervalMs }: UrgencyRules): number {
  return Math.max(OVERDUE_ESTIMATES * (expectedMs ?? 0), OVERDUE_INTERVALS * pollIntervalMs);
}

/** Seldom while hardly any delivery ends, then as often as possible, and at the usual interval once it is overdue. */
function inFlightMs(payment: Payment, now: Date, rules: UrgencyRules): number {
  const early = earlyMs(payment, now);
  if (early > rules.inFlightMs) return Math.min(Math.round(early), EARLY_INTERVALS * rules.pollIntervalMs);
  const isOverdue = agoMs(payment.progressAt, now) > overdueAfterMs(payment, rules);
  return isOverdue ? rules.pollIntervalMs : rules.inFlightMs;
}

/** Half of the time already watched on top of the first interval is the same as growing it by 1.5 each look. */
function nextWatch(payment: Payment, now: Date, rules: UrgencyRules): NextPoll {
  const watchedMs = agoMs(payment.endedAt ?? now, now);
  if (watchedMs >= rules.lateWatchMs) return { inMs: null, urgency: URGENCY.watching };
  const grownMs = Math.min(rules.watchFromMs + watchedMs / 2, rules.watchUpToMs);
  const lastPollMs = Math.max(rules.lateWatchMs - watchedMs, rules.pollIntervalMs);
  return { inMs: Math.round(Math.min(grownMs, lastPollMs)), urgency: URGENCY.watching };
}

/** The look just after the expiry: in place of the ordinary ones around it, and no sooner than the gap allows. */
function untilExpiry(payment: Payment, now: Date, rules: UrgencyRules): number | null {
  const by = pollBy(payment);
  if (by === null) return null;
  const afterExpiryMs = by.getTime() - now.getTime();
  const isNext = afterExpiryMs > rules.inFlightMs && afterExpiryMs < 2 * rules.pollIntervalMs;
  return isNext ? afterExpiryMs : null;
}

function agoMs(then: Date, now: Date): number {
  return now.getTime() - then.getTime();
}
