import { addressKey } from '../chains/address-key.ts';
import { completedOutput, readSaidAmount } from '../payment/completed-output.ts';
import { readAnomalies, type ReportedAnomaly } from '../payment/outcome.ts';
import type { Payment } from '../payment/payment.ts';
import { isRecord } from '../payment/reading.ts';
import { mergePartDigests, type Report } from '../payment/report.ts';
import { isFinal, isStatus, judgeMove } from '../payment/status.ts';
import { contradict, reasonOf, withAnomalies } from './tell-anomalies.ts';
import type { Transition } from './transition.ts';

/** The specification has no status for a refund, but some providers have one. */
const REFUND_WORD = /REFUND/;

const ODD_OUTPUTS: ReadonlySet<ReportedAnomaly> = new Set([
  'partly_refunded',
  'short_output',
  'contradictory_output',
]);

/** A transfer that a report names; facts that it does not state yet are missing. */
interface Transfer {
  readonly hashes: readonly string[];
  readonly amount: string | null;
}

interface Facts {
  readonly output: Transfer;
  /** Null: the report names no refund. */
  readonly refund: Transfer | null;
}

/**
 * Reports a change that withdraws the completion of a payment whose stored report is `completedReport`: another status, a
 * refund or another output. Null: the payment has not completed, or the report repeats the stored one or only adds to it.
 * Pure.
 */
export function changeAfterCompletion(
  payment: Payment,
  report: Report,
  completedReport: string | null,
): Transition | null {
  const change = changeBy(payment, report, completedReport);
  if (change === null) return null;
  const changed = contradict(payment, report, 'changed_after_completed', change);
  if (report.status !== payment.status) return changed;
  // The report still says COMPLETED, so it replaces the stored one. Anomalies of its output are part of the change.
  const odd = report.anomalies.filter((anomaly) => ODD_OUTPUTS.has(anomaly));
  const told = odd.map((anomaly) => reasonOf(anomaly, payment));
  const kept: Payment = {
    ...changed.payment,
    partDigests: mergePartDigests(payment.partDigests, report),
    reportDigest: report.digest,
    contradictions: [...new Set([...changed.payment.contradictions, ...told])],
  };
  return withAnomalies({ ...changed, payment: kept, report }, report);
}

/** Describes the change; null: there is none. */
function changeBy(payment: Payment, report: Report, completedReport: string | null): string | null {
  const { status: word } = report;
  if (!isFinal(payment.status)) return null;
  if (!isStatus(word)) return REFUND_WORD.test(word) ? word : null;
  if (judgeMove(payment.status, word) !== 'same') return word;
  if (completedReport === null || report.digest === payment.reportDigest) return null;
  const [before, now] = [factsOf(completedReport), factsOf(report.text)];
  const changes = [...changedTransfer('output', before.output, now.output), ...changedRefund(before, now)];
  return changes.length === 0 ? null : changes.join(' ');
}

/** Leaves out the hash, which often comes later: the refund would be reported twice. */
function changedRefund({ refund: before }: Facts, { refund }: Facts): string[] {
  if (refund === null) return [];
  return before === null ? [`refund ${refund.amount ?? ''}`] : changedTransfer('refund', before, refund);
}

function changedTransfer(name: string, before: Transfer, now: Transfer): string[] {
  const isOtherAmount = before.amount !== null && now.amount !== null && before.amount !== now.amount;
  const added = now.hashes.filter((hash) => !before.hashes.includes(hash));
  const isOtherHash = added.length > 0 && before.hashes.some((hash) => !now.hashes.includes(hash));
  return [
    ...(isOtherAmount ? [`${name} ${now.amount}`] : []),
    ...(isOtherHash ? [`${name} ${added.join()}`] : []),
  ];
}

function factsOf(text: string): Facts {
  const report: unknown = JSON.parse(text);
  const { transactions = [], amount = null } = completedOutput(text) ?? {};
  const output = { hashes: transactions.map(addressKey), amount: amount === null ? null : plain(amount) };
  return { output, refund: isRecord(report) ? refundOf(report) : null };
}

function refundOf(report: Readonly<Record<string, unknown>>): Transfer | null {
  const execution = isRecord(report['execution']) ? report['execution'] : {};
  const refund = execution['refund'] ?? report['refund'];
  const { amount, txHash } = isRecord(refund) ? refund : {};
  const said = readSaidAmount(amount);
  const hashes = [...refundSteps(execution['steps']), txHash].filter((hash) => typeof hash === 'string');
  const isNamed = isRecord(refund) && Object.values(refund).some((value) => value !== null && value !== '');
  const isNone = said !== null && plain(said) === ZERO;
  const isPart = readAnomalies(report['anomalies']).includes('partly_refunded');
  if (hashes.length === 0 && !isPart && (!isNamed || isNone)) return null;
  return { hashes: hashes.map(addressKey), amount: said === null ? null : plain(said) };
}

function refundSteps(steps: unknown): unknown[] {
  const all: readonly unknown[] = Array.isArray(steps) ? steps : [];
  return all.flatMap((step) =>
    isRecord(step) && step['type'] === 'refund' && step['status'] !== 'failure' ? [step['txHash']] : [],
  );
}

const ZERO = '0';

/** One text for equal amounts: without trailing zeros. */
function plain(amount: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const [digits, rest] = [whole.replace(/^0+(?=\d)/, ''), fraction.replace(/0+$/, '')];
  return rest === '' ? digits : `${digits}.${rest}`;
}
