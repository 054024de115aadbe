import { afterExpiry } from './due-by.ts';
import type { Payment } from '../payment/payment.ts';
import { isFinal, isMoneyInFlight } from '../payment/status.ts';

/** How urgent the next poll of a payment is: when the budget is short, lower numbers go first. */
export const URGENCY = { inFlight: 0, attended: 1, unattended: 2, watching: 3 } as const;

export type UrgencyClass = (typeof URGENCY)[keyof typeof URGENCY];

/** The class names for operators, in the order of their numbers. */
export const URGENCY_NAMES = ['in_flight', 'attended', 'unattended', 'watching'] as const;

export type UrgencyName = (typeof URGENCY_NAMES)[number];

export function urgencyName(urgency: UrgencyClass): UrgencyName {
  return URGENCY_NAMES[urgency];
}

export function urgencyNamed(name: UrgencyName): UrgencyClass {
  return URGENCY_NAMES.indexOf(name) as UrgencyClass;
}

export interface UrgencyRules {
  /** The shortest time between two claims of a payment, and the shortest interval, whatever a payment's times would give. */
  readonly gapMs: number;
  /** The target interval for an open payment. */
  readonly pollIntervalMs: number;
  /** The interval for money in flight: the shortest that the gap between two polls allows, within reason. */
  readonly inFlightMs: number;
  /** How long a payment counts as attended after its creation, or after a client asked about it. */
  readonly attendedMs: number;
  /** How long an expired or failed payment is still polled. */
  readonly lateWatchMs: number;
  /** The first interval of the late watch. */
  readonly watchFromMs: number;
  readonly watchUpToMs: number;
  /** When a completed payment is polled again, counted from its completion. */
  readonly afterCompletionMs: readonly number[];
  /** The longest wait after failed polls. */
  readonly backoffUpToMs: number;
}

/** The next poll of a payment. `inMs` counts from now; null: never. */
export interface NextPoll {
  readonly inMs: number | null;
  readonly urgency: UrgencyClass;
}

/** How long a claim may wait for its request at least, however short the intervals are. */
export const LEAST_CLAIM_WAIT_MS = 20;
const GAP_SPARE = 1.01;

/**
 * The shortest time between two claims of a payment, such that the gap between their requests, which start some time later,
 * is kept.
 */
export function claimGapMs(minGapMs: number): number {
  return minGapMs === 0 ? 0 : Math.max(minGapMs * GAP_SPARE, minGapMs + LEAST_CLAIM_WAIT_MS);
}

/** Almost no payment completes within this share of the quote's estimate. */
const EARLY_SHARE = 0.2;
const EARLY_INTERVALS = 2;
/** If a payment in flight makes no progress for this many times its estimate, or its interval, it is no longer urgent. */
const OVERDUE_ESTIMATES = 5;
const OVERDUE_INTERVALS = 20;
/** A poll after the completion counts as made from this share of its time on: the clocks of two replicas differ. */
const MADE_FROM_SHARE = 0.9;

/**
 * When a payment should be polled next: a pure function of the payment, the time, and `hintedAt`, when a client last asked
 * about it. The interval scale may lengthen the interval when the budget is short.
 */
export function nextPoll(
  payment: Payment,
  now: Date,
  rules: UrgencyRules,
  hintedAt: Date | null = null,
): NextPoll {
  const { inMs, urgency } = usualPoll(payment, now, rules, hintedAt);
  return { inMs: inMs === null ? null : Math.max(inMs, rules.gapMs), urgency };
}

function usualPoll(payment: Payment, now: Date, rules: UrgencyRules, hintedAt: Date | null): NextPoll {
  if (payment.tracking === 'closed') return { inMs: null, urgency: URGENCY.watching };
  if (isFinal(payment.status)) return nextAfterCompletion(payment, now, rules);
  if (payment.tracking === 'watching') return nextWatch(payment, now, rules);
  if (isMoneyInFlight(payment.status))
    return { inMs: inFlightMs(payment, now, rules), urgency: URGENCY.inFlight };
  const isAttended = agoMs(hintedAt ?? payment.createdAt, now) < rules.attendedMs;
  return {
    inMs: untilExpiry(payment, now, rules) ?? rules.pollIntervalMs,
    urgency: isAttended ? URGENCY.attended : URGENCY.unattended,
  };
}

