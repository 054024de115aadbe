import { lookBy } from '../../domain/polling/due-by.ts';
import { quietUntil } from '../../domain/polling/unchanged.ts';
import type { Look, Recorded } from '../../ports/schedule.ts';
import type { Queries } from '../../ports/queries.ts';
import { writeMarks } from '../payments/payment-row.ts';
import { eventRows, type EventRow } from '../events/record-events.ts';
import type { RecordRules } from './record-settings.ts';
import { readStoredReports } from '../payments/report-columns.ts';

export interface Written extends Recorded {
  /** How many events were recorded. */
  readonly told: number;
}

interface WrittenRow {
  readonly told: number;
  readonly overtaken: number;
  /** The first look is 1. */
  readonly outdated: readonly number[];
}

/** Writes looks, and what follows from them, in one round trip and one transaction: one statement for each table. */
export async function recordLooks(
  queries: Queries,
  looks: readonly Look[],
  rules: RecordRules,
  now: Date,
): Promise<Written> {
  // One order for all replicas: no two transactions ever wait for each other.
  const ordered = [...looks].sort((a, b) => Number(BigInt(a.claim.paymentId) - BigInt(b.claim.paymentId)));
  const storedReports = await readStoredReports(queries, ordered);
  const events = ordered.flatMap((look, index) => {
    const { paymentId } = look.claim;
    const storedReport = storedReports.get(paymentId) ?? null;
    const told = { paymentId, payment: look.payment, drafts: look.events, storedReport };
    // Arrays of PostgreSQL begin with 1.
    return eventRows(told, rules.source, now).map((row) => ({ ...row, look: index + 1 }));
  });
  const parameters = [
    ...scheduleArrays(ordered, rules, now),
    ...paymentArrays(ordered),
    ...eventArrays(events),
    now,
  ];
  const [row] = await queries.query<WrittenRow>(RECORD_LOOKS, parameters);
  const outdated = (row?.outdated ?? []).flatMap((n) => ordered[n - 1] ?? []);
  return { told: row?.told ?? 0, overtaken: row?.overtaken ?? 0, outdated };
}

/** A look that heard from the provider again, or closes the payment, changes the row even without an event. */
function isChange(look: Look): boolean {
  return look.events.length > 0 || look.report !== null || look.payment !== look.claim.payment;
}

function scheduleArrays(
  looks: readonly Look[],
  { urgency, stalledAfterMs }: RecordRules,
  now: Date,
): unknown[] {
  return [
    looks.map((look) => look.claim.paymentId),
    looks.map((look) => look.claim.token),
    looks.map((look) => look.next.inMs),
    looks.map((look) => look.next.urgency),
    looks.map((look) => look.isSilent),
    looks.map((look) => look.isCharged),
    looks.map((look) => lookBy(look.payment)),
    looks.map((look) =>
      look.isSilent
        ? null
        : quietUntil(look.payment, now, { ...urgency, stalledAfterMs }, look.claim.hintedAt),
    ),
  ];
}

function paymentArrays(looks: readonly Look[]): unknown[] {
  const payments = looks.map((look) => look.payment);
  return [
    looks.map(isChange),
    looks.map((look) => look.claim.payment.sequence),
    payments.map((payment) => payment.sequence),
    payments.map((payment) => payment.status),
    payments.map((payment) => payment.late),
    payments.map((payment) => payment.tracking),
    payments.map((payment) => payment.expiresAt),
    payments.map((payment) => payment.progressAt),
    payments.map((payment) => payment.endedAt),
    payments.map((payment) => writeMarks(payment.marks)),
    payments.map((payment) => payment.reportMark),
    // An array of arrays must be rectangular in PostgreSQL: the lists travel as JSON.
    payments.map((payment) => JSON.stringify(payment.stalls)),
    payments.map((payment) => JSON.stringify(payment.contradictions)),
    looks.map((look) => look.report?.text ?? null),
  ];
}

function eventArrays(events: readonly (EventRow & { look: number })[]): unknown[] {
  return [
    events.map((event) => event.look),
    events.map((event) => event.id),
    events.map((event) => event.sequence),
    events.map((event) => event.type),
    events.map((event) => event.body),
  ];
}

/** An interval as a short budget stretches it now, see stretchedMs of the domain; read once for each statement. */
export function stretched(inMs: string, urgency: string): string {
  return `(${inMs} + ((SELECT stretch FROM provider_pace)[${urgency} + 1] - 1)
    * least(${inMs}, (SELECT stretch_up_to_ms FROM provider_pace)[${urgency} + 1])) * interval '1 millisecond'`;
}

const RECORD_LOOKS = `
  SELECT overtaken, told, outdated FROM record_looks(
    $1::bigint[], $2::bigint[], $3::int[], $4::smallint[], $5::boolean[], $6::boolean[], $7::timestamptz[],
    $8::timestamptz[], $9::boolean[], $10::int[], $11::int[], $12::text[], $13::boolean[], $14::text[],
    $15::timestamptz[], $16::timestamptz[], $17::timestamptz[], $18::text[], $19::text[], $20::text[], $21::text[],
    $22::text[], $23::int[], $24::uuid[], $25::int[], $26::text[], $27::text[], $28::timestamptz)`;
