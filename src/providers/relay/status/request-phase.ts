import type { RelayRequest } from './relay-request.ts';

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
  return PHASES.get(request.status) ?? 'unknown';
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
