import type { Look } from '../../ports/schedule.ts';
import type { Queries } from './database.ts';
import { writeMarks } from './payment-row.ts';
import { recordEvents } from './record-events.ts';
import { readStoredReports, storeReports } from './reports.ts';

/** Writes looks in the caller's transaction, one statement for each table; tells whether there are new events. */
export async function recordLooks(
  queries: Queries,
  looks: readonly Look[],
  source: string,
  now: Date,
): Promise<boolean> {
  // One order for all replicas: no two transactions ever wait for each other.
  const ordered = [...looks].sort((a, b) => Number(BigInt(a.claim.paymentId) - BigInt(b.claim.paymentId)));
  const held = await reschedule(queries, ordered);
  const mine = ordered.filter((look) => held.has(claimKey(look)));
  const changed = mine.filter(isChange);
  const moved = await movePayments(queries, changed, now);
  const kept = changed.filter((look) => moved.has(look.claim.paymentId));
  await close(
    queries,
    mine.filter((look) => look.next.inMs === null && (!isChange(look) || kept.includes(look))),
  );
  if (kept.length === 0) return false;
  const storedReports = await readStoredReports(queries, kept);
  await storeReports(queries, kept, now);
  await recordEvents(
    queries,
    kept.map((look) => ({
      paymentId: look.claim.paymentId,
      payment: look.payment,
      drafts: look.events,
      storedReport: storedReports.get(look.claim.paymentId) ?? null,
    })),
    source,
    now,
  );
  return kept.some((look) => look.events.length > 0);
}

/** A look that heard from the provider again, or closes the payment, changes the row even without an event. */
function isChange(look: Look): boolean {
  return look.events.length > 0 || look.report !== null || look.payment !== look.claim.payment;
}

/** Two looks at one payment may share a batch: the payment alone does not tell them apart. */
function claimKey({ claim }: Look): string {
  return `${claim.paymentId}#${claim.token}`;
}

/** The token is the fence: a look whose claim was taken over is not among the answered claims. */
async function reschedule(queries: Queries, looks: readonly Look[]): Promise<Set<string>> {
  const rows = await queries.query<{ claim_key: string }>(RESCHEDULE, [
    looks.map((look) => look.claim.paymentId),
    looks.map((look) => look.claim.token),
    looks.map((look) => look.next.inMs),
    looks.map((look) => look.next.urgency),
    looks.map((look) => look.isSilent),
  ]);
  return new Set(rows.map((row) => row.claim_key));
}

/** Only what was written too: a look that could not be stays due at once, for another look. */
async function close(queries: Queries, looks: readonly Look[]): Promise<void> {
  if (looks.length > 0) await queries.query(CLOSE, [looks.map((look) => look.claim.paymentId)]);
}

/** The sequence is checked too: whatever else may happen, no number is given twice. */
async function movePayments(queries: Queries, looks: readonly Look[], now: Date): Promise<Set<string>> {
  if (looks.length === 0) return new Set();
  const payments = looks.map((look) => look.payment);
  const rows = await queries.query<{ id: string }>(MOVE, [
    looks.map((look) => look.claim.paymentId),
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
    now,
  ]);
  return new Set(rows.map((row) => row.id));
}

const RESCHEDULE = `
  UPDATE payment_schedule s
  SET due_at = now() + coalesce(i.in_ms, 0) * interval '1 millisecond',
    interval_ms = coalesce(i.in_ms, s.interval_ms), urgency = i.urgency,
    silent_since = CASE WHEN i.is_silent THEN coalesce(s.silent_since, s.polled_at) END,
    answered_at = CASE WHEN i.is_silent THEN s.answered_at ELSE s.polled_at END,
    failures = CASE WHEN i.is_silent THEN least(s.failures + 1, 10000) ELSE 0 END
  FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::smallint[], $5::boolean[])
    AS i (id, token, in_ms, urgency, is_silent)
  WHERE s.payment_id = i.id AND s.token = i.token
  RETURNING s.payment_id || '#' || s.token AS claim_key`;

const CLOSE = `
  WITH gone AS (DELETE FROM payment_schedule WHERE payment_id = ANY ($1::bigint[]) RETURNING *)
  UPDATE payment p SET tracking = 'closed', last_polled_at = gone.polled_at
  FROM gone WHERE p.id = gone.payment_id`;

const MOVE = `
  UPDATE payment p
  SET sequence = i.sequence, status = i.status, late = i.late, tracking = i.tracking, expires_at = i.expires_at,
    progress_at = i.progress_at, ended_at = i.ended_at, marks = i.marks, report_mark = i.report_mark,
    stalls = ARRAY(SELECT json_array_elements_text(i.stalls::json)),
    contradictions = ARRAY(SELECT json_array_elements_text(i.contradictions::json)), updated_at = $14
  FROM unnest($1::bigint[], $2::int[], $3::int[], $4::text[], $5::boolean[], $6::text[], $7::timestamptz[],
      $8::timestamptz[], $9::timestamptz[], $10::text[], $11::text[], $12::text[], $13::text[])
    AS i (id, base, sequence, status, late, tracking, expires_at, progress_at, ended_at, marks, report_mark,
      stalls, contradictions)
  WHERE p.id = i.id AND p.sequence = i.base
  RETURNING p.id`;
