import { amountsOf, judgeSums, type JudgedSums, type Match, type SumRules } from '../payment/amounts.ts';
import { REPORTED_ANOMALIES, type ReportedAnomaly } from '../payment/outcome.ts';
import type { Payment } from '../payment/payment.ts';
import { isCompletion, readReport, type Report } from '../payment/report.ts';
import { withMembers } from '../payment/shown-report.ts';
import { readTerms } from '../payment/terms.ts';

/** A report, and how its sums compare with the payment's. */
export interface Summed {
  readonly report: Report;
  /** Null before the deposit. */
  readonly match: Match | null;
}

/**
 * Adds the anomalies of its sums to a report. If the merchant wants it, a completion for which too little was paid, or a part
 * went back, becomes a failure.
 */
export function applySums(payment: Payment, report: Report, rules: SumRules): Summed {
  const sums = judgeSums(payment.quoteText, report.text, rules);
  if (sums === null) return { report, match: null };
  const { match } = sums;
  const anomalies = oddOf(report, sums);
  const mayFail = rules.failsUnderpaid && isCompletion(report) && payment.status !== 'COMPLETED';
  const error = mayFail ? errorOf(payment, report, anomalies) : null;
  return { report: error === null ? withAnomalies(report, anomalies) : failed(report, error), match };
}

/** Until the payment completes, another deposit may correct a sum that is too low or too high. */
function oddOf(report: Report, { match, isOtherToken, isShort }: JudgedSums): readonly ReportedAnomaly[] {
  const odd = new Set<string>(report.anomalies);
  if (isOtherToken) odd.add('other_token_received');
  if (isCompletion(report)) {
    odd.add(match);
    if (isShort) odd.add('short_output');
  }
  return REPORTED_ANOMALIES.filter((anomaly) => odd.has(anomaly));
}

function errorOf(
  { quoteText }: Payment,
  { text }: Report,
  anomalies: readonly ReportedAnomaly[],
): string | null {
  const { asked, came } = amountsOf(quoteText, text, 'unknown').send;
  const { symbol } = readTerms(quoteText).send;
  const sum = `${asked ?? 'the sum'}${symbol === null ? '' : ` ${symbol}`}`;
  if (anomalies.includes('other_token_received'))
    return `UNDERPAID: another token came instead of ${sum}, and was delivered.`;
  if (anomalies.includes('underpaid')) return `UNDERPAID: ${came} came instead of ${sum}, and was delivered.`;
  return anomalies.includes('partly_refunded')
    ? 'REFUNDED: a part was delivered, and a part went back'
    : null;
}

/** The error explains the failure, so that the report's anomalies are left out. */
function failed({ text }: Report, error: string): Report {
  const failure = withMembers(text, { status: 'FAILED', error, anomalies: [] });
  return readReport(JSON.parse(failure), failure) as Report;
}

function withAnomalies(report: Report, anomalies: readonly ReportedAnomaly[]): Report {
  if (anomalies.length === report.anomalies.length) return report;
  const { quoteId, status, expiresAt, depositAddress, text, digest } = report;
  return {
    quoteId,
    status,
    expiresAt,
    depositAddress,
    anomalies,
    text,
    digest,
    get partDigests() {
      return report.partDigests;
    },
  };
}
