import type { Poll } from '../../ports/schedule.ts';
import type { Queries } from '../../ports/queries.ts';

/** Only an event that is not about a new report, such as a stall, contains the stored report. */
export async function readStoredReports(
  queries: Queries,
  polls: readonly Poll[],
): Promise<Map<string, string>> {
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
