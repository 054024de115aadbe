import type { EventType } from '../domain/event.ts';

/** A URL of the merchant's that is told of events. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  /** Empty: all types. */
  readonly eventTypes: readonly EventType[];
  readonly description: string | null;
  readonly enabled: boolean;
  readonly createdAt: Date;
}

export interface WebhookTarget {
  readonly id: string;
  readonly url: string;
  /** The `whsec_…` secrets that sign now, the newest first. */
  readonly secrets: readonly string[];
}

export interface NewWebhookEndpoint {
  readonly url: string;
  readonly eventTypes: readonly EventType[];
  readonly description: string | null;
}

/** The merchant's webhook endpoints. Their secrets are encrypted at rest and shown only once. */
export abstract class WebhookEndpoints {
  abstract create(endpoint: NewWebhookEndpoint, secret: string): Promise<WebhookEndpoint>;
  abstract list(): Promise<WebhookEndpoint[]>;
  abstract find(id: string): Promise<WebhookEndpoint | null>;
  /** Deletes it and discards what is still owed to it; false when there is none. */
  abstract remove(id: string): Promise<boolean>;
  /** Takes no more events until it is enabled again. */
  abstract disable(id: string, reason: string): Promise<void>;
  /** Those that are enabled, with their secrets; may be up to a second old. */
  abstract targets(): Promise<readonly WebhookTarget[]>;
}
