import type { Payment } from '../payment/payment.ts';
import { shownAmounts } from '../payment/amounts.ts';
import { completedOutput } from '../payment/completed-output.ts';
import { shownReport } from '../payment/shown-report.ts';
import type { ObjectOf } from '../text/json-schema.ts';
import { dataOf } from './event-data.ts';
import type { EventDraft, EventType } from './event.ts';

/** The CloudEvents 1.0 attributes that every event has. */
export const ENVELOPE = {
  specversion: { const: '1.0', description: 'The version of CloudEvents.' },
  id: {
    type: 'string',
    format: 'uuid',
    description: 'The id of the event, the same by every way: deduplicate by this id.',
  },
  source: { type: 'string', format: 'uri-reference', minLength: 1, description: '`EVENT_SOURCE`.' },
  type: { type: 'string', description: 'The type of the event.' },
  time: {
    type: 'string',
    format: 'date-time',
    description: 'When the event was recorded, UTC with milliseconds.',
  },
  datacontenttype: { const: 'application/json', description: 'The media type of `data`.' },
} as const;

/** The attributes of an event about a payment. */
export const PAYMENT_ENVELOPE = {
  ...ENVELOPE,
  subject: { type: 'string', minLength: 1, description: 'The quote id of the payment.' },
  traceparent: {
    type: 'string',
    optional: true,
    description: 'The W3C trace context with which the payment began; only where tracing was on.',
  },
} as const;

/** The data of a test event. It is about a webhook endpoint, not about a payment. */
export const TEST_DATA = {
  endpointId: { type: 'string', format: 'uuid', description: 'The webhook endpoint that is tested.' },
} as const;

/** An event as Paybell publishes it. Every destination gets the same bytes: `body`, the CloudEvents JSON. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly time: Date;
  readonly body: string;
}

export interface Stamp {
  readonly id: string;
  readonly source: string;
  readonly time: Date;
}

/** The namespace of the ids of `payment.completed`: see docs/using/events.md. Never change it. */
export const COMPLETED_IDS = '8e757462-68c2-4ab7-a91a-0baab41eefd2';

/** In JSON a carriage return inside a string is escaped, so that a bare one is only whitespace between tokens. */
const CARRIAGE_RETURN = /\r\n?/g;

/** Gives the draft its id, time and bytes: CloudEvents 1.0 in structured JSON. */
export function stampEvent(
  draft: EventDraft,
  payment: Payment,
  storedReport: string | null,
  stamp: Stamp,
): PaymentEvent {
  const report = draft.reportText === undefined ? shown(storedReport, draft) : draft.reportText;
  const payload: ObjectOf<typeof PAYMENT_ENVELOPE> & { readonly data: object } = {
    specversion: '1.0',
    id: stamp.id,
    source: stamp.source,
    type: draft.type,
    subject: payment.quoteId,
    time: stamp.time.toISOString(),
    datacontenttype: 'application/json',
    ...(payment.traceparent === null ? {} : { traceparent: payment.traceparent }),
    data: dataOf(draft, payment, {
      output: draft.type === 'payment.completed' ? completedOutput(report) : null,
      amounts: shownAmounts(payment, report),
    }),
  };
  const body = `${JSON.stringify(payload).slice(0, -2)},"payment":${asText(report)}}}`;
  return { id: stamp.id, type: draft.type, sequence: draft.sequence, time: stamp.time, body };
}

/** The bytes of a test event: CloudEvents JSON without a subject and a sequence. */
export function testEvent({ id, source, time }: Stamp, endpointId: string): string {
  const data: ObjectOf<typeof TEST_DATA> = { endpointId };
  const payload: ObjectOf<typeof ENVELOPE> & { readonly data: object } = {
    specversion: '1.0',
    id,
    source,
    type: 'webhook.test',
    time: time.toISOString(),
    datacontenttype: 'application/json',
    data,
  };
  return JSON.stringify(payload);
}

function shown(storedReport: string | null, { status }: EventDraft): string | null {
  return storedReport === null ? null : shownReport(storedReport, status);
}

/**
 * Keeps the provider's text, since parsing could lose digits of an amount; but replaces CR, which SSE streams cannot carry.
 */
function asText(report: string | null): string {
  return report === null ? 'null' : report.replaceAll(CARRIAGE_RETURN, '\n');
}
