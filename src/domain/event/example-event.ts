import { newPayment } from '../payment/payment.ts';
import type { Status } from '../payment/status.ts';
import { OUTPUT_CHECKS, type Verification } from '../proof/verification.ts';
import { PAYMENT_EVENTS, type EventDraft, type EventType } from './event.ts';
import { exampleOperationalEvent, isOperational, type SubscribedType } from './operational-event.ts';
import { stampEvent, type Stamp } from './stamp-event.ts';

/** The prefix of an example's quote id; no provider's quote id begins with it. */
export const EXAMPLE_PREFIX = 'example-';

const ORDER_ID = 'EXAMPLE';
const QUOTE_TTL_S = 300;
/** The payment's status in examples of events without a status of their own. */
const STATUS_OF_OTHERS: Status = 'EXECUTING';
const PREVIOUS: Readonly<Record<Status, Status>> = {
  AWAITING_DEPOSIT: 'AWAITING_DEPOSIT',
  DEPOSIT_RECEIVED: 'AWAITING_DEPOSIT',
  EXECUTING: 'DEPOSIT_RECEIVED',
  COMPLETED: 'EXECUTING',
  FAILED: 'EXECUTING',
  EXPIRED: 'AWAITING_DEPOSIT',
};

const VERIFIED: Verification = {
  state: 'proven',
  chainId: 8453,
  txHash: `0x${'0'.repeat(64)}`,
  logIndex: 0,
  block: 1,
  confirmations: 64,
  checks: OUTPUT_CHECKS.map((name) => ({ name, passed: true, detail: 'It is as promised.' })),
  sources: ['rpc.example'],
};

/**
 * The bytes of an example event of this type, about an invented trouble or payment. Its quote id is `example-` and the event's
 * id, so that each example is about a different payment.
 */
export function exampleEvent(type: SubscribedType, stamp: Stamp): string {
  if (isOperational(type)) return exampleOperationalEvent(type, stamp);
  const quoteId = `${EXAMPLE_PREFIX}${stamp.id}`;
  const from = {
    quoteId,
    provider: 'example',
    orderId: ORDER_ID,
    metadata: { example: 'true' },
    expiresAt: null,
    expectedMs: null,
  };
  return stampEvent(draftOf(type, quoteId, stamp.time), newPayment(from, stamp.time), null, stamp).body;
}

function draftOf(type: EventType, quoteId: string, now: Date): EventDraft {
  const about = PAYMENT_EVENTS[type];
  const status =
    'status' in about ? about.status : type === 'payment.verified' ? 'COMPLETED' : STATUS_OF_OTHERS;
  if (type === 'payment.created')
    return { type, sequence: 1, status, previousStatus: null, late: false, reportText: null };
  return {
    type,
    // The number 1, so that a receiver that orders events by number does not wait for an earlier one.
    sequence: 1,
    status,
    previousStatus: 'status' in about ? PREVIOUS[status] : status,
    late: false,
    ...(type === 'payment.stalled' ? { reason: 'no_progress' } : {}),
    ...(type === 'payment.anomaly' ? { reason: 'went_back' } : {}),
    ...(type === 'payment.verified' ? { verification: VERIFIED } : {}),
    reportText: reportText(quoteId, type === 'payment.anomaly' ? PREVIOUS[status] : status, now),
  };
}

/** A status object of the provider's specification, section 2.2. */
function reportText(quoteId: string, status: Status, now: Date): string {
  const createdAt = Math.floor(now.getTime() / 1_000) - QUOTE_TTL_S / 2;
  const isDone = status === 'COMPLETED';
  return JSON.stringify({
    success: true,
    quoteId,
    status,
    createdAt,
    expiresAt: createdAt + QUOTE_TTL_S,
    depositAddress: '0x000000000000000000000000000000000000dEaD',
    deposit: null,
    gas: null,
    execution: {
      startedAt: null,
      completedAt: isDone ? createdAt + QUOTE_TTL_S / 2 : null,
      outputTxHash: isDone ? `0x${'0'.repeat(64)}` : null,
      steps: [],
    },
    error: status === 'FAILED' ? 'example' : null,
  });
}
