import { pollBy } from '../../domain/polling/due-by.ts';
import { unchangedUntil } from '../../domain/polling/unchanged.ts';
import type { Poll, Recorded } from '../../ports/schedule.ts';
import type { Queries } from '../../ports/queries.ts';
import { writeMarks } from '../payments/payment-row.ts';
import { eventRows, type EventRow } from '../events/record-events.ts';
import type { RecordSettings } from './record-settings.ts';
import { readStoredReports } from '../payments/report-columns.ts';

export interface Written extends Recorded {
  /** How many events were recorded. */
  readonly published: number;
}

interface WrittenRow {
  readonly published: number;
  readonly overtaken: number;
  /** The first look is 1. */
  readonly outdated: readonly number[];
}

/** Writes looks, and what follows from them, in one round trip and one transaction: one statement for each table. */
export async function recordPolls(
  queries: Queries,
  polls: readonly Poll[],
  rules: RecordSettings,
  now: Date,
): Promise<Written> {
  // One order for all replicas: no two transactions ever wait for each other.
  const ordered = [...polls].sort((a, b) => Number(BigInt(a.claim.paymentId) - BigInt(b.claim.paymentId)));
  const storedReports = await readStoredReports(queries, ordered);
  const events = ordered.flatMap((poll, index) => {
    const { paymentId } = poll.claim;
    const storedReport = storedReports.get(paymentId) ?? null;
    const published = { paymentId, payment: poll.payment, drafts: poll.events, storedReport };
    // Arrays of PostgreSQL begin with 1.
    return eventRows(published, rules.source, now).map((row) => ({ ...row, poll: index + 1 }));
  });
  const parameters = [
    ...scheduleArrays(ordered, rules, now),
    ...paymentArrays(ordered),
    ...eventArrays(events),
    now,
  ];
  const [row] = await queries.query<WrittenRow>(RECORD_POLLS, parameters);
  const outdated = (row?.outdated ?? []).flatMap((n) => ordered[n - 1] ?? []);
  return { published: row?.published ?? 0, stale: row?.overtaken ?? 0, outdated };
}

/** A look that heard from the provider again, or closes the payment, changes the row even without an event. */
function isChange(poll: Poll): boolean {
  return poll.events.length > 0 || poll.report !== null || poll.payment !== poll.claim.payment;
}

function scheduleArrays(
  polls: readonly Poll[],
  { urgency, stalledAfterMs }: RecordSettings,
  now: Date,
): unknown[] {
  return [
    polls.map((poll) => poll.claim.paymentId),
    polls.map((poll) => poll.claim.token),
    polls.map((poll) => poll.next.inMs),
    polls.map((poll) => poll.next.urgency),
    polls.map((poll) => poll.isSilent),
    polls.map((poll) => poll.isCharged),
    polls.map((poll) => pollBy(poll.payment)),
    polls.map((poll) =>
      poll.isSilent
        ? null
        : unchangedUntil(poll.payment, now, { ...urgency, stalledAfterMs }, poll.claim.hintedAt),
    ),
  ];
}

function paymentArrays(polls: readonly Poll[]): unknown[] {
  const payments = polls.map((poll) => poll.payment);
  return [
    polls.map(isChange),
    polls.map((poll) => poll.claim.payment.sequence),
    payments.map((payment) => payment.sequence),
    payments.map((payment) => payment.status),
    payments.map((payment) => payment.late),
    payments.map((payment) => payment.tracking),
    payments.map((payment) => payment.expiresAt),
    payments.map((payment) => payment.progressAt),
    payments.map((payment) => payment.endedAt),
    payments.map((payment) => writeMarks(payment.partDigests)),
    payments.map((payment) => payment.reportDigest),
    // An array of arrays must be rectangular in PostgreSQL: the lists travel as JSON.
    payments.map((payment) => JSON.stringify(payment.stalls)),
    payments.map((payment) => JSON.stringify(payment.contradictions)),
    polls.map((poll) => poll.report?.text ?? null),
  ];
}

function eventArrays(events: readonly (EventRow & { poll: number })[]): unknown[] {
  return [
    events.map((event) => event.poll),
    events.map((event) => event.id),
    events.map((event) => event.sequence),
    events.map((event) => event.type),
    events.map((event) => event.body),
  ];
}

/** An interval as a short budget stretches it now, see scaledMs of the domain; read once for each statement. */
export function scaled(inMs: string, urgency: string): string {
  return `(${inMs} + ((SELECT stretch FROM provider_rate_limit)[${urgency} + 1] - 1)
    * least(${inMs}, (SELECT scale_up_to_ms FROM provider_rate_limit)[${urgency} + 1])) * interval '1 millisecond'`;
}

const RECORD_POLLS = `
  SELECT overtaken, told, outdated FROM record_polls(
    $1::bigint[], $2::bigint[], $3::int[], $4::smallint[], $5::boolean[], $6::boolean[], $7::timestamptz[],
    $8::timestamptz[], $9::boolean[], $10::int[], $11::int[], $12::text[], $13::boolean[], $14::text[],
    $15::timestamptz[], $16::timestamptz[], $17::timestamptz[], $18::text[], $19::text[], $20::text[], $21::text[],
    $22::text[], $23::int[], $24::uuid[], $25::int[], $26::text[], $27::text[], $28::timestamptz)`;
