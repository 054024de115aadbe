import { COMPLETED_BY, type CompletedBy } from './outcome.ts';
import { isAmount } from './amount.ts';
import { isRecord } from './reading.ts';
import { saysCompleted } from './shown-report.ts';

/** The output of a completed payment, by its report. */
export interface CompletedOutput {
  readonly by: CompletedBy;
  /** The hashes of the transfers to the recipient. */
  readonly transactions: readonly string[];
  /** In units of the token, a decimal; null: the report does not say it. */
  readonly amount: string | null;
  /** The token's address; null: the report does not say it. */
  readonly token: string | null;
}

const MOST_TRANSACTIONS = 20;

/** Null: there is no report, or it does not say COMPLETED. A report that does not say what completed it is the provider's word. */
export function completedOutput(reportText: string | null): CompletedOutput | null {
  if (reportText === null || !saysCompleted(reportText)) return null;
  const report: unknown = JSON.parse(reportText);
  const execution = isRecord(report) && isRecord(report['execution']) ? report['execution'] : {};
  const output = isRecord(execution['output']) ? execution['output'] : {};
  const { amount, token } = output;
  return {
    by: COMPLETED_BY.find((by) => by === execution['completedBy']) ?? 'word',
    transactions: transactionsOf(execution),
    amount: isAmount(amount) ? amount : null,
    token: typeof token === 'string' ? token : null,
  };
}

function transactionsOf({ outputTxHash, steps }: Readonly<Record<string, unknown>>): string[] {
  const fills = Array.isArray(steps) ? steps.filter((step) => isRecord(step) && isFill(step)) : [];
  const hashes = [...fills.map(({ txHash }: Readonly<Record<string, unknown>>) => txHash), outputTxHash];
  const named = hashes.filter((hash): hash is string => typeof hash === 'string' && hash !== '');
  return [...new Set(named)].slice(0, MOST_TRANSACTIONS);
}

function isFill({ type, status }: Readonly<Record<string, unknown>>): boolean {
  return type === 'fill' && status !== 'failure';
}
