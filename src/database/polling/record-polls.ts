import { pollBy } from '../../domain/polling/due-by.ts';
import { isCompletion } from '../../domain/payment/report.ts';
import { isFinal } from '../../domain/payment/status.ts';
import { unchangedUntil } from '../../domain/polling/unchanged.ts';
import { urgencyName } from '../../domain/polling/urgency.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { Poll, RecordOutcome } from '../../ports/schedule.ts';
import type { Queries } from '../../ports/queries.ts';
import type { NewDeliveries } from '../../ports/new-deliveries.ts';
import { rowOf } from '../payments/payment-row.ts';
import type { StoredEvents } from '../connection/known-events.ts';
import {
  type EventRow,
  eventRows,
  newDeliveries,
  type NewDeliveryRow,
  offersText,
} from '../events/record-events.ts';
import type { RecordSettings } from '../events/record-settings.ts';
import { prepared } from '../connection/prepared.ts';

export interface RecordedPolls extends RecordOutcome {
  /** How many events were recorded. */
  readonly published: number;
  /** Events of which at least one is certainly stored once the transaction is committed; null: no such event is known. */
  readonly stored: StoredEvents | null;
  readonly deliveries: NewDeliveries;
  /** How many reports say COMPLETED, for the witness. */
  readonly toProve: number;
}

interface WrittenRow extends NewDeliveryRow {
  readonly published: number;
  readonly overtaken: number;
  /** Numbers of polls, from 1. */
  readonly outdated: readonly number[];
}

/** The fields of the composite type poll_record of the schema. */
type PollRecord = Readonly<Record<string, unknown>> & {
  readonly epoch: number;
  readonly events: readonly EventRow[];
};

/** Writes a provider's poll results with their events and deliveries, in one round trip and one transaction. */
export async function recordPolls(
  queries: Queries,
  provider: string,
  polls: readonly Poll[],
  rules: RecordSettings,
  offers: readonly LeaseOffer[],
  now: Date,
): Promise<RecordedPolls> {
  const since = performance.now();
  const ordered = polls.toSorted(byPayment);
  const storedReports = await readStoredReports(queries, ordered);
  const records = ordered.map((poll) => {
    const { paymentId } = poll.claim;
    const storedReport = storedReports.get(paymentId) ?? null;
    const recorded = { payment: poll.payment, drafts: poll.events, storedReport };
    return recordOf(poll, eventRows(recorded, rules, now), rules);
  });
  const parameters = [JSON.stringify(records), now, offersText(offers), provider];
  const proofs = ordered.filter((poll) => isToProve(poll, rules));
  const [row] = (await queries.query<WrittenRow>(
    ...(proofs.length === 0
      ? ([RECORD_POLLS, parameters] as const)
      : ([RECORD_TO_PROVE, [...parameters, ...ofProofs(proofs)]] as const)),
  )) as [WrittenRow];
  const outdated = row.outdated.flatMap((n) => ordered[n - 1] ?? []);
  const payments = ordered.map(({ payment }) => payment);
  const deliveries = newDeliveries(row, payments, records, since);
  return {
    published: row.published,
    stale: row.overtaken,
    outdated,
    stored: storedOf(records, row),
    deliveries,
    toProve: proofs.length,
  };
}

/** With VERIFY off, a proof that was begun before still follows the report, so that it can go on once VERIFY is on again. */
function isToProve({ report, claim }: Poll, { verify }: RecordSettings): boolean {
  return isCompletion(report) && (verify !== 'off' || claim.verification !== null);
}

/** The parameters the_payments and the_digests of record_polls_to_prove. */
function ofProofs(polls: readonly Poll[]): unknown[] {
  return [polls.map(({ claim }) => claim.paymentId), polls.map(({ payment }) => payment.reportDigest)];
}

/**
 * All replicas use one order of payments, so that no two transactions ever wait for each other. Two polls of one payment go
 * by token, so that the last one counts: both may have the event `payment.completed`.
 */
