import { applyReport } from '../../domain/payment/apply-report.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import { applySilence } from '../../domain/payment/stall.ts';
import { backoffMs, nextPoll, type NextPoll } from '../../domain/polling/urgency.ts';
import type { Transition } from '../../domain/payment/transition.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Claim, Poll } from '../../ports/schedule.ts';
import type { PollingSettings } from './polling.settings.ts';

const RETRY_AFTER_UP_TO_MS = 300_000;
const MAX_LAST_POLLS = 5;

/**
 * Turns what the provider answered about a claimed payment into what is to be recorded; without `isCharged` a silence
 * is no fault of the payment's. Pure.
 */
export function applyPoll(
  claim: Claim,
  answer: StatusAnswer,
  now: Date,
  settings: PollingSettings,
  isCharged = true,
): Poll {
  const usable = usableReport(claim, answer);
  if (usable === null)
    return silentPoll(claim, isCharged ? backoffOf(claim, answer, settings) : 0, now, settings);
  const transition = applyReport(claim.payment, usable, now, settings);
  const next = nextPoll(transition.payment, now, settings.urgency, claim.hintedAt);
  const payment = closeWhenDone(transition, next);
  return { claim, ...transition, payment, next, isSilent: false, isCharged: false };
}

/** What becomes of a payment that the provider could not even be asked about. Pure. */
export function applyUnaskedPoll(claim: Claim, now: Date, settings: PollingSettings): Poll {
  return silentPoll(claim, 0, now, settings);
}

/** True when the look tells nothing that the claim has not written already. */
export function isUnchanged(poll: Poll): boolean {
  const { claim, next } = poll;
  return (
    poll.events.length === 0 &&
    poll.report === null &&
    poll.payment === claim.payment &&
    !poll.isSilent &&
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

function silentPoll(claim: Claim, backoff: number, now: Date, settings: PollingSettings): Poll {
  const transition = applySilence(claim.payment, claim.silentSince ?? now, now, settings);
  const usual = nextPoll(claim.payment, now, settings.urgency, claim.hintedAt);
  const usualMs = usual.inMs ?? lastPollMs(claim, settings);
  const waitMs = usualMs === null ? null : Math.max(usualMs, backoff);
  const next: NextPoll = { inMs: waitMs, urgency: usual.urgency };
  const payment = closeWhenDone(transition, next);
  return { claim, ...transition, payment, next, isSilent: true, isCharged: backoff > 0 };
}

/** The last look of the late watch, and one after it, is made again when it fails: it may find a late deposit. */
function lastPollMs({ payment, failures }: Claim, { urgency }: PollingSettings): number | null {
  const isOver = payment.status === 'COMPLETED' || failures >= MAX_LAST_POLLS;
  return isOver ? null : urgency.pollIntervalMs;
}

/** Its own failures make a payment wait, and so does a Retry-After about it. */
function backoffOf(claim: Claim, answer: StatusAnswer, settings: PollingSettings): number {
  const asked = answer.kind === 'unavailable' ? (answer.retryAfterMs ?? 0) : 0;
  return Math.max(backoffMs(claim.failures + 1, settings.urgency), Math.min(asked, RETRY_AFTER_UP_TO_MS));
}

function closeWhenDone({ payment }: Transition, next: NextPoll): Payment {
  const isDone = next.inMs === null && payment.tracking !== 'closed';
  return isDone ? { ...payment, tracking: 'closed' } : payment;
}
