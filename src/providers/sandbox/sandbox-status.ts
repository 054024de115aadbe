import { fromUnits, toUnits } from '../../domain/payment/amount.ts';
import { NO_EXECUTION } from '../shared/spec-status.ts';
import {
  depositAddressOf,
  outputHashOf,
  payerAddressOf,
  transactionHashOf,
  unseenDepositHashOf,
} from './sandbox-addresses.ts';
import { chainOf, type VmType } from './sandbox-chains.ts';
import type { SandboxQuote } from './sandbox-quote.ts';
import { TOKENS } from './sandbox-tokens.ts';
import { plotOf, type ReportFacts } from './stories.ts';
import { executionOf, phaseAt, type Course, type Phase } from './story-phase.ts';

/** A payment as the sandbox stores it; every response about it follows from this and the time. */
export interface SandboxPayment extends Course {
  readonly quote: SandboxQuote;
  readonly createdAt: Date;
}

/** The spec's Payment status object. */
export type SandboxStatus = Readonly<Record<string, unknown>>;

/** A status response. `newStage` is the stage that it reports for the first time, or null. */
export type SandboxResponse = { readonly newStage: string | null } & (
  | { readonly httpStatus: 200; readonly body: SandboxStatus }
  | { readonly httpStatus: 500 }
);

/** The service's response to a status request at this time; a 500 during a simulated outage. */
export function responseAt(payment: SandboxPayment, now: Date): SandboxResponse {
  const phase = phaseAt(payment, now);
  const { said, stage } = phase;
  const isNew =
    stage !== null && payment.reportedStages !== null && payment.reportedStages[stage] === undefined;
  const newStage = isNew ? stage : null;
  if (said.isDown === true) return { newStage, httpStatus: 500 };
  return { newStage, httpStatus: 200, body: describe(payment, phase) };
}

/**
 * The payment's status by time alone, without outages and without stages that wait for their recording, which concern only
 * polls.
 */
export function statusAt(payment: SandboxPayment, now: Date): SandboxStatus {
  const byTime = { ...payment, reportedStages: null };
  return describe(byTime, phaseAt(byTime, now));
}

function describe(payment: SandboxPayment, { status, said }: Phase): SandboxStatus {
  const { quote } = payment;
  const { quoteId, expiresIn, send, fees } = quote;
  const createdAt = unixSeconds(payment.createdAt);
  const isSeen = (status !== 'AWAITING_DEPOSIT' && status !== 'EXPIRED') || said.isOtherToken === true;
  const isExecuted = isExecutedIn(payment, status);
  return {
    success: true,
    quoteId,
    status,
    createdAt,
    expiresAt: createdAt + expiresIn,
    depositAddress:
      said.isOtherAddress === true
        ? depositAddressOf(`other:${quoteId}`, vmTypeOf(send))
        : send.depositAddress,
    deposit: isSeen ? depositOf(payment, said) : null,
    gas: isExecuted ? fees.gas : null,
    execution: {
      ...(isExecuted ? startedExecution(payment, status, said) : NO_EXECUTION),
      ...refundOf(quote, said),
    },
    route: routeOf(quote),
    error: status === 'FAILED' ? errorOf(quote, said) : null,
    ...(status === 'COMPLETED' && said.back !== undefined ? { anomalies: ['partly_refunded'] } : {}),
  };
}

/** A deposit that goes back at once is never swapped. */
function isExecutedIn({ story }: SandboxPayment, status: Phase['status']): boolean {
  if (status !== 'FAILED') return status === 'EXECUTING' || status === 'COMPLETED';
  return plotOf(story).chapters.some((chapter) => chapter.status === 'EXECUTING');
}

function depositOf({ quote, depositedAt, story }: SandboxPayment, said: ReportFacts): SandboxStatus {
  const { quoteId, send } = quote;
  const first =
    plotOf(story).isUnseen === true
      ? unseenDepositHashOf(quoteId, vmTypeOf(send), send.depositAddress)
      : hashOf(quoteId, 'deposit', send);
  const second = hashOf(quoteId, 'second deposit', send);
  const { came = ALL } = said;
  const { amount, amountRaw } = shareOf(send.amount, came, send.token);
  return {
    txHash: first,
    ...(said.isSecond === true ? { txHashes: [first, second] } : {}),
    from: payerAddressOf(quoteId, vmTypeOf(send)),
    amount: came === ALL ? send.amount : amount,
    amountRaw,
    ...(said.isOtherToken === true ? { token: otherTokenOf(send) } : {}),
    ...(said.isHeld === true ? { heldForReview: true } : {}),
    detectedAt: depositedAt === null ? null : unixSeconds(depositedAt),
  };
}

