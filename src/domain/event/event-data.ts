import { Holds, type JsonSchema } from '../text/json-fields.ts';
import { STALL_REASONS, type StallReason } from '../payment/payment.ts';
import { STATUSES, type Status } from '../payment/status.ts';

export const ANOMALY_REASONS = ['went_back', 'changed_after_completed', 'unknown_status'] as const;

export type AnomalyReason = (typeof ANOMALY_REASONS)[number];

/** The schema does not describe the report's fields: Paybell passes the report on without checking them. */
const REPORT = "The provider's status object as reported, verbatim; its fields are not checked.";
const NO_REPORT: JsonSchema = { type: 'null', description: 'There is no report yet.' };
const REPORT_OR_NONE: JsonSchema = {
  type: ['object', 'null'],
  description: `${REPORT} Null before the first report.`,
};
const PREVIOUS = 'The status before this event; the same one where it did not change.';

const statusIs = (status: Status): JsonSchema => ({ const: status, description: 'The status.' });

/** The provider's Payment status object: the fields of the payment API, and any other fields that the provider adds. */
export interface ProviderReport {
  readonly [field: string]: unknown;
  readonly quoteId?: string;
  readonly status?: string;
  /** Unix seconds. */
  readonly createdAt?: number;
  /** Unix seconds. */
  readonly expiresAt?: number;
  readonly depositAddress?: string;
  readonly deposit?: object | null;
  readonly gas?: object | null;
  readonly execution?: { readonly [field: string]: unknown; readonly outputTxHash?: string | null } | null;
  readonly route?: object;
  readonly error?: string | null;
}

/** The data that every event of a payment carries. */
export class PaymentData {
  @Holds({ type: 'string', description: "The provider's id of the quote." })
  readonly quoteId!: string;

  @Holds({ type: ['string', 'null'], description: 'The order id that the quote was given, then or later.' })
  readonly orderId!: string | null;

  @Holds({
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
    description: 'The metadata that the quote was given, then or later.',
  })
  readonly metadata!: Readonly<Record<string, string>> | null;

  @Holds({
    type: 'integer',
    minimum: 1,
    description: 'Its number among the events of the payment: 1, 2, 3, …',
  })
  readonly sequence!: number;

  @Holds({ enum: STATUSES, description: 'The status.' })
  readonly status!: Status;

  @Holds({ enum: STATUSES, description: PREVIOUS })
  readonly previousStatus!: Status | null;

  @Holds({ type: 'boolean', description: 'It came after the payment had ended as EXPIRED or FAILED.' })
  readonly late!: boolean;

  @Holds({ type: 'object', description: REPORT })
  readonly payment!: ProviderReport | null;
}

export class CreatedData extends PaymentData {
  @Holds(statusIs('AWAITING_DEPOSIT'))
  override readonly status!: 'AWAITING_DEPOSIT';

  @Holds({ type: 'null', description: 'There was none before.' })
  override readonly previousStatus!: null;

  @Holds(NO_REPORT)
  override readonly payment!: null;
}

/** The data of an event that a report has caused. */
export class ReportedData extends PaymentData {
  override readonly previousStatus!: Status;
  override readonly payment!: ProviderReport;
}

export class DepositReceivedData extends ReportedData {
  @Holds(statusIs('DEPOSIT_RECEIVED'))
  override readonly status!: 'DEPOSIT_RECEIVED';
}

export class ExecutingData extends ReportedData {
  @Holds(statusIs('EXECUTING'))
  override readonly status!: 'EXECUTING';
}

export class CompletedData extends ReportedData {
  @Holds(statusIs('COMPLETED'))
  override readonly status!: 'COMPLETED';
}

export class FailedData extends ReportedData {
  @Holds(statusIs('FAILED'))
  override readonly status!: 'FAILED';
}

export class ExpiredData extends ReportedData {
  @Holds(statusIs('EXPIRED'))
  override readonly status!: 'EXPIRED';
}

/** A merchant can set an order id before the first report. */
export class UpdatedData extends PaymentData {
  override readonly previousStatus!: Status;

  @Holds(REPORT_OR_NONE)
  override readonly payment!: ProviderReport | null;
}

export class StalledData extends PaymentData {
  override readonly previousStatus!: Status;

  @Holds({
    enum: STALL_REASONS,
    description: 'Nothing moves after the deposit, or the provider says nothing.',
  })
  readonly reason!: StallReason;

  @Holds(REPORT_OR_NONE)
  override readonly payment!: ProviderReport | null;
}

export class AnomalyData extends ReportedData {
  @Holds({ enum: ANOMALY_REASONS, description: 'How the provider contradicts itself; the status stands.' })
  readonly reason!: AnomalyReason;

  @Holds({ type: 'object', description: 'The contradicting report, verbatim.' })
  override readonly payment!: ProviderReport;
}

/** The data of a `webhook.test` event. */
export class TestData {
  @Holds({ type: 'string', format: 'uuid', description: 'The webhook endpoint that is tested.' })
  readonly endpointId!: string;
}
