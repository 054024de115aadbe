import type { EndpointState } from '../domain/delivery/endpoint-state.ts';
import type { SubscribedType } from '../domain/event/operational-event.ts';
import type { Circuit, Target } from './deliveries.ts';

/** `v1`: HMAC-SHA256 with a shared secret; `v1a`: ed25519, verified with a public key. */
export const SIGNATURES = ['v1', 'v1a'] as const;
export type Signature = (typeof SIGNATURES)[number];

/** Why an enabled endpoint gets no webhooks; `secret_unreadable`: this process cannot sign for it. */
export const ENDPOINT_PROBLEMS = ['secret_unreadable'] as const;
export type EndpointProblem = (typeof ENDPOINT_PROBLEMS)[number];

/** Events that were recorded while an endpoint was disabled, and that no recovery has queued since. */
export interface UnsentEvents {
  /** Counted as pending deliveries are. */
  readonly count: number;
  /** True: the number is a lower bound. */
  readonly isMore: boolean;
  /** The time of the first unsent event: a recovery since then sends all of them. Null: there are none. */
  readonly since: Date | null;
}

/** Payments with an event that an endpoint did not acknowledge when it was tried, and that will be tried again. */
export interface RefusedPayments {
  /** Counted with the bounds of pending deliveries. */
  readonly payments: number;
  /** When the first of these attempts was made; null: none was made. */
  readonly since: Date | null;
  /** Up to five of them. */
  readonly examples: readonly { readonly quoteId: string; readonly orderId: string | null }[];
}

/** A merchant's URL to which Paybell posts events. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** Empty: all types of payments. */
  readonly eventTypes: readonly SubscribedType[];
  readonly description: string | null;
  readonly enabled: boolean;
  /** Null while it is enabled. */
  readonly disabledReason: string | null;
  readonly signature: Signature;
  /** `whpk_…` of the newest key; null with `v1`. */
  readonly publicKey: string | null;
  /** Until when a former secret signs too; null: only the newest one signs, or none can be decrypted. */
  readonly previousSecretExpiresAt: Date | null;
  readonly createdAt: Date;
  readonly state: EndpointState;
  readonly refused: RefusedPayments;
  readonly circuit: Circuit;
  /** When the endpoint first failed a payment that was first tried after the last success; null: it has failed none. */
  readonly failingSince: Date | null;
  /** The earliest time of the next probe, never in the past; null while the circuit is not open. */
  readonly nextProbeAt: Date | null;
  readonly problem: EndpointProblem | null;
  /** How many deliveries are pending, counted up to 10,000; in a list of many endpoints up to a smaller number. */
  readonly pending: number;
  /** When the oldest pending delivery was recorded; null: none is pending. */
  readonly oldestPendingAt: Date | null;
  readonly unsent: UnsentEvents;
  /** When the endpoint last acknowledged an event; null: never. */
  readonly lastDeliveredAt: Date | null;
}

export interface WebhookTarget {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** The `whsec_…` or `whsk_…` secrets that sign now, newest first. */
  readonly secrets: readonly string[];
}

/** A webhook target that accepts deliveries, with its circuit. */
export interface EnabledTarget extends WebhookTarget, Target {}

export interface NewWebhookEndpoint {
  readonly url: string;
  readonly eventTypes: readonly SubscribedType[];
  readonly description: string | null;
}

/** The key that signs an endpoint's webhooks: `whsec_…`, or `whsk_…` with its public key. */
export interface SigningKey {
  readonly secret: string;
  readonly publicKey: string | null;
}

/** Changes of an endpoint; an absent field keeps its value. */
export interface EndpointChanges {
  readonly url?: string;
  readonly eventTypes?: readonly SubscribedType[];
  readonly description?: string | null;
  /** The reason for disabling the endpoint; null enables it. */
  readonly disabledReason?: string | null;
}

/** None of the configured keys decrypts the secret of the endpoint. */
export class EndpointSecretUnreadable extends Error {
  readonly code = 'secret_unreadable';
  constructor() {
    super(
      "The endpoint's secret cannot be decrypted with the present ENCRYPTION_KEY. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate the secret.",
    );
  }
}

/** The endpoint is disabled, so that Paybell sends nothing to it. */
export class WebhookEndpointDisabled extends Error {
  readonly code = 'webhook_endpoint_disabled';
  constructor() {
    super('The webhook endpoint is disabled: enable it first.');
  }
}

/** The limit of webhook endpoints is reached. */
export class TooManyEndpoints extends Error {
  readonly code = 'too_many_endpoints';
  constructor(limit: number) {
    super(
      `There are ${limit} webhook endpoints or more already (WEBHOOK_MAX_ENDPOINTS). Delete one, or raise the limit.`,
    );
  }
}

/** The merchant's webhook endpoints. Their secrets are encrypted at rest and shown only once. */
export abstract class WebhookEndpoints {
  /** Throws TooManyEndpoints when there are `atMost` endpoints, disabled ones included, also for concurrent calls. */
  abstract create(endpoint: NewWebhookEndpoint, key: SigningKey, atMost?: number): Promise<WebhookEndpoint>;
  abstract list(): Promise<WebhookEndpoint[]>;
  abstract find(id: string): Promise<WebhookEndpoint | null>;
  /** Null when there is no such endpoint. Enabling it resumes the deliveries that were pending when it was disabled. */
  abstract change(id: string, changes: EndpointChanges): Promise<WebhookEndpoint | null>;
  /** Deletes the endpoint and discards its pending deliveries; false when there is no such endpoint. */
  abstract remove(id: string): Promise<boolean>;
  /** Adds `key`. The former keys sign until `until`; returns that time, or null when none of them can be decrypted. */
  abstract rotate(id: string, key: SigningKey, until: Date): Promise<Date | null>;
  /** Disables the endpoint until it is enabled again; false when it was disabled already. */
  abstract disable(id: string, reason: string): Promise<boolean>;
  /**
   * Records that a test event was delivered: an open circuit recovers, as after a delivery. False when the circuit is not
   * open, or the endpoint has another URL by now.
   */
  abstract recordTestDelivered(target: WebhookTarget): Promise<boolean>;
  /** The ids of enabled endpoints whose secrets this process cannot decrypt; may be a second old. */
  abstract unreadable(): Promise<readonly string[]>;
  /** The enabled endpoints with their secrets; may be a second old. */
  abstract targets(): Promise<readonly EnabledTarget[]>;
  /** Drops the cached targets after a change: the next call reads them again. */
  abstract forgetTargets(): void;
  /** Reads one endpoint, enabled or not; null when there is none. Throws EndpointSecretUnreadable. */
  abstract target(id: string): Promise<WebhookTarget | null>;
}
