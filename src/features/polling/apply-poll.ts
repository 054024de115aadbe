import { applyReport } from '../../domain/payment/apply-report.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { applySilence } from '../../domain/payment/stall.ts';
import { backoffMs, nextLook, type NextLook } from '../../domain/polling/urgency.ts';
import type { Verdict } from '../../domain/payment/transition.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Claim, Look } from '../../ports/schedule.ts';
import type { TrackingRules } from './polling.settings.ts';

const RETRY_AFTER_UP_TO_MS = 300_000;
const MAX_LAST_LOOKS = 5;

/**
 * Turns what the provider answered about a claimed payment into what is to be recorded; without `isCharged` a silence
 * is no fault of the payment's. Pure.
 */
export function takeLook(
  claim: Claim,
  answer: StatusAnswer,
  now: Date,
  rules: TrackingRules,
  isCharged = true,
): Look {
  const usable = usableReport(claim, answer);
  if (usable === null) return silentLook(claim, isCharged ? backoffOf(claim, answer, rules) : 0, now, rules);
  const verdict = applyReport(claim.payment, usable, now, rules);
  const next = nextLook(verdict.payment, now, rules.urgency, claim.hintedAt);
  const payment = closeWhenDone(verdict, next);
  return { claim, ...verdict, payment, next, isSilent: false, isCharged: false };
}

/** What becomes of a payment that the provider could not even be asked about. Pure. */
export function takeSilence(claim: Claim, now: Date, rules: TrackingRules): Look {
  return silentLook(claim, 0, now, rules);
}

/** True when the look tells nothing that the claim has not written already. */
export function isQuiet(look: Look): boolean {
  const { claim, next } = look;
  return (
    look.events.length === 0 &&
    look.report === null &&
    look.payment === claim.payment &&
    !look.isSilent &&
    claim.failures === 0 &&
    next.inMs !== null &&
    next.inMs === claim.scheduledInMs &&
    next.urgency === claim.urgency
  );
}

/** A report about another quote is refused: it says nothing about this payment. */
function usableReport(
  claim: Claim,
  answer: StatusAnswer,
): (StatusAnswer & { kind: 'report' })['report'] | null {
  if (answer.kind !== 'report') return null;
  const { report } = answer;
  return report.quoteId === null || report.quoteId === claim.payment.quoteId ? report : null;
}

function silentLook(claim: Claim, backoff: number, now: Date, rules: TrackingRules): Look {
  const verdict = applySilence(claim.payment, claim.silentSince ?? now, now, rules);
  const usual = nextLook(claim.payment, now, rules.urgency, claim.hintedAt);
  const usualMs = usual.inMs ?? lastLookMs(claim, rules);
  const waitMs = usualMs === null ? null : Math.max(usualMs, backoff);
  const next: NextLook = { inMs: waitMs, urgency: usual.urgency };
  const payment = closeWhenDone(verdict, next);
  return { claim, ...verdict, payment, next, isSilent: true, isCharged: backoff > 0 };
}

/** The last look of the late watch, and one after it, is made again when it fails: it may find a late deposit. */
function lastLookMs({ payment, failures }: Claim, { urgency }: TrackingRules): number | null {
  const isOver = payment.status === 'COMPLETED' || failures >= MAX_LAST_LOOKS;
  return isOver ? null : urgency.pollIntervalMs;
}

/** Its own failures make a payment wait, and so does a Retry-After about it. */
function backoffOf(claim: Claim, answer: StatusAnswer, rules: TrackingRules): number {
  const asked = answer.kind === 'unavailable' ? (answer.retryAfterMs ?? 0) : 0;
  return Math.max(backoffMs(claim.failures + 1, rules.urgency), Math.min(asked, RETRY_AFTER_UP_TO_MS));
}

function closeWhenDone({ payment }: Verdict, next: NextLook): Payment {
  const isDone = next.inMs === null && payment.tracking !== 'closed';
  return isDone ? { ...payment, tracking: 'closed' } : payment;
}
