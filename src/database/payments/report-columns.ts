import type { Look } from '../../ports/schedule.ts';
import type { Queries } from '../../ports/queries.ts';

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
