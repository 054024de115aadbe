import { LEG, named } from './assets.ts';
import { type Deposit, type Egress, refundIn, type Swap } from './channel.ts';
import { durationsOf, priceOf } from './quotes.ts';
import { stateOf, type View } from './state.ts';

type Json = Record<string, unknown>;

/** The parts of an answer that are not the channel's own data. */
export interface Moment {
  readonly now: number;
  /** The time of the state chain's block that the service has read last. */
  readonly updatedAt: number;
  readonly isExpired: boolean;
}

const STATE_CHAIN_MS = 6_000;
const EVM_CHAIN_ID = 42_161;
const ABORTED = {
  swap: 'The swap broadcast was aborted',
  refund: 'The refund broadcast was aborted',
} as const;

/** The answer of `GET /v2/swaps/{id}`: keys without a value are left out, and no value is null. */
export function statusObject(view: View, moment: Moment): unknown {
  const { channel, swap, deposit } = view;
  const { src, dest, fillOrKill } = channel;
  const durations = durationsOf(channel);
  const body = withoutUndefined({
    state: stateOf(view),
    swapId: swap?.id,
    srcAsset: src.symbol,
    srcChain: src.chain.word,
    destAsset: dest.symbol,
    destChain: dest.chain.word,
    destAddress: channel.destAddress,
    srcChainRequiredBlockConfirmations: src.chain.safetyMargin + 1,
    estimatedDurationsSeconds: durations,
    estimatedDurationSeconds: durations.deposit + durations.swap + durations.egress,
    brokers: channel.brokerBps > 0 ? [{ account: 'cFLbroker', commissionBps: channel.brokerBps }] : [],
    fees: swap === null ? [] : feesOf(view, swap),
    depositChannel: channelObject(view, moment),
    deposit: depositObject(view),
    swap: swap === null ? undefined : swapObject(swap),
    swapEgress: egressObject(swap?.output ?? null, 'swap'),
    refundEgress: egressObject(refundIn(deposit, swap), 'refund'),
    fallbackEgress: fallbackObject(swap),
    fillOrKillParams: withoutUndefined({
      refundAddress: fillOrKill.refundAddress,
      minPrice: priceOf(fillOrKill.minPriceX128, channel),
      retryDurationBlocks: fillOrKill.retryDurationBlocks,
      maxOraclePriceSlippage: fillOrKill.maxOraclePriceSlippage ?? undefined,
    }),
    lastStatechainUpdateAt: moment.updatedAt,
  });
  return channel.reshape === null ? body : channel.reshape(body);
}

function channelObject({ channel }: View, { isExpired }: Moment): Json {
  return {
    id: channel.id,
    createdAt: channel.openedAt,
    depositAddress: channel.depositAddress,
    srcChainExpiryBlock: channel.expiryBlock.toString(),
    estimatedExpiryTime: channel.estimatedExpiryAt,
    expectedDepositAmount: channel.expectedAmount.toString(),
    isExpired,
    openedThroughBackend: channel.isByBackend,
  };
}

function depositObject({ channel: { pending }, deposit }: View): Json | undefined {
  if (deposit !== null) {
    const { amount, txRef, at, failure } = deposit;
    return withoutUndefined({
      amount: amount.toString(),
      txRef: txRef ?? undefined,
      ...(failure === null
        ? { witnessedAt: at, witnessedBlockIndex: indexAt(at) }
        : { failure: failureOf(failure, at), failedAt: at, failedBlockIndex: indexAt(at) }),
    });
  }
  if (pending === null) return undefined;
  return { amount: pending.amount.toString(), txConfirmations: pending.confirmations };
}

/** The API's answers have names for reasons instead of codes. */
function failureOf({ mode, name, message }: NonNullable<Deposit['failure']>, at: number): Json {
  return { failedAt: at, failedBlockIndex: indexAt(at), mode, reason: { name, message } };
}

