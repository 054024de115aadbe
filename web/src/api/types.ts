import type { Schemas } from './client.ts';

/** The id of RabbitMQ's exchange among destinations. */
export const EXCHANGE = 'rabbitmq';

export type Payment = Schemas['PaymentAnswer'];
export type Order = Schemas['OrderAnswer'];
export type PaymentsPage = Schemas['PaymentsAnswer'];
export type CountAnswer = Schemas['CountAnswer'];
export type Progress = Schemas['ProgressAnswer'];
export type Delivery = Schemas['DeliveryAnswer'];
export type DeliveryDetail = Schemas['DeliveryDetailAnswer'];
export type Attempt = Schemas['AttemptAnswer'];
export type Endpoint = Schemas['WebhookEndpointView'];
export type Destination = Schemas['DestinationAnswer'];
export type CreatedEndpoint = Schemas['CreatedWebhookEndpoint'];
export type RotatedSecret = Schemas['RotatedSecret'];
export type TestResult = Schemas['WebhookTestResult'];
export type Recovery = Schemas['ReplayView'];
export type Whoami = Schemas['Whoami'];
export type ApiKey = Schemas['KeyView'];
export type AuditEntry = Schemas['AuditEntryAnswer'];

/** A payment's event: a CloudEvent. A newer Paybell may send types unknown to the dashboard, so all have one shape here. */
export interface PaymentEvent {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly data: {
    readonly quoteId: string;
    readonly orderId: string | null;
    readonly metadata: Readonly<Record<string, string>> | null;
    readonly sequence: number;
    readonly status: string;
    readonly previousStatus: string | null;
    readonly late: boolean;
    readonly amounts?: NonNullable<Payment['amounts']>;
    readonly reason?: string;
    readonly verification?: NonNullable<Payment['verification']>;
    readonly payment: Readonly<Record<string, unknown>> | null;
    readonly resolution?: Resolution | null;
    readonly deposit?: UnseenDeposit;
  };
}

/** A deposit on chain that the provider does not report. */
export interface UnseenDeposit {
  readonly wrongToken: boolean;
  readonly token: string | null;
  readonly amount: string | null;
  readonly sum: string | null;
}

export interface Resolution {
  readonly reason: string;
  readonly note: string | null;
  readonly by: string;
  readonly at: string;
}