/** How long to wait after `failures` failed polls in a row: twice as long each time, up to `upToMs`. */
export function backoffMs(failures: number, rules: UrgencyRules, upToMs = rules.backoffUpToMs): number {
  const doubled = rules.pollIntervalMs * 2 ** Math.min(Math.max(failures - 1, 0), 20);
  return Math.max(rules.pollIntervalMs, Math.min(doubled, upToMs));
}

/**
 * How long the late watch waits after a failed poll: less than its own interval, which may be hours. `failures` counts the
 * payment's failures in a row; 0: the provider fails as a whole.
 */
export function repeatMs(failures: number, usualMs: number, rules: UrgencyRules): number {
  return failures === 0 ? Math.min(usualMs, rules.backoffUpToMs) : backoffMs(failures, rules, usualMs);
}

/** How long a payment is still too early to complete; 0 or less once that time is over. */
export function earlyMs({ expectedMs, progressAt }: Payment, now: Date): number {
  return EARLY_SHARE * (expectedMs ?? 0) - agoMs(progressAt, now);
}

/** How long after its last progress a payment in flight is overdue and no longer urgent. */
export function overdueAfterMs({ expectedMs }: Payment, { pollIntervalMs }: UrgencyRules): number {
  return Math.max(OVERDUE_ESTIMATES * (expectedMs ?? 0), OVERDUE_INTERVALS * pollIntervalMs);
}

/**
 * Closes a payment that has no further poll. The schedule closes completed payments: their last change is their completion.
 */
export function closeWhenDone(payment: Payment, next: NextPoll): Payment {
  const isDone = next.inMs === null && payment.tracking !== 'closed' && !isFinal(payment.status);
  return isDone ? { ...payment, tracking: 'closed' } : payment;
}

/**
 * Polls rarely while the payment is too early to complete, then as often as possible, and at the usual interval once the
 * payment is overdue.
 */
function inFlightMs(payment: Payment, now: Date, rules: UrgencyRules): number {
  const early = earlyMs(payment, now);
  if (early > rules.inFlightMs) return Math.min(Math.round(early), EARLY_INTERVALS * rules.pollIntervalMs);
  const isOverdue = agoMs(payment.progressAt, now) > overdueAfterMs(payment, rules);
  return isOverdue ? rules.pollIntervalMs : rules.inFlightMs;
}

/** Each interval is the first one plus half of the time already watched: intervals grow 1.5 times with each poll. */
function nextWatch(payment: Payment, now: Date, rules: UrgencyRules): NextPoll {
  const watchedMs = agoMs(payment.endedAt ?? now, now);
  if (watchedMs >= rules.lateWatchMs) return { inMs: null, urgency: URGENCY.watching };
  const grownMs = Math.min(rules.watchFromMs + watchedMs / 2, rules.watchUpToMs);
  const lastPollMs = Math.max(rules.lateWatchMs - watchedMs, rules.pollIntervalMs);
  return { inMs: Math.round(Math.min(grownMs, lastPollMs)), urgency: URGENCY.watching };
}

/** A late poll counts for all polls that were missed, so that their number never grows. */
function nextAfterCompletion(
  { endedAt, createdAt }: Payment,
  now: Date,
  { afterCompletionMs }: UrgencyRules,
): NextPoll {
  const sinceMs = agoMs(endedAt ?? createdAt, now);
  const nextMs = afterCompletionMs.find((atMs) => sinceMs < MADE_FROM_SHARE * atMs);
  return { inMs: nextMs === undefined ? null : nextMs - sinceMs, urgency: URGENCY.watching };
}

/** The poll just after the expiry replaces the ordinary polls around it, but keeps the minimum gap. */
function untilExpiry(payment: Payment, now: Date, rules: UrgencyRules): number | null {
  const by = afterExpiry(payment);
  if (by === null) return null;
  const afterExpiryMs = by.getTime() - now.getTime();
  const isNext = afterExpiryMs > rules.inFlightMs && afterExpiryMs < 2 * rules.pollIntervalMs;
  return isNext ? afterExpiryMs : null;
}

/** 0 for a time in the future: a replica whose clock was ahead may have stored it. */
function agoMs(then: Date, now: Date): number {
  return Math.max(now.getTime() - then.getTime(), 0);
}
