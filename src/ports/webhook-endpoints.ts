import type { EventType } from '../domain/event/event.ts';
import type { Circuit, Target } from './deliveries.ts';

/** `v1`: HMAC-SHA256 with a shared secret; `v1a`: ed25519, verified with a public key. */
export const SIGNATURES = ['v1', 'v1a'] as const;
export type Signature = (typeof SIGNATURES)[number];

/** Why an endpoint gets no webhooks, though it is enabled; `secret_unreadable`: this process can't sign for it. */
export const ENDPOINT_PROBLEMS = ['secret_unreadable'] as const;
export type EndpointProblem = (typeof ENDPOINT_PROBLEMS)[number];

/** A URL of the merchant's that is told of events. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** Empty: all types. */
  readonly eventTypes: readonly EventType[];
  readonly description: string | null;
  readonly enabled: boolean;
  /** Null while it is enabled. */
  readonly disabledReason: string | null;
  readonly signature: Signature;
  /** `whpk_…` of the newest key; null with `v1`. */
  readonly publicKey: string | null;
  readonly createdAt: Date;
  readonly circuit: Circuit;
  /** Since when every attempt has failed; null: the last one did not. */
  readonly failingSince: Date | null;
  /** The earliest time of the next probe, never in the past; null while the circuit is not open. */
  readonly nextProbeAt: Date | null;
  readonly problem: EndpointProblem | null;
  /** How many deliveries are pending, counted up to 10,000, and in a list of many endpoints up to less. */
  readonly pending: number;
  /** When the oldest of them was recorded; null: none is. */
  readonly oldestPendingAt: Date | null;
  /** When it last acknowledged an event; null: never yet. */
  readonly lastDeliveredAt: Date | null;
}

export interface WebhookTarget {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** The `whsec_…` or `whsk_…` secrets that sign now, the newest first. */
  readonly secrets: readonly string[];
}

/** One that takes deliveries, with its circuit. */
export interface EnabledTarget extends WebhookTarget, Target {}

export interface NewWebhookEndpoint {
  readonly url: string;
  readonly eventTypes: readonly EventType[];
  readonly description: string | null;
}

/** What signs an endpoint's webhooks: `whsec_…`, or `whsk_…` with its public key. */
export interface SigningKey {
  readonly secret: string;
  readonly publicKey: string | null;
}

/** What is absent stays as it is. */
export interface EndpointChanges {
  readonly url?: string;
  readonly eventTypes?: readonly EventType[];
  readonly description?: string | null;
  /** Why it is disabled from now on; null: it is enabled. */
  readonly disabledReason?: string | null;
}

/** The secret that this service is to sign with can't be decrypted with the keys it has. */
export class EndpointSecretUnreadable extends Error {
  readonly code = 'secret_unreadable';
  constructor() {
    super(
      "The endpoint's secret can't be decrypted with the present ENCRYPTION_KEY. Set the old key as ENCRYPTION_KEY_PREVIOUS, or rotate the secret.",
    );
  }
}

/** Nothing is sent to an endpoint that is disabled. */
export class WebhookEndpointDisabled extends Error {
  readonly code = 'webhook_endpoint_disabled';
  constructor() {
    super('The webhook endpoint is disabled: enable it first.');
  }
}

/** There are as many endpoints as this installation takes. */
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
  /** Throws TooManyEndpoints where there are `atMost` of them, disabled ones included, however many are added at once. */
  abstract create(endpoint: NewWebhookEndpoint, key: SigningKey, atMost?: number): Promise<WebhookEndpoint>;
  abstract list(): Promise<WebhookEndpoint[]>;
  abstract find(id: string): Promise<WebhookEndpoint | null>;
  /** Null when there is none. One that is enabled again is owed what was pending when it was disabled. */
  abstract change(id: string, changes: EndpointChanges): Promise<WebhookEndpoint | null>;
  /** Deletes it and discards what is still owed to it; false when there is none. */
  abstract remove(id: string): Promise<boolean>;
  /** Signs with `key` too from now on; until when the former ones do, null when none of them can be read any more. */
  abstract rotate(id: string, key: SigningKey, until: Date): Promise<Date | null>;
  /** Takes no more events until it is enabled again; false when it took none already. */
  abstract disable(id: string, reason: string): Promise<boolean>;
  /**
   * It took a test event: if its circuit is open, it recovers, as after a delivery. False when it is not open, or is
   * that of another URL.
   */
  abstract recordTestDelivered(target: WebhookTarget): Promise<boolean>;
  /** Those that are enabled and whose secrets this process can't decrypt; may be up to a second old. */
  abstract unreadable(): Promise<readonly string[]>;
  /** Those that are enabled, with their secrets; may be up to a second old. */
  abstract targets(): Promise<readonly EnabledTarget[]>;
  /** Reads them anew at the next time: something about them has changed. */
  abstract forgetTargets(): void;
  /** One as it is now, enabled or not; null when there is none. Throws EndpointSecretUnreadable. */
  abstract target(id: string): Promise<WebhookTarget | null>;
}