function byPayment({ claim: one }: Poll, { claim: other }: Poll): number {
  const payments = BigInt(one.paymentId) - BigInt(other.paymentId);
  return Number(payments === 0n ? BigInt(one.token) - BigInt(other.token) : payments);
}

/**
 * One event is enough: all were written in one transaction. If polls were overtaken, all events are noted: which polls those
 * were is not known.
 */
function storedOf(
  records: readonly PollRecord[],
  { published, overtaken, outdated }: WrittenRow,
): StoredEvents | null {
  if (published === 0) return null;
  const tried = records.filter(({ events }, index) => events.length > 0 && !outdated.includes(index + 1));
  const epoch = Math.max(...tried.map((record) => record.epoch));
  const ids = tried.flatMap(({ events }) => events.map(({ id }) => id));
  return { ids: overtaken === 0 ? ids.slice(-1) : ids, epoch };
}

/** Only an event that brings no new report, such as a stall, contains the stored report. */
async function readStoredReports(queries: Queries, polls: readonly Poll[]): Promise<Map<string, string>> {
  const wanting = polls.filter((poll) => poll.events.some((draft) => draft.reportText === undefined));
  if (wanting.length === 0) return new Map();
  const ids = wanting.map((poll) => poll.claim.paymentId);
  const rows = await queries.query<{ payment_id: string; body: string }>(
    `SELECT payment_id, body FROM payment_report WHERE payment_id = ANY ($1::bigint[])`,
    [ids],
  );
  const stored = new Map(rows.map((row) => [row.payment_id, row.body]));
  for (const poll of wanting) {
    if (poll.report !== null) stored.set(poll.claim.paymentId, poll.report.text);
  }
  return stored;
}

/** A poll that ends a silence or closes the payment changes the row even without an event. */
function isChange(poll: Poll): boolean {
  return poll.events.length > 0 || poll.report !== null || poll.payment !== poll.claim.payment;
}

/** Makes texts from outside well-formed: PostgreSQL refuses a lone surrogate. */
function recordOf(poll: Poll, events: readonly EventRow[], rules: RecordSettings): PollRecord {
  const { claim, payment, report, next, judgedAt } = poll;
  const { urgency, stalledAfterMs } = rules;
  const unchanged = unchangedUntil(payment, judgedAt, { ...urgency, stalledAfterMs }, claim.hintedAt);
  return {
    payment_id: claim.paymentId,
    token: claim.token,
    in_ms: next.inMs,
    gap_ms: urgency.gapMs,
    asked_ago_ms: poll.askedAgoMs,
    urgency: urgencyName(next.urgency),
    is_silent: poll.isSilent,
    is_charged: poll.isCharged,
    poll_by: pollBy(payment, urgency),
    unchanged_until: poll.isSilent ? null : unchanged,
    is_change: isChange(poll),
    is_final: isFinal(payment.status),
    base_sequence: claim.payment.previousSequence ?? claim.payment.sequence,
    ...rowOf(payment),
    ...UNMOVED,
    report: report?.text.toWellFormed() ?? null,
    events: events.map((event) => ({ ...event, body: event.body.toWellFormed() })),
  };
}

/** Left out of the JSON: no poll changes these fields, and record_polls itself removes a resolution. */
const UNMOVED = {
  quote_id: undefined,
  provider: undefined,
  order_id: undefined,
  metadata: undefined,
  created_at: undefined,
  expected_ms: undefined,
  resolution: undefined,
  traceparent: undefined,
};

const RECORD_POLLS = prepared(`
  SELECT overtaken, published, outdated, leased_deliveries, due_destinations
  FROM record_polls($1::json, $2::timestamptz, $3::json, $4::text)`);
const RECORD_TO_PROVE = prepared(`
  SELECT overtaken, published, outdated, leased_deliveries, due_destinations
  FROM record_polls_to_prove($1::json, $2::timestamptz, $3::json, $4::text, $5::bigint[], $6::text[])`);
