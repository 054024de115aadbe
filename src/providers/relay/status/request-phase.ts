import { outcomeOf, type Moved } from '../../../domain/payment/outcome.ts';
import type { RelayRequest, RelayTransaction } from './relay-request.ts';

/** The progress of one request, independent of Relay's status words. */
export type Phase = 'awaiting' | 'received' | 'executing' | 'completed' | 'refunded' | 'failed' | 'unknown';

/** The status words of v1, v2 and v3; `phaseOf` handles the words that also depend on transactions. */
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
const NO_DEPOSIT_WORDS = new Set(['', 'waiting', 'unknown']);

export function phaseOf(request: RelayRequest): Phase {
  if (NO_DEPOSIT_WORDS.has(request.status)) return hasTrace(request) ? 'received' : 'awaiting';
  if (request.status === 'pending') return isSwept(request) ? 'executing' : 'received';
  const phase = PHASES.get(request.status) ?? 'unknown';
  return phase === 'completed' && outcomeOf(movedBy(request), false).status === 'FAILED' ? 'refunded' : phase;
}

/** Relay's success may come without amounts and hashes. Beside a refund, a transfer that failed or may be the refund proves nothing. */
export function movedBy(request: RelayRequest, isShort = false): Moved {
  const hasRefund = BigInt(request.refunded?.raw ?? 0) > 0n;
  const [origin] = [request.refunded, request.deposited, ...request.inTxs].flatMap((at) => at?.chainId ?? []);
  const isOutput = ({ chainId, status }: RelayTransaction) =>
    status !== 'failure' && origin !== undefined && (chainId ?? origin) !== origin;
  const hasOutput = !hasRefund || BigInt(request.delivered?.raw ?? 0) > 0n || request.outTxs.some(isOutput);
  return { hasOutput, isShort, hasRefund };
}

/** True for a request with a deposit. A failure or an unknown status word alone does not prove a deposit. */
export function hasDeposit(request: RelayRequest): boolean {
  const phase = phaseOf(request);
  return phase === 'failed' || phase === 'unknown' ? hasTrace(request) : phase !== 'awaiting';
}

function hasTrace({ depositAddress, inTxs }: RelayRequest): boolean {
  return (depositAddress?.depositTxHash ?? null) !== null || inTxs.length > 0;
}

function isSwept({ inTxs, outTxs }: RelayRequest): boolean {
  return inTxs.some(({ status }) => status !== 'failure') || outTxs.length > 0;
}
