import { toUnits } from '../../domain/payment/amount.ts';
import { payerAddressOf, transactionHashOf } from './sandbox-addresses.ts';
import { chainOf, type VmType } from './sandbox-chains.ts';
import type { SandboxQuote } from './sandbox-quote.ts';
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

type StepState = 'pending' | 'completed' | 'failed';

/** The service's response to a status request at this time; a 500 during a simulated outage. */
export function responseAt(payment: SandboxPayment, now: Date): SandboxResponse {
  const { isDown, status, stage } = phaseAt(payment, now);
  const isNew =
    stage !== null && payment.reportedStages !== null && payment.reportedStages[stage] === undefined;
  const newStage = isNew ? stage : null;
  if (isDown) return { newStage, httpStatus: 500 };
  return { newStage, httpStatus: 200, body: describe(payment, status) };
}

/** The payment's status by time alone: only a poller meets outages, and stages that wait until they are recorded. */
export function statusAt(payment: SandboxPayment, now: Date): SandboxStatus {
  const byTime = { ...payment, reportedStages: null };
  return describe(byTime, phaseAt(byTime, now).status);
}

function describe(payment: SandboxPayment, status: Phase['status']): SandboxStatus {
  const { quote } = payment;
  const createdAt = unixSeconds(payment.createdAt);
  const isSeen = status !== 'AWAITING_DEPOSIT' && status !== 'EXPIRED';
  const isExecuted = status === 'EXECUTING' || status === 'COMPLETED' || status === 'FAILED';
  return {
    success: true,
    quoteId: quote.quoteId,
    status,
    createdAt,
    expiresAt: createdAt + quote.expiresIn,
    depositAddress: quote.send.depositAddress,
    deposit: isSeen ? depositOf(payment) : null,
    gas: isExecuted ? quote.fees.gas : null,
    execution: isExecuted ? startedExecution(payment, status) : NO_EXECUTION,
    route: routeOf(quote),
    error: status === 'FAILED' ? failureOf(quote) : null,
  };
}

const NO_EXECUTION = { startedAt: null, completedAt: null, outputTxHash: null, steps: [] };

function depositOf({ quote, depositedAt }: SandboxPayment): SandboxStatus {
  const { chain, amount } = quote.send;
  return {
    txHash: transactionHashOf(quote.quoteId, 'deposit', vmTypeOf(chain.id)),
    from: payerAddressOf(quote.quoteId, vmTypeOf(chain.id)),
    amount,
    amountRaw: amountRawOf(quote),
    detectedAt: depositedAt === null ? null : unixSeconds(depositedAt),
  };
}

function startedExecution(
  payment: SandboxPayment,
  status: 'EXECUTING' | 'COMPLETED' | 'FAILED',
): SandboxStatus {
  const { quote } = payment;
  const { startedAt, endedAt } = executionOf(payment);
  const isCompleted = status === 'COMPLETED';
  const outputTxHash = transactionHashOf(quote.quoteId, 'output', vmTypeOf(quote.receive.chain.id));
  const delivery: StepState = isCompleted ? 'completed' : status === 'FAILED' ? 'failed' : 'pending';
  return {
    startedAt: unixSeconds(startedAt),
    completedAt: isCompleted ? unixSeconds(endedAt) : null,
    outputTxHash: isCompleted ? outputTxHash : null,
    ...(isCompleted ? { completedBy: 'transaction' } : {}),
    steps: [
      {
        id: 'swap',
        chainId: quote.send.chain.id,
        status: 'completed',
        txHash: transactionHashOf(quote.quoteId, 'swap', vmTypeOf(quote.send.chain.id)),
      },
      {
        id: 'deliver',
        chainId: quote.receive.chain.id,
        status: delivery,
        txHash: isCompleted ? outputTxHash : null,
      },
    ],
  };
}

function routeOf(quote: SandboxQuote): SandboxStatus {
  const { send, receive } = quote;
  return {
    from: { chainId: send.chain.id, chainName: send.chain.name, token: send.token.address },
    to: { chainId: receive.chain.id, chainName: receive.chain.name, token: receive.token.address },
    amount: amountRawOf(quote),
    recipient: quote.recipient,
  };
}

function failureOf({ receive }: SandboxQuote): string {
  return `The delivery of ${receive.token.symbol} on ${receive.chain.name} reverted: output below the minimum`;
}

function amountRawOf({ send }: SandboxQuote): string {
  return toUnits(send.amount, send.token.decimals).toString();
}

function vmTypeOf(chainId: number): VmType {
  return chainOf(chainId)?.vmType ?? 'evm';
}

function unixSeconds(instant: Date): number {
  return Math.floor(instant.getTime() / 1000);
}
