import { applyReport } from '../domain/apply-report.ts';
import type { Payment } from '../domain/payment.ts';
import { applySilence } from '../domain/stall.ts';
import { backoffMs, nextLook, type NextLook } from '../domain/urgency.ts';
import type { Verdict } from '../domain/verdict.ts';
import type { StatusAnswer } from '../ports/payment-provider.ts';
import type { Claim, Look } from '../ports/schedule.ts';
import type { TrackingRules } from './tracking-rules.ts';

const RETRY_AFTER_UP_TO_MS = 300_000;

/** Turns what the provider answered about a claimed payment into what is to be recorded. Pure. */
export function takeLook(claim: Claim, answer: StatusAnswer, now: Date, rules: TrackingRules): Look {
  const usable = usableReport(claim, answer);
  if (usable === null) return silentLook(claim, answer, now, rules);
  const verdict = applyReport(claim.payment, usable, now, rules);
  const next = nextLook(verdict.payment, now, rules.urgency);
  return { claim, ...verdict, payment: closeWhenDone(verdict, next), next, isSilent: false };
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
    next.inMs === claim.scheduledInMs
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

function silentLook(claim: Claim, answer: StatusAnswer, now: Date, rules: TrackingRules): Look {
  const verdict = applySilence(claim.payment, claim.silentSince ?? now, now, rules);
  const usual = nextLook(claim.payment, now, rules.urgency);
  const asked = answer.kind === 'unavailable' ? (answer.retryAfterMs ?? 0) : 0;
  const backoff = Math.max(
    backoffMs(claim.failures + 1, rules.urgency),
    Math.min(asked, RETRY_AFTER_UP_TO_MS),
  );
  const waitMs = usual.inMs === null ? null : Math.max(usual.inMs, backoff);
  const next: NextLook = { inMs: waitMs, urgency: usual.urgency };
  return { claim, ...verdict, payment: closeWhenDone(verdict, next), next, isSilent: true };
}

function closeWhenDone({ payment }: Verdict, next: NextLook): Payment {
  const isDone = next.inMs === null && payment.tracking !== 'closed';
  return isDone ? { ...payment, tracking: 'closed' } : payment;
}
