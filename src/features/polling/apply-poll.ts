import type { Logger } from '@nestjs/common';

import { applyReport } from '../../domain/transitions/apply-report.ts';
import { quoteIdKey } from '../../domain/payment/reading.ts';
import { applySilence } from '../../domain/transitions/stall.ts';
import { isFinal } from '../../domain/payment/status.ts';
import { afterExpiry } from '../../domain/polling/due-by.ts';
import { backoffMs, closeWhenDone, nextPoll, repeatMs, type NextPoll } from '../../domain/polling/urgency.ts';
import { isTooManyRequests } from '../../domain/rate-limit/rate-limit-transitions.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { Claim, DueClaim, Poll } from '../../ports/schedule.ts';
import { loggedOrderId, ofOrder } from '../../domain/text/log-context.ts';
import type { PollOutcome } from '../../ports/meter.ts';
import type { Span } from '../../ports/tracer.ts';
import type { PollingSettings } from './polling.settings.ts';

const RETRY_AFTER_UP_TO_MS = 300_000;
const MAX_LAST_POLLS = 5;

/**
 * Applies the provider's answer to a claimed payment and returns the poll to record. Without `isCharged` a failure does
 * not make the payment back off. Pure.
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
    return silentPoll(claim, answer, isCharged ? backoffOf(claim, answer, settings) : 0, now, settings);
  const transition = applyReport(claim.payment, usable, now, settings, claim);
  const next = nextPoll(transition.payment, now, settings.urgency, claim.hintedAt);
  const payment = closeWhenDone(transition.payment, next);
  return {
    claim,
    ...transition,
    payment,
    next,
    judgedAt: now,
    isSilent: false,
    isCharged: false,
    askedAgoMs: 0,
  };
}

/** The poll to record for a payment that could not be polled. Pure. */
export function applyUnaskedPoll(claim: Claim, now: Date, settings: PollingSettings): Poll {
  return silentPoll(claim, null, 0, now, settings);
}

/** True when the poll changes neither the payment nor the time of its next poll, which the claim has already written. */
export function keepsSchedule(poll: Poll): boolean {
  const { claim, next } = poll;
  return (
    poll.events.length === 0 &&
    poll.report === null &&
    poll.payment === claim.payment &&
    !poll.isSilent &&
    claim.failures === 0 &&
    next.inMs !== null &&
    next.inMs === claim.scheduledInMs
  );
}

/** True when the poll changes nothing at all. */
export function changesNothing(poll: Poll): boolean {
  return keepsSchedule(poll) && poll.next.urgency === poll.claim.urgency;
}

/**
 * True for an answer with the stored report: no caller waits for its consequences. The claim has scheduled the next poll, so
 * that no poll is lost even if the consequences come late or never.
 */
export function repeatsStoredReport(claim: DueClaim, answer: StatusAnswer): boolean {
  const { storedDigest, scheduledInMs, failures, silentSince } = claim;
  const isStored = answer.kind === 'report' && answer.report.digest === storedDigest;
  return isStored && scheduledInMs !== null && failures === 0 && silentSince === null;
}

/**
 * The poll, corrected for a provider that was asked `askedAgoMs` ago: a slow answer does not lengthen an interval. The
 * backoff after a failure counts from the answer, and the poll just after the expiry has its own time.
 */
export function countedFromRequest(poll: Poll, askedAgoMs: number): Poll {
  const { payment, next, judgedAt, isSilent } = poll;
  const isAtExpiry = next.inMs !== null && afterExpiry(payment)?.getTime() === judgedAt.getTime() + next.inMs;
  return isSilent || isAtExpiry ? poll : { ...poll, askedAgoMs };
}

/** Null without a report, or for a report about another quote, which says nothing about this payment. */
function usableReport(
  claim: Claim,
  answer: StatusAnswer,
): (StatusAnswer & { kind: 'report' })['report'] | null {
  if (answer.kind !== 'report') return null;
  const { report } = answer;
  const { quoteId } = report;
  return quoteId === null || quoteIdKey(quoteId) === quoteIdKey(claim.payment.quoteId) ? report : null;
}

