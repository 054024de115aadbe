import { NOTHING_SHOWN, outcomeOf, type OutcomeFacts } from '../../../domain/payment/outcome.ts';
import type { RelayRequest } from './relay-request.ts';
import type { RoutedRequest } from './routed-request.ts';

/** The progress of one request, independent of Relay's names for statuses. */
export type Phase = 'awaiting' | 'received' | 'executing' | 'completed' | 'refunded' | 'failed' | 'unknown';

/** Relay's statuses in v1, v2 and v3; `phaseOf` handles those that also depend on transactions. */
const PHASES = new Map<string, Phase>([
  ['depositing', 'received'],
  ['received', 'received'],
  ['submitted', 'executing'],
  ['delayed', 'executing'],
  ['success', 'completed'],
  ['refund', 'refunded'],
  ['refunded', 'refunded'],
  ['fallback', 'refunded'],
  ['failure', 'failed'],
]);
const NO_DEPOSIT_WORDS = new Set(['waiting', 'unknown']);

export function phaseOf(request: RoutedRequest): Phase {
  if (isAwaiting(request)) return 'awaiting';
  if (NO_DEPOSIT_WORDS.has(request.status)) return 'received';
  if (request.status === 'pending') return isSwept(request) ? 'executing' : 'received';
  const phase = PHASES.get(request.status) ?? 'unknown';
  if (phase !== 'completed') return phase;
  const { status } = outcomeOf({ ...NOTHING_SHOWN, ...outputOf(request) });
  return status === null ? 'unknown' : status === 'FAILED' ? 'refunded' : phase;
}

/** The transfers of money that a request shows. */
export function outputOf({
  fills,
  arrived,
  refunded,
}: RoutedRequest): Pick<OutcomeFacts, 'transactions' | 'arrived' | 'returned'> {
  const transactions = fills.flatMap(({ txHash }) => txHash ?? []);
  return { transactions, arrived, returned: BigInt(refunded?.raw ?? 0) };
}

/** True for a request with a deposit. A failure or an unknown status alone does not prove a deposit. */
export function hasDeposit(request: RelayRequest): boolean {
  const phase = request.status === 'pending' ? 'received' : PHASES.get(request.status);
  return hasTrace(request) || (phase !== undefined && phase !== 'failed');
}

export function isAwaiting(request: RelayRequest): boolean {
  return NO_DEPOSIT_WORDS.has(request.status) && !hasTrace(request);
}

function hasTrace({ depositAddress, inTxs }: RelayRequest): boolean {
  return (depositAddress?.depositTxHash ?? null) !== null || inTxs.length > 0;
}

function isSwept({ inTxs, outTxs }: RelayRequest): boolean {
  return inTxs.some(({ status }) => status !== 'failure') || outTxs.length > 0;
}
