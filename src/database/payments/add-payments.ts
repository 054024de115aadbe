import type { PaymentEvent } from '../../domain/event/stamp-event.ts';
import { applyReport, openPayment } from '../../domain/payment/apply-report.ts';
import { newPayment, numberIn } from '../../domain/payment/payment.ts';
import type { Transition } from '../../domain/payment/transition.ts';
import { pollBy } from '../../domain/polling/due-by.ts';
import { FIRST_POLL_SPREAD } from '../../domain/polling/spacing.ts';
import { nextPoll, urgencyName } from '../../domain/polling/urgency.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import { IdempotencyLost, type IdempotencyClaim } from '../../ports/idempotency.ts';
import { PaymentRemoved, type PaymentToAdd, type StoredPayment } from '../../ports/payments.ts';
import type { NewDeliveries } from '../../platform/scheduling/delivery-signals.ts';
import { codeOf } from '../connection/connection-errors.ts';
import type { Database } from '../connection/database.ts';
import { newDeliveries, offersText, type NewDeliveryRow } from '../events/new-deliveries.ts';
import { eventRows } from '../events/record-events.ts';
import type { RecordSettings } from '../polling/record-settings.ts';
import { rowOf } from './payment-row.ts';
import { storedNew, type NewRow } from './stored-payment.ts';

/** A payment to add, and the claim of the idempotency key that made it. */
export interface Addition {
  readonly payment: PaymentToAdd;
  readonly claim: IdempotencyClaim | null;
}

/** A payment that was new, as it was stored. */
export interface Added {
  readonly payment: StoredPayment;
  readonly events: Transition['events'];
}

export interface AddedGroup {
  /** Null for a payment that is stored already. */
  readonly added: readonly (Added | null)[];
  readonly deliveries: NewDeliveries;
}

interface AddedRow extends NewDeliveryRow {
  readonly present_epoch: number;
  /** The first payment is 1. */
  readonly added: readonly number[] | null;
  /** Of those that are polled. */
  readonly first_polls: readonly Date[] | null;
}

/** A payment and its first poll, before it is stored. */
interface First {
  readonly transition: Transition;
  readonly first: FirstPoll;
}

/** Codes that add_payments_v3 raises. */
const REMOVED = 'PB002';
const CLAIM_LOST = 'PB003';

/**
 * Adds payments, no two of one quote, in one round trip and one transaction. Throws PaymentRemoved and IdempotencyLost when that is so for one of them: then none is added.
 */
export async function addPayments(
  database: Database,
  additions: readonly Addition[],
  rules: RecordSettings,
  offers: readonly LeaseOffer[],
  now: Date,
): Promise<AddedGroup> {
  const since = performance.now();
  for (let epoch = database.known.epoch ?? 0; ;) {
    const first = additions.map(({ payment }) => firstOf(payment, epoch, now, rules));
    const records = first.map((each, index) => recordOf(each, additions[index] as Addition, rules, now));
    const row = await add(database, [JSON.stringify(records), now, epoch, offersText(offers)]);
    const { added } = row;
    if (added !== null) {
      noteStored(database, records, added, epoch);
      const payments = first.map(({ transition }) => transition.payment);
      return {
        added: addedOf(row, first, records, now),
        deliveries: newDeliveries(row, payments, records, since),
      };
    }
    epoch = row.present_epoch;
  }
}

async function add(database: Database, parameters: readonly unknown[]): Promise<AddedRow> {
  try {
    const rows = await database.withDeadlockRetry(() => database.query<AddedRow>(ADD_PAYMENTS, parameters));
    return rows[0] as AddedRow;
  } catch (error) {
    if (codeOf(error) === REMOVED) throw new PaymentRemoved(409);
    throw codeOf(error) === CLAIM_LOST ? new IdempotencyLost() : error;
  }
}

/**
 * A payment is created first, and then moved by a report that is known already. A quote that was just made is new to
 * everybody; any other payment may have been here before the database went back.
 */
function firstOf(
  { quoteText, adoptedQuoteText: _adopted, report, span, ...fields }: PaymentToAdd,
  epoch: number,
  now: Date,
  rules: RecordSettings,
): First {
  const expiresAt = fields.expiresAt ?? report?.expiresAt ?? null;
  const payment = newPayment({ ...fields, expiresAt, traceparent: span?.kept ?? null }, now);
  const opened = openPayment(report === null ? { ...payment, epoch } : numberIn(epoch, payment));
  const reported = report === null ? opened : applyReport(opened.payment, report, now, rules);
  const transition =
    report === null ? opened : { ...reported, events: [...opened.events, ...reported.events] };
  // The report came from asking about the payment, not with its quote.
  const wasAsked = report !== null && quoteText === null;
  return { transition, first: firstPollOf(transition, wasAsked, now, rules) };
}

/** The fields of new_payment about the first poll: a little later than an interval from now, by a spread of its own. */
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
  wasAsked: boolean,
  now: Date,
  rules: RecordSettings,
): FirstPoll {
  const next = nextPoll(payment, now, rules.urgency);
  return {
    in_ms: next.inMs,
    gap_ms: rules.urgency.gapMs,
    urgency: urgencyName(next.urgency),
    spread: wasAsked ? 0 : FIRST_POLL_SPREAD * Math.random(),
    polled_at: wasAsked ? now : null,
    poll_by: pollBy(payment),
  };
}

/** The fields of the composite type new_payment of the schema. */
type NewPayment = NewRow &
  FirstPoll & {
    readonly claim_scope: string | undefined;
    readonly claim_key: string | undefined;
    readonly claim_token: string | undefined;
    readonly events: readonly PaymentEvent[];
  };

/** The payments that were new, of all that were asked for. */
function addedOf(
  { added, first_polls: dueAt }: AddedRow,
  first: readonly First[],
  records: readonly NewPayment[],
  now: Date,
): (Added | null)[] {
  const isNew = new Set(added);
  const polls = (dueAt ?? []).values();
  return records.map((record, index) => {
    if (!isNew.has(index + 1)) return null;
    const nextPollAt = record.in_ms === null ? null : (polls.next().value ?? null);
    return { payment: storedNew(record, nextPollAt, now), events: first[index]?.transition.events ?? [] };
  });
}

/** Texts of strangers are made well-formed: PostgreSQL refuses half a character. */
function recordOf(
  { transition, first }: First,
  { payment: added, claim }: Addition,
  rules: RecordSettings,
  now: Date,
): NewPayment {
  const { payment, events, report } = transition;
  const storedReport = report?.text ?? null;
  const rows = eventRows({ payment, drafts: events, storedReport }, rules.source, now);
  const quote = added.quoteText ?? added.adoptedQuoteText;
  return {
    ...rowOf(payment),
    ...first,
    order_id: payment.orderId?.toWellFormed() ?? null,
    quote: quote?.toWellFormed() ?? null,
    report: storedReport?.toWellFormed() ?? null,
    claim_scope: claim?.scope,
    claim_key: claim?.key,
    claim_token: claim?.token,
    events: rows.map((row) => ({ ...row, body: row.body.toWellFormed() })),
  };
}

/** One event is as good as all: they are of one transaction. */
function noteStored(
  database: Database,
  records: readonly NewPayment[],
  added: readonly number[],
  epoch: number,
): void {
  const last = records[(added.at(-1) ?? 0) - 1]?.events.at(-1);
  if (last !== undefined) database.known.noteRecorded({ ids: [last.id], epoch });
}

const ADD_PAYMENTS = `
  SELECT present_epoch, added, first_polls, leased_deliveries, due_destinations
  FROM add_payments_v3($1::json, $2::timestamptz, $3::int, $4::json)`;