function startedExecution(
  payment: SandboxPayment,
  status: Phase['status'],
  said: ReportFacts,
): SandboxStatus {
  const { quoteId, send, receive } = payment.quote;
  const { startedAt, endedAt } = executionOf(payment);
  const isCompleted = status === 'COMPLETED';
  const output = shareOf(receive.estimatedAmount, said.out ?? ALL, receive.token);
  const outputTxHash = isCompleted ? outputHash(payment, endedAt, BigInt(output.amountRaw)) : null;
  const delivery = isCompleted ? 'completed' : status === 'FAILED' ? 'failed' : 'pending';
  return {
    startedAt: unixSeconds(startedAt),
    completedAt: isCompleted ? unixSeconds(endedAt) : null,
    outputTxHash,
    ...(isCompleted ? { completedBy: 'transaction', output } : {}),
    steps: [
      { id: 'swap', chainId: send.chain.id, status: 'completed', txHash: hashOf(quoteId, 'swap', send) },
      { id: 'deliver', chainId: receive.chain.id, status: delivery, txHash: outputTxHash },
    ],
  };
}

/** The hash of the output as the chain has it: in one story with less than the reported amount, in another mined later. */
function outputHash({ quote, story, speed }: SandboxPayment, endedAt: Date, said: bigint): string {
  const kind = plotOf(story).onChain ?? 'as_said';
  const amount = kind === 'amount_short' ? (said * SHORT_PERCENT) / BigInt(ALL) : said;
  const lateMs = kind === 'mined_late' ? Math.round(MINED_LATE_MS / speed) : 0;
  const minedAt = new Date(endedAt.getTime() + lateMs);
  return outputHashOf(quote.quoteId, vmTypeOf(quote.receive), { kind, minedAt, amount });
}

function refundOf({ quoteId, send }: SandboxQuote, { back }: ReportFacts): SandboxStatus {
  if (back === undefined) return {};
  const refund = {
    state: 'refunded',
    ...shareOf(send.amount, back, send.token),
    refundedTo: payerAddressOf(quoteId, vmTypeOf(send)),
    chainId: send.chain.id,
    txHash: hashOf(quoteId, 'refund', send),
  };
  return { refund };
}

function routeOf({ send, receive, recipient }: SandboxQuote): SandboxStatus {
  return {
    from: { chainId: send.chain.id, chainName: send.chain.name, token: send.token.address },
    to: { chainId: receive.chain.id, chainName: receive.chain.name, token: receive.token.address },
    amount: toUnits(send.amount, send.token.decimals).toString(),
    recipient,
  };
}

function errorOf({ send, receive }: SandboxQuote, { back, why }: ReportFacts): string {
  const { token, chain } = send;
  if (back !== undefined)
    return `REFUNDED: ${shareOf(send.amount, back, token).amount} ${token.symbol} went back to the payer on ${chain.name}: ${why}`;
  return `The delivery of ${receive.token.symbol} on ${receive.chain.name} reverted: output below the minimum`;
}

type Side = SandboxQuote['send'] | SandboxQuote['receive'];

/** The whole amount, in percent. */
const ALL = 100;
const SHORT_PERCENT = 60n;
/** At speed 1. */
const MINED_LATE_MS = 300_000;

function shareOf(amount: string, percent: number, { decimals, address }: Side['token']) {
  const units = (toUnits(amount, decimals) * BigInt(percent)) / BigInt(ALL);
  return { amount: fromUnits(units, decimals), amountRaw: units.toString(), token: address };
}

function hashOf(quoteId: string, purpose: string, side: Side): string {
  return transactionHashOf(quoteId, purpose, vmTypeOf(side));
}

function otherTokenOf({ chain, token }: Side): string | undefined {
  const others = TOKENS.filter(({ chainId, address }) => chainId === chain.id && address !== token.address);
  return (others.find(({ decimals }) => decimals === token.decimals) ?? others[0])?.address;
}

function vmTypeOf({ chain }: Side): VmType {
  return chainOf(chain.id)?.vmType ?? 'evm';
}

function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