function silentPoll(
  claim: Claim,
  answer: StatusAnswer | null,
  backoff: number,
  now: Date,
  settings: PollingSettings,
): Poll {
  const transition = applySilence(claim.payment, claim.silentSince ?? now, now, settings);
  const usual = nextPoll(claim.payment, now, settings.urgency, claim.hintedAt);
  const usualMs = usual.inMs ?? lastPollMs(claim, settings);
  const waitMs = usualMs === null ? null : waitMsAfter(claim, answer, usualMs, backoff, settings);
  const next: NextPoll = { inMs: waitMs, urgency: usual.urgency };
  const payment = closeWhenDone(transition.payment, next);
  const isCharged = backoff > 0;
  return { claim, ...transition, payment, next, judgedAt: now, isSilent: true, isCharged, askedAgoMs: 0 };
}

/** In the late watch, a failed poll is repeated soon, unless the provider has refused it. */
function waitMsAfter(
  { payment, failures }: Claim,
  answer: StatusAnswer | null,
  usualMs: number,
  backoff: number,
  { urgency }: PollingSettings,
): number {
  if (payment.tracking !== 'watching' || answer?.kind === 'refused') return Math.max(usualMs, backoff);
  return Math.max(repeatMs(backoff > 0 ? failures + 1 : 0, usualMs, urgency), backoff);
}

/** Repeats a failed last poll of an ended payment a few times: it may find a late deposit, or a refund. */
function lastPollMs({ payment, failures }: Claim, { urgency }: PollingSettings): number | null {
  const isAsked = isFinal(payment.status) && payment.tracking === 'closed';
  const isOver = isAsked || failures >= MAX_LAST_POLLS;
  return isOver ? null : urgency.pollIntervalMs;
}

/** A payment backs off by its own failures and by the Retry-After of its answer. */
function backoffOf(claim: Claim, answer: StatusAnswer, settings: PollingSettings): number {
  const asked = answer.kind === 'unavailable' ? (answer.retryAfterMs ?? 0) : 0;
  return Math.max(backoffMs(claim.failures + 1, settings.urgency), Math.min(asked, RETRY_AFTER_UP_TO_MS));
}

const NEEDS_A_PERSON: ReadonlySet<string> = new Set(['payment.stalled', 'payment.anomaly']);

export function logPoll(log: Logger, poll: Poll, answer: StatusAnswer | null): void {
  const { quoteId } = poll.claim;
  const { orderId, provider } = poll.payment;
  const fields = { quoteId, provider, ...(orderId === null ? {} : { orderId: loggedOrderId(orderId) }) };
  if (answer?.kind === 'report' && poll.isSilent)
    log.warn(`${quoteId}: refused a report about another quote${ofOrder(orderId)}`, fields);
  for (const { type, sequence, reason } of poll.events) {
    const why = reason === undefined ? '' : ` (${reason})`;
    const line = `${quoteId}: ${type} #${sequence}${why}${ofOrder(orderId)}`;
    // Ordinary events are in the event log anyway; an event that needs a person is a warning.
    if (NEEDS_A_PERSON.has(type)) log.warn(line, { ...fields, type, sequence });
    else log.debug(line, { ...fields, type, sequence });
  }
}

interface Committed {
  readonly poll: Poll | null;
  readonly askedAt: number;
  readonly mayBeDropped: boolean;
}

/** Does not claim that a poll which may have been dropped has recorded anything. */
export function endSpan(span: Span, { poll, askedAt, mayBeDropped }: Committed): void {
  if (poll !== null && !mayBeDropped) span.recorded(poll.payment, poll.events, askedAt);
  span.end(mayBeDropped ? 'overtaken' : 'recorded', false, null);
}

export function outcomeOf(poll: Poll, answer: StatusAnswer): PollOutcome {
  if (answer.kind === 'report') {
    if (poll.isSilent) return 'foreign';
    return poll.events.length > 0 ? 'changed' : 'unchanged';
  }
  if (answer.kind === 'unavailable')
    return isTooManyRequests(answer.httpStatus) ? 'throttled' : 'unavailable';
  return answer.kind;
}

/** An answer that is judged once its payment was read, and recorded if it changes the payment. */
export interface AnsweredPoll {
  readonly due: DueClaim;
  /** Null: the payment could not be polled. */
  readonly answer: StatusAnswer | null;
  readonly isCharged: boolean;
  readonly at: Date;
  poll: Poll | null;
  /** True when a claim of its group was taken over: this poll may have been dropped. */
  mayBeDropped: boolean;
  /** When the provider was asked, by `performance.now()`. */
  readonly askedAt: number;
  /** Null: the poll changes nothing, or is not traced. */
  span: Span | null;
}
