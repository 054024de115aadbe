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

/** What moved with a success. Relay's may come without amounts and hashes: only a refund casts doubt on the output. */
export function movedBy(request: RelayRequest, isShort = false): Moved {
  const { delivered, outTxs, refunded } = request;
  const hasRefund = BigInt(refunded?.raw ?? 0) > 0n;
  const refundedOn = originChainOf(request);
  // What failed, and what may be the refund itself, proves no output.
  const isOutput = ({ chainId, status }: RelayTransaction): boolean =>
    status !== 'failure' && chainId !== null && refundedOn !== null && chainId !== refundedOn;
  const hasOutput = !hasRefund || BigInt(delivered?.raw ?? 0) > 0n || outTxs.some(isOutput);
  return { hasOutput, isShort, hasRefund };
}

function originChainOf({ refunded, deposited, inTxs }: RelayRequest): number | null {
  return refunded?.chainId ?? deposited?.chainId ?? inTxs[0]?.chainId ?? null;
}

/** True for a request with a deposit. A failure or an unknown status word alone does not prove a deposit. */
export function hasDeposit(request: RelayRequest): boolean {
  const phase = phaseOf(request);
  if (phase === 'failed' || phase === 'unknown') return hasTrace(request);
  return phase !== 'awaiting';
}

function hasTrace({ depositAddress, inTxs }: RelayRequest): boolean {
  return (depositAddress?.depositTxHash ?? null) !== null || inTxs.length > 0;
}

function isSwept({ inTxs, outTxs }: RelayRequest): boolean {
  return inTxs.some(({ status }) => status !== 'failure') || outTxs.length > 0;
}