function swapObject(swap: Swap): Json {
  const { terms, executedAt, scheduledAt, rescheduledFor, abortedFor } = swap;
  const input = terms.deposit - terms.ingressFee;
  const isSwapped = executedAt !== null && abortedFor === null;
  const done = isSwapped ? { intermediateAmount: (terms.leg - terms.networkFee).toString() } : {};
  return {
    originalInputAmount: input.toString(),
    remainingInputAmount: isSwapped ? '0' : input.toString(),
    swappedInputAmount: isSwapped ? input.toString() : '0',
    swappedIntermediateAmount: isSwapped ? (terms.leg - terms.networkFee).toString() : '0',
    swappedOutputAmount: isSwapped ? terms.output.toString() : '0',
    regular: withoutUndefined({
      inputAmount: input.toString(),
      ...done,
      ...(isSwapped ? { outputAmount: terms.output.toString() } : {}),
      scheduledAt,
      scheduledBlockIndex: indexAt(scheduledAt),
      ...(isSwapped ? { executedAt, executedBlockIndex: indexAt(executedAt) } : {}),
      retryCount: rescheduledFor === null ? 0 : 1,
      latestSwapRescheduledReason: rescheduledFor ?? undefined,
      ...(abortedFor === null ? {} : { abortedAt: executedAt, abortedReason: abortedFor }),
    }),
  };
}

function feesOf({ channel: { src, dest } }: View, { terms, output, refund }: Swap): Json[] {
  const rows: Json[] = [
    { ...named(LEG), type: 'NETWORK', amount: terms.networkFee.toString() },
    { ...named(src), type: 'INGRESS', amount: terms.ingressFee.toString() },
  ];
  if (output !== null) rows.push({ ...named(dest), type: 'EGRESS', amount: terms.egressFee.toString() });
  if (refund !== null) rows.push({ ...named(src), type: 'EGRESS', amount: terms.ingressFee.toString() });
  return rows;
}

function egressObject(egress: Egress | null, of: keyof typeof ABORTED): Json | undefined {
  if (egress === null) return undefined;
  const { amount, scheduledAt, isIgnored, txRef, witnessedAt, abortedAt, isSeen } = egress;
  const scheduled = {
    amount: amount.toString(),
    scheduledAt,
    scheduledBlockIndex: indexAt(scheduledAt),
  };
  if (isIgnored) {
    const mode = of === 'swap' ? 'SWAP_OUTPUT_TOO_SMALL' : 'REFUND_OUTPUT_TOO_SMALL';
    const reason = {
      name: 'ethereumIngressEgress.BelowEgressDustLimit',
      message: 'The amount is below the minimum egress amount.',
    };
    return {
      ...scheduled,
      failure: { failedAt: scheduledAt, failedBlockIndex: indexAt(scheduledAt), mode, reason },
      failedAt: scheduledAt,
      failedBlockIndex: indexAt(scheduledAt),
    };
  }
  const reason = { name: 'BroadcastAborted', message: ABORTED[of] };
  return withoutUndefined({
    ...scheduled,
    txRef: isSeen || witnessedAt !== null ? (txRef ?? undefined) : undefined,
    ...(witnessedAt === null ? {} : { witnessedAt, witnessedBlockIndex: indexAt(witnessedAt) }),
    ...(abortedAt === null
      ? {}
      : {
          failedAt: abortedAt,
          failedBlockIndex: indexAt(abortedAt),
          transactionPayload: {
            contract: `0x${'c0'.repeat(20)}`,
            value: '0',
            chainId: EVM_CHAIN_ID,
            data: '0x',
          },
          failure: {
            failedAt: abortedAt,
            failedBlockIndex: indexAt(abortedAt),
            mode: 'SENDING_FAILED',
            reason,
          },
        }),
  });
}

function fallbackObject(swap: Swap | null): Json | undefined {
  const fallback = swap?.fallback ?? null;
  const egress = egressObject(fallback, 'swap');
  return fallback === null || egress === undefined
    ? undefined
    : { ...egress, destinationAddress: fallback.destinationAddress };
}

/** The number of a block of the state chain, and a place in that block. */
function indexAt(at: number): string {
  return `${Math.floor(at / STATE_CHAIN_MS)}-${at % 100}`;
}

function withoutUndefined(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
