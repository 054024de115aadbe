import type { AnomalyReason, PaymentData } from './event-data.ts';
import type { PaymentEnvelope } from './event-payload.ts';
import type { Payment, StallReason } from '../payment/payment.ts';
import type { Status } from '../payment/status.ts';

export const EVENT_TYPES = [
  'payment.created',
  'payment.deposit_received',
  'payment.executing',
  'payment.completed',
  'payment.failed',
  'payment.expired',
  'payment.updated',
  'payment.stalled',
  'payment.anomaly',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** An event before it gets its id and time. */
export interface EventDraft {
  readonly type: EventType;
  readonly sequence: number;
  readonly status: Status;
  readonly previousStatus: Status | null;
  readonly late: boolean;
  readonly reason?: StallReason | AnomalyReason;
  /** The report that the event carries, as verbatim JSON text; null: no report yet; undefined: the stored report. */
  readonly reportText: string | null | undefined;
}

/** An event as Paybell publishes it. Every destination gets the same bytes: `body`, the CloudEvents JSON. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly time: Date;
  readonly body: string;
}

/** JSON escapes a carriage return inside a string, so that a bare one is only whitespace between tokens. */
const CARRIAGE_RETURN = /\r\n?/g;

export interface Stamp {
  readonly id: string;
  readonly source: string;
  readonly time: Date;
}

export const TYPE_OF_STATUS: Record<Exclude<Status, 'AWAITING_DEPOSIT'>, EventType> = {
  DEPOSIT_RECEIVED: 'payment.deposit_received',
  EXECUTING: 'payment.executing',
  COMPLETED: 'payment.completed',
  FAILED: 'payment.failed',
  EXPIRED: 'payment.expired',
};

/** The payload without the report: `stampEvent` inserts the report as text. */
type PayloadWithoutReport = PaymentEnvelope & {
  readonly type: EventType;
  readonly data: Omit<PaymentData, 'payment'> & { readonly reason?: StallReason | AnomalyReason };
};

/** Gives the draft its id, time and bytes: CloudEvents 1.0 in structured JSON. */
export function stampEvent(
  draft: EventDraft,
  payment: Payment,
  storedReport: string | null,
  stamp: Stamp,
): PaymentEvent {
  const report = draft.reportText === undefined ? storedReport : draft.reportText;
  const payload: PayloadWithoutReport = {
    specversion: '1.0',
    id: stamp.id,
    source: stamp.source,
    type: draft.type,
    subject: payment.quoteId,
    time: stamp.time.toISOString(),
    datacontenttype: 'application/json',
    data: {
      quoteId: payment.quoteId,
      orderId: payment.orderId,
      metadata: payment.metadata,
      sequence: draft.sequence,
      status: draft.status,
      previousStatus: draft.previousStatus,
      late: draft.late,
      ...(draft.reason === undefined ? {} : { reason: draft.reason }),
    },
  };
  const body = `${JSON.stringify(payload).slice(0, -2)},"payment":${asText(report)}}}`;
  return { id: stamp.id, type: draft.type, sequence: draft.sequence, time: stamp.time, body };
}

/** Keeps the provider's text: parsing it could lose digits of an amount. Replaces CR, which SSE streams can't carry. */
function asText(report: string | null): string {
  return report === null ? 'null' : report.replaceAll(CARRIAGE_RETURN, '\n');
}
