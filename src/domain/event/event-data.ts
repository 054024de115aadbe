import {
  RESOLUTION_REASONS,
  STALL_REASONS,
  type Payment,
  type Resolution,
  type StallReason,
} from '../payment/payment.ts';
import { REPORTED_ANOMALIES } from '../payment/outcome.ts';
import type { Amounts } from '../payment/amounts.ts';
import type { CompletedOutput } from '../payment/completed-output.ts';
import { STATUSES, type Status } from '../payment/status.ts';
import type { UnseenDeposit } from '../proof/output.ts';
import { AMOUNTS } from './output-facts.ts';
import { CONTRADICTIONS_ON_CHAIN, type Verification } from '../proof/verification.ts';
import type { ObjectOf } from '../text/json-schema.ts';

export const ANOMALY_REASONS = [
  'went_back',
  'changed_after_completed',
  'unknown_status',
  'other_address',
  ...REPORTED_ANOMALIES,
  ...CONTRADICTIONS_ON_CHAIN,
  'deposit_unseen_by_provider',
] as const;

export type AnomalyReason = (typeof ANOMALY_REASONS)[number];

/** The schema does not describe the report's fields: Paybell passes the report on without checking them. */
const REPORT = "The provider's status object as reported, verbatim; its fields are not checked.";

/** The fields in `data` of every event of a payment, in their order. The event types narrow some of them. */
export const EVENT_DATA = {
  quoteId: { type: 'string', description: "The provider's id of the quote." },
  provider: { type: 'string', description: 'The name of the provider that carries the payment.' },
  orderId: {
    type: ['string', 'null'],
    description: 'The order id that the quote was given, then or later.',
  },
  metadata: {
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
    description: 'The metadata that the quote was given, then or later.',
  },
  sequence: {
    type: 'integer',
    minimum: 1,
    description: 'The number of the event in its payment: 1, 2, 3, …',
  },
  previousSequence: {
    type: 'integer',
    minimum: 0,
    optional: true,
    description:
      'Only after a database went back: the number that this event follows. Do not wait for those in between.',
  },
  status: { enum: STATUSES, description: 'The status.' },
  previousStatus: {
    enum: STATUSES,
    description: 'The status before this event; the same status where nothing changed.',
  },
  late: {
    type: 'boolean',
    description: 'True: the change came after the payment had ended as EXPIRED or FAILED.',
  },
  amounts: AMOUNTS,
  payment: { type: 'object', description: REPORT },
} as const;

/** The report of event types that may come before the first report. */
export const REPORT_OR_NONE = {
  type: ['object', 'null'],
  description: `${REPORT} Null before the first report.`,
} as const;

export const STALL_REASON = {
  enum: STALL_REASONS,
  description:
    'Nothing moves after the deposit, the provider says nothing, or a withheld completion is not proven in time.',
} as const;

export const ANOMALY_REASON = {
  enum: ANOMALY_REASONS,
  description:
    'How the provider contradicts itself or the chain contradicts it, or what is odd about the end; the status stands.',
} as const;

/** Present only in the event that a resolution makes. */
export const RESOLUTION = {
  type: ['object', 'null'],
  optional: true,
  description:
    'Only when a person resolved the payment, or took that back (null): how it was settled. The status stands.',
  properties: {
    reason: { enum: RESOLUTION_REASONS, description: "The person's reason." },
    note: { type: ['string', 'null'], description: "The person's note." },
    by: { type: 'string', description: 'The name of the API key.' },
    at: { type: 'string', format: 'date-time', description: 'When it was resolved, UTC with milliseconds.' },
  },
  required: ['reason', 'note', 'by', 'at'],
} as const;

/** Present only in the event that names the order of a completed payment whose `payment.completed` came without it. */
export const NAMED = {
  type: 'boolean',
  const: true,
  optional: true,
  description:
    'Only when a payment that was completed without an order gets one: fulfil the order on this event.',
} as const;

/** Present in an event that gives the payment another order. */
export const PREVIOUS_ORDER_ID = {
  type: 'string',
  optional: true,
  description: 'Only when the payment had another order before: the id of that order.',
} as const;

/** The facts of an event that are not part of the payment. */
export interface EventFacts {
  readonly sequence: number;
  readonly previousSequence?: number;
  readonly status: Status;
  readonly previousStatus: Status | null;
  readonly late: boolean;
  readonly reason?: StallReason | AnomalyReason;
  readonly named?: true;
  readonly previousOrderId?: string;
  readonly resolution?: Resolution | null;
  readonly verification?: Verification;
  readonly deposit?: UnseenDeposit;
}

/** Facts that come from the event's report. */
export interface ReportedFacts {
  /** Present in a completion; null in any other event. */
  readonly output: CompletedOutput | null;
  /** Null before the deposit. */
  readonly amounts: Amounts | null;
}

type WithoutReport = Omit<ObjectOf<typeof EVENT_DATA>, 'previousStatus' | 'payment'> &
  Pick<
    EventFacts,
    'previousStatus' | 'reason' | 'named' | 'previousOrderId' | 'resolution' | 'verification' | 'deposit'
  > & {
    readonly output?: CompletedOutput | null;
  };

/** The event's `data` without the report, which is inserted as text. */
export function dataOf(
  facts: EventFacts,
  payment: Payment,
  { output, amounts }: ReportedFacts,
): WithoutReport {
  return {
    quoteId: payment.quoteId,
    provider: payment.provider,
    orderId: payment.orderId,
    metadata: payment.metadata,
    sequence: facts.sequence,
    ...(facts.previousSequence === undefined ? {} : { previousSequence: facts.previousSequence }),
    status: facts.status,
    previousStatus: facts.previousStatus,
    late: facts.late,
    ...(amounts === null ? {} : { amounts }),
    ...(facts.reason === undefined ? {} : { reason: facts.reason }),
    ...(facts.named === undefined ? {} : { named: facts.named }),
    ...(facts.previousOrderId === undefined ? {} : { previousOrderId: facts.previousOrderId }),
    ...(facts.resolution === undefined ? {} : { resolution: facts.resolution }),
    ...(facts.verification === undefined ? {} : { verification: facts.verification }),
    ...(facts.deposit === undefined ? {} : { deposit: facts.deposit }),
    ...(output === null ? {} : { output }),
  };
}
