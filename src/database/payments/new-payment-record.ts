import { applyReport, openPayment } from '../../domain/transitions/apply-report.ts';
import { newPayment, numberIn } from '../../domain/payment/payment.ts';
import { storedFold } from '../../domain/payment/search.ts';
import type { Transition } from '../../domain/transitions/transition.ts';
import { pollBy } from '../../domain/polling/due-by.ts';
import { FIRST_POLL_SPREAD } from '../../domain/polling/spacing.ts';
import { closeWhenDone, nextPoll, urgencyName, type NextPoll } from '../../domain/polling/urgency.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { IdempotencyClaim } from '../../ports/idempotency.ts';
import type { PaymentToAdd } from '../../ports/payments.ts';
import { type EventRow, eventRows } from '../events/record-events.ts';
import type { RecordSettings } from '../events/record-settings.ts';
import { rowOf } from './payment-row.ts';
import type { NewRow } from './stored-payment.ts';

/** A payment to add, the claim of its idempotency key, and the offers to lease its new deliveries. */
export interface Addition {
  readonly payment: PaymentToAdd;
  readonly claim: IdempotencyClaim | null;
  readonly offers: readonly LeaseOffer[];
}

/** A payment with its first events and its first poll, before it is stored. */
export interface Opening {
  readonly transition: Transition;
  readonly firstPoll: FirstPoll;
}

/**
 * Creates the payment, then moves it by the report, if there is one. A quote that was just made is new to every receiver; any
 * other payment may have been stored before the database went back.
 */
export function openingOf(
  { quoteText, adoptedQuoteText, attemptId: _attemptId, report, span, ...fields }: PaymentToAdd,
  epoch: number,
  now: Date,
  rules: RecordSettings,
): Opening {
  const expiresAt = fields.expiresAt ?? report?.expiresAt ?? null;
  const terms = { quoteText: quoteText ?? adoptedQuoteText ?? null, traceparent: span?.kept ?? null };
  const payment = newPayment({ ...fields, expiresAt, ...terms }, now);
  const opened = openPayment(report === null ? { ...payment, epoch } : numberIn(epoch, payment));
  const reported = report === null ? opened : applyReport(opened.payment, report, now, rules);
  const events = report === null ? opened.events : [...opened.events, ...reported.events];
  const next = nextPoll(reported.payment, now, rules.urgency);
  const transition = { ...reported, payment: closeWhenDone(reported.payment, next), events };
  // Whether the report came from a look-up of the payment, not with its quote.
  const wasAsked = report !== null && quoteText === null;
  return { transition, firstPoll: firstPollOf(transition, next, wasAsked, now, rules) };
}

/** The fields of new_payment for the first poll: an interval from now, lengthened by a random spread. */
interface FirstPoll {
  readonly in_ms: number | null;
  readonly gap_ms: number;
  readonly urgency: string;
  readonly spread: number;
  readonly polled_at: Date | null;
  readonly poll_by: Date | null;
}

function firstPollOf(
  { payment }: Transition,
  next: NextPoll,
  wasAsked: boolean,
  now: Date,
  rules: RecordSettings,
): FirstPoll {
  return {
    in_ms: next.inMs,
    gap_ms: rules.urgency.gapMs,
    urgency: urgencyName(next.urgency),
    spread: wasAsked ? 0 : FIRST_POLL_SPREAD * Math.random(),
    polled_at: wasAsked ? now : null,
    poll_by: pollBy(payment, rules.urgency),
  };
}

/** The fields of the composite type new_payment of the schema. */
export type NewPayment = NewRow &
  FirstPoll & {
    readonly order_fold: string | null;
    readonly claim_scope: string | undefined;
    readonly claim_key: string | undefined;
    readonly claim_token: string | undefined;
    readonly attempt_id: string | null;
    readonly events: readonly EventRow[];
  };

/** Makes texts from outside well-formed: PostgreSQL refuses a lone surrogate. */
export function recordOf(
  { transition, firstPoll }: Opening,
  { payment: added, claim }: Addition,
  rules: RecordSettings,
  now: Date,
): NewPayment {
  const { payment, events, report } = transition;
  const storedReport = report?.text ?? null;
  const rows = eventRows({ payment, drafts: events, storedReport }, rules, now);
  const quote = added.quoteText ?? added.adoptedQuoteText;
  return {
    ...rowOf(payment),
    ...firstPoll,
    order_id: payment.orderId?.toWellFormed() ?? null,
    order_fold: storedFold(payment.orderId),
    quote: quote?.toWellFormed() ?? null,
    report: storedReport?.toWellFormed() ?? null,
    claim_scope: claim?.scope,
    claim_key: claim?.key,
    claim_token: claim?.token,
    attempt_id: added.attemptId ?? null,
    events: rows.map((row) => ({ ...row, body: row.body.toWellFormed() })),
  };
}
