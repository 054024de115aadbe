import { addressKey } from '../chains/address-key.ts';
import { COMPLETED_BY, type CompletedBy } from './outcome.ts';
import { isRecord } from './reading.ts';
import { saysCompleted } from './shown-report.ts';

/** The output of a completed payment, read from its report. */
export interface CompletedOutput {
  readonly by: CompletedBy;
  /** The hashes of the transfers to the recipient. */
  readonly transactions: readonly string[];
  /** A decimal in units of the token; null: the report does not state it. */
  readonly amount: string | null;
  /** The token's address; null: the report does not state it. */
  readonly token: string | null;
}

const MOST_TRANSACTIONS = 20;
/** 2^256 has 78 digits. */
const SAID = /^\d{1,78}(?:\.\d{1,255})?$/;

/**
 * Null: there is no report, or it does not say COMPLETED. A report that does not state how it completed is the provider's
 * word.
 */
export function completedOutput(reportText: string | null): CompletedOutput | null {
  if (reportText === null || !saysCompleted(reportText)) return null;
  const report: unknown = JSON.parse(reportText);
  const execution = isRecord(report) && isRecord(report['execution']) ? report['execution'] : {};
  const output = isRecord(execution['output']) ? execution['output'] : {};
  const { amount, token } = output;
  return {
    by: COMPLETED_BY.find((by) => by === execution['completedBy']) ?? 'word',
    transactions: transactionsOf(execution, depositHashElsewhere(report)),
    amount: readSaidAmount(amount),
    token: typeof token === 'string' ? token : null,
  };
}

/** A decimal in units of a token; null: there is none. */
export function readSaidAmount(amount: unknown): string | null {
  return typeof amount === 'string' && SAID.test(amount) ? amount : null;
}

/** The hash of the deposit if the output is on another chain: then it cannot be the output. */
function depositHashElsewhere(report: unknown): string | null {
  const { deposit, route } = isRecord(report) ? report : {};
  const hash = isRecord(deposit) ? deposit['txHash'] : null;
  const [from, to] = isRecord(route) ? [route['from'], route['to']] : [];
  const isElsewhere = isRecord(from) && isRecord(to) && from['chainId'] !== to['chainId'];
  return isElsewhere && typeof hash === 'string' ? hash : null;
}

/** Lists each hash once, ignoring letter case. */
function transactionsOf(
  { outputTxHash, steps }: Readonly<Record<string, unknown>>,
  notThis: string | null,
): string[] {
  const fills = Array.isArray(steps) ? steps.filter((step) => isRecord(step) && isFill(step)) : [];
  const hashes = [...fills.map(({ txHash }: Readonly<Record<string, unknown>>) => txHash), outputTxHash];
  const named = hashes.filter((hash): hash is string => typeof hash === 'string' && hash !== '');
  const byKey = new Map(named.toReversed().map((hash) => [addressKey(hash), hash]));
  byKey.delete(addressKey(notThis ?? ''));
  return [...byKey.values()].toReversed().slice(0, MOST_TRANSACTIONS);
}

function isFill({ type, status }: Readonly<Record<string, unknown>>): boolean {
  return type === 'fill' && status !== 'failure';
}
