import type { Status } from '../payment/status.ts';
import {
  ANOMALY_REASON,
  EVENT_DATA,
  NAMED,
  PREVIOUS_ORDER_ID,
  REPORT_OR_NONE,
  RESOLUTION,
  STALL_REASON,
  type EventFacts,
} from './event-data.ts';
import { ORDER, OUTPUT, UNSEEN_DEPOSIT, VERIFICATION } from './output-facts.ts';

const { amounts: _amounts, ...BEFORE_DEPOSIT } = EVENT_DATA;

/**
 * Every type of event of a payment: when it is sent, and how its `data` differs from EVENT_DATA. Types, JSON Schemas,
 * OpenAPI, AsyncAPI, the client's types and the table of docs/using/events.md are made from this table.
 */
export const PAYMENT_EVENTS = {
  'payment.created': {
    status: 'AWAITING_DEPOSIT',
    summary: 'The quote is stored.',
    data: {
      ...BEFORE_DEPOSIT,
      status: statusIs('AWAITING_DEPOSIT'),
      previousStatus: { type: 'null', description: 'There was none before.' },
      payment: { type: 'null', description: 'There is no report yet.' },
    },
  },
  'payment.deposit_received': reported('DEPOSIT_RECEIVED', 'The deposit was seen.'),
  'payment.executing': reported('EXECUTING', 'The swap is on its way.'),
  'payment.completed': {
    status: 'COMPLETED',
    summary: 'The funds are at the recipient: exactly one for each payment.',
    data: {
      ...EVENT_DATA,
      order: ORDER,
      status: statusIs('COMPLETED'),
      verification: VERIFICATION,
      output: OUTPUT,
      resolution: {
        ...RESOLUTION,
        type: 'object',
        description: 'Only where a person released a payment whose completion was withheld: who, and why.',
      },
    },
  },
  'payment.failed': reported('FAILED', 'The execution failed.'),
  'payment.expired': reported('EXPIRED', 'No deposit arrived in time.'),
  'payment.updated': {
    summary:
      'The report changed in something that matters, orderId or metadata were set, or a person resolved the payment; the status did not change.',
    data: {
      ...EVENT_DATA,
      order: ORDER,
      payment: REPORT_OR_NONE,
      named: NAMED,
      previousOrderId: PREVIOUS_ORDER_ID,
      resolution: RESOLUTION,
      verification: VERIFICATION,
    },
  },
  'payment.stalled': {
    summary:
      'Nothing moves after the deposit, the provider says nothing, or a withheld completion is not proven in time.',
    data: { ...EVENT_DATA, payment: REPORT_OR_NONE, reason: STALL_REASON, verification: VERIFICATION },
  },
  'payment.anomaly': {
    summary:
      'The provider contradicts itself, the chain contradicts it, or the payment came in part; the stored status stands.',
    data: {
      ...EVENT_DATA,
      payment: {
        type: ['object', 'null'],
        description: 'The report that says so, verbatim; the stored one, if any, where the chain says so.',
      },
      reason: ANOMALY_REASON,
      verification: VERIFICATION,
      deposit: UNSEEN_DEPOSIT,
    },
  },
  'payment.verified': {
    summary: 'Only with VERIFY=observe: the chain has proven the output of a completed payment.',
    data: {
      ...EVENT_DATA,
      status: statusIs('COMPLETED'),
      verification: { ...VERIFICATION, optional: false },
    },
  },
} as const;

type PaymentEvents = typeof PAYMENT_EVENTS;

export type EventType = keyof PaymentEvents;

/** The event types, in the order in which the documentation lists them. */
export const EVENT_TYPES = Object.keys(PAYMENT_EVENTS) as readonly EventType[];

type TypeOfStatus = {
  readonly [
    Type in EventType as PaymentEvents[Type] extends { readonly status: infer Reached extends Status }
      ? Reached
      : never
  ]: Type;
};

/** The type of the event with which a payment reaches a status. Does not compile while a status has none. */
export const TYPE_OF_STATUS: Readonly<Record<Status, EventType>> = Object.fromEntries(
  Object.entries(PAYMENT_EVENTS).flatMap(([type, event]) =>
    'status' in event ? [[event.status, type]] : [],
  ),
) as TypeOfStatus;

/** An event before it gets its id and time. */
export interface EventDraft extends EventFacts {
  readonly type: EventType;
  /** The event's report as verbatim JSON; null: no report yet; undefined: the stored report. */
  readonly reportText: string | null | undefined;
}

/** The event for a provider's report that moves a payment to this status. */
function reported<const Reached extends Status>(status: Reached, summary: string) {
  return {
    status,
    summary,
    data: { ...EVENT_DATA, status: statusIs(status), verification: VERIFICATION },
  } as const;
}

function statusIs<const Reached extends Status>(status: Reached) {
  return { const: status, description: 'The status.' } as const;
}
