import type { Look } from '../../ports/schedule.ts';
import type { Queries } from './database.ts';

/** Only an event that is not about a new report, such as a stall, tells the stored one again. */
export async function readStoredReports(
  queries: Queries,
  looks: readonly Look[],
): Promise<Map<string, string>> {
  const wanting = looks.filter((look) => look.events.some((draft) => draft.reportText === undefined));
  if (wanting.length === 0) return new Map();
  const ids = wanting.map((look) => look.claim.paymentId);
  const rows = await queries.query<{ payment_id: string; body: string }>(
    `SELECT payment_id, body FROM payment_report WHERE payment_id = ANY ($1::bigint[])`,
    [ids],
  );
  const stored = new Map(rows.map((row) => [row.payment_id, row.body]));
  for (const look of wanting) {
    if (look.report !== null) stored.set(look.claim.paymentId, look.report.text);
  }
  return stored;
}

export async function storeReports(queries: Queries, looks: readonly Look[], now: Date): Promise<void> {
  const reported = looks.flatMap((look) =>
    look.report === null ? [] : [{ id: look.claim.paymentId, text: look.report.text }],
  );
  if (reported.length === 0) return;
  await queries.query(STORE_REPORTS, [
    reported.map((each) => each.id),
    reported.map((each) => each.text),
    now,
  ]);
}

const STORE_REPORTS = `
  INSERT INTO payment_report (payment_id, body, reported_at)
  SELECT i.id, i.body, $3 FROM unnest($1::bigint[], $2::text[]) AS i (id, body)
  ON CONFLICT (payment_id) DO UPDATE SET body = excluded.body, reported_at = excluded.reported_at`;
