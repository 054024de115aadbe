import { firstInspectionAt, watchEndsAt } from '../../domain/payment/deposit-inspections.ts';
import { readRoute } from '../../domain/payment/route.ts';
import { isPaid } from '../../domain/payment/status.ts';
import { saysCompleted } from '../../domain/payment/shown-report.ts';
import type { ProofRecording } from '../events/record-settings.ts';
import type { NewPayment } from './new-payment-record.ts';

/**
 * The parameters the_quote_ids to the_ends of add_payments_to_prove; null when the witness has nothing to do for these
 * payments.
 */
export function toProveOf(
  records: readonly NewPayment[],
  { chainIds }: ProofRecording,
): readonly unknown[] | null {
  const digests = records.map(({ report, report_digest: digest }) =>
    report !== null && saysCompleted(report) ? digest : null,
  );
  const watched = records.map((record) => isWatched(record, chainIds));
  if (digests.every((digest) => digest === null) && !watched.includes(true)) return null;
  const dateOf = (choose: typeof firstInspectionAt): (Date | null)[] =>
    records.map((record, index) => (watched[index] ? choose(record.expires_at, record.created_at) : null));
  return [records.map((record) => record.quote_id), digests, dateOf(firstInspectionAt), dateOf(watchEndsAt)];
}

function isWatched({ quote, report, status }: NewPayment, chainIds: ReadonlySet<number>): boolean {
  if (chainIds.size === 0 || isPaid(status)) return false;
  const { origin } = readRoute({ quoteText: quote, reportText: report });
  return chainIds.has(Number(origin.chainId));
}
