import type { Outcome } from '../../../domain/payment/outcome.ts';
import { unixSecondsOrNull } from '../../shared/spec-status.ts';
import { toReportedAmount, type ReportedAmount } from './deposit-match.ts';
import { refundStateOf } from './failure-reasons.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayRequest, RelayTransaction } from './relay-request.ts';
import { phaseOf } from './request-phase.ts';
import type { RoutedRequest } from './routed-request.ts';
import { isNativeAddress } from '../../shared/vm-addresses.ts';

/** The `execution` of a report. `output` and `refund` are set once they are known. */
export interface Execution {
  readonly startedAt: number | null;
  readonly completedAt: number | null;
  readonly outputTxHash: string | null;
  readonly steps: readonly Step[];
  /** Only in a completion. */
  readonly completedBy?: Outcome['by'];
  /** The delivered amount. */
  readonly output?: ReportedAmount;
  readonly refund?: Refund;
}

interface Step {
  readonly type: 'deposit' | 'sweep' | 'fill' | 'refund';
  readonly chainId: number | null;
  readonly txHash: string | null;
  readonly status: string | null;
  readonly timestamp: number | null;
}

interface Refund extends ReportedAmount {
  readonly state: 'refunded' | 'pending' | 'manual' | 'impossible';
  readonly txHash: string | null;
  readonly chainId: number | null;
  readonly refundedTo: string | null;
  readonly timestamp: number | null;
}

export function toExecution(quote: RelayQuote, request: RoutedRequest, by: Outcome['by']): Execution {
  const phase = phaseOf(request);
  const isCompleted = phase === 'completed';
  const fill = isCompleted || phase === 'executing' ? fillOf(request, isCompleted) : null;
  const refund = refundOf(quote, request);
  const isStarted = phase !== 'received' && phase !== 'awaiting';
  return {
    startedAt: isStarted ? unixSecondsOrNull(request.inTxs[0]?.at) : null,
    completedAt: isCompleted ? unixSecondsOrNull(fill?.at ?? request.updatedAt) : null,
    outputTxHash: fill?.txHash ?? null,
    steps: stepsOf(quote, request),
    ...(by === null ? {} : { completedBy: by }),
    ...(isCompleted && request.delivered !== null
      ? { output: toReportedAmount(request.delivered, quote.to) }
      : {}),
    ...(refund === null ? {} : { refund }),
  };
}

/** The last transfer of the output; until the request is completed, only a transfer that is known to have succeeded. */
function fillOf({ fills }: RoutedRequest, isCompleted: boolean): RelayTransaction | null {
  const done = isCompleted ? fills : fills.filter(({ status }) => status === 'success');
  return done.findLast(({ chainId }) => chainId !== null) ?? done.at(-1) ?? null;
}

function stepsOf(quote: RelayQuote, request: RoutedRequest): Step[] {
  const { depositAddress, inTxs, outTxs } = request;
  const depositTxHash = depositAddress?.depositTxHash ?? null;
  const isSweptByPayer = inTxs.some(({ txHash }) => txHash === depositTxHash);
  const deposit: Step[] =
    depositTxHash === null || isSweptByPayer
      ? []
      : [
          {
            type: 'deposit',
            chainId: quote.from.chainId,
            txHash: depositTxHash,
            status: null,
            timestamp: null,
          },
        ];
  return [
    ...deposit,
    ...inTxs.map((tx) => stepOf(tx.txHash !== null && tx.txHash === depositTxHash ? 'deposit' : 'sweep', tx)),
    ...outTxs.flatMap((tx) => {
      const type = typeOf(quote, request, tx);
      return type === null ? [] : [stepOf(type, tx)];
    }),
  ];
}

/** Null: neither an output nor a refund. A completed request may have a refund too: Relay may return an overpaid amount. */
function typeOf(
  { from, to }: RelayQuote,
  request: RoutedRequest,
  tx: RelayTransaction,
): 'fill' | 'refund' | null {
  const isOnOrigin = tx.chainId === from.chainId && from.chainId !== to.chainId;
  if (phaseOf(request) === 'refunded' || isOnOrigin) return 'refund';
  return tx.status === 'failure' || request.fills.includes(tx) ? 'fill' : null;
}

function stepOf(type: Step['type'], { chainId, txHash, status, at }: RelayTransaction): Step {
  return { type, chainId, txHash, status, timestamp: unixSecondsOrNull(at) };
}

/** Of several refund transactions, the first one returns the payer's money. */
function refundOf(quote: RelayQuote, request: RoutedRequest): Refund | null {
  const state = refundStateOf(request);
  if (state === null) return null;
  const isDone = state === 'refunded';
  const legs = isDone ? request.outTxs.filter(({ status }) => status !== 'failure') : [];
  const leg = legs.find(({ chainId }) => chainId === quote.from.chainId) ?? legs[0];
  return {
    state,
    txHash: leg?.txHash ?? null,
    chainId: leg?.chainId ?? (isDone ? (request.refunded?.chainId ?? null) : null),
    ...toReportedAmount(isDone ? request.refunded : null, quote.from),
    refundedTo: isDone ? refundedTo(request) : null,
    timestamp: unixSecondsOrNull(leg?.at),
  };
}

function refundedTo({ refundTo, depositAddress }: RelayRequest): string | null {
  if (refundTo !== null && isNativeAddress(refundTo)) return depositAddress?.depositor ?? null;
  return refundTo;
}
