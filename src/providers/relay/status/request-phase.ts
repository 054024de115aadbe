import { NOTHING_SHOWN, outcomeOf, type Shown } from '../../../domain/payment/outcome.ts';
import { readRaw } from '../../shared/raw-amount.ts';
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
  if (phase !== 'completed') return phase;
  const { status } = outcomeOf({ ...NOTHING_SHOWN, ...outputOf(request) }, false);
  return status === null ? 'unknown' : status === 'FAILED' ? 'refunded' : phase;
}

/**
 * The movements of money that a request shows. Beside a refund, a transfer that may be the refund proves no output; nor does a transfer
 * that failed, or that has the hash of the deposit, or of a sweep on another chain.
 */
export function outputOf(request: RelayRequest): Pick<Shown, 'transactions' | 'arrived' | 'returned'> {
  const { refunded, deposited, delivered, inTxs, outTxs, depositAddress } = request;
  const returned = BigInt(refunded?.raw ?? 0);
  const [origin] = [refunded, deposited, ...inTxs].flatMap((at) => at?.chainId ?? []);
  const sweeps = new Set(inTxs.map(({ txHash }) => txHash));
  const isElsewhere = ({ chainId }: RelayTransaction) =>
    origin !== undefined && (chainId ?? origin) !== origin;
  const isOutput = (tx: RelayTransaction) =>
    tx.status !== 'failure' &&
    (returned === 0n || isElsewhere(tx)) &&
    tx.txHash !== (depositAddress?.depositTxHash ?? null) &&
    !(sweeps.has(tx.txHash) && isElsewhere(tx));
  const transactions = outTxs.filter(isOutput).flatMap(({ txHash }) => txHash ?? []);
  return { transactions, arrived: readRaw(delivered?.raw), returned };
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
