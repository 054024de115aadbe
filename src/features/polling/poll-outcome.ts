import type { Logger } from '@nestjs/common';

import { loggedOrderId, ofOrder } from '../../domain/text/log-context.ts';
import type { PollOutcome } from '../../ports/meter.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { DueClaim, Poll } from '../../ports/schedule.ts';
import type { Span } from '../../ports/tracer.ts';

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
    // The course of a payment is the rule, and stands in the event log; what needs a person is a warning.
    if (NEEDS_A_PERSON.has(type)) log.warn(line, { ...fields, type, sequence });
    else log.debug(line, { ...fields, type, sequence });
  }
}

interface Committed {
  readonly poll: Poll | null;
  readonly askedAt: number;
  readonly mayBeDropped: boolean;
}

/** A poll that may have been dropped is not said to have recorded anything. */
export function endSpan(span: Span, { poll, askedAt, mayBeDropped }: Committed): void {
  if (poll !== null && !mayBeDropped) span.recorded(poll.payment, poll.events, askedAt);
  span.end(mayBeDropped ? 'overtaken' : 'recorded', false, null);
}

export function outcomeOf(poll: Poll, answer: StatusAnswer): PollOutcome {
  if (answer.kind === 'report') {
    if (poll.isSilent) return 'foreign';
    return poll.events.length > 0 ? 'changed' : 'unchanged';
  }
  if (answer.kind === 'unavailable') return answer.httpStatus === 429 ? 'throttled' : 'unavailable';
  return answer.kind;
}

/** An answer to be judged, once its payment was read, and recorded if it changes the payment. */
export interface Answered {
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
  /** Null: it changes nothing, or is not traced. */
  span: Span | null;
}
