import type { RelayRequest } from './relay-request.ts';

/** How far one request has come, whatever words Relay has for it. */
export type Phase = 'awaiting' | 'received' | 'executing' | 'completed' | 'refunded' | 'failed' | 'unknown';

/** The words of v1, v2 and v3; those that depend on more are told apart below. */
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

/** True for a request that somebody has paid. A failure alone does not say so, nor does a word that is not known. */
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
