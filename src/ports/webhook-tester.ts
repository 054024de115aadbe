import type { SubscribedType } from '../domain/event/operational-event.ts';
import type { FailureClass } from './deliveries.ts';
import type { WebhookTarget } from './webhook-endpoints.ts';

/** The result of sending a test event. */
export interface TestAnswer {
  readonly delivered: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Null when the event was delivered, or when this process could not try. */
  readonly failure: FailureClass | null;
  readonly code: string | null;
  /** The first KiB of the answer as text; null without an answer. */
  readonly body: string | null;
}

/** Sends test events in the same way as webhooks. */
export abstract class WebhookTester {
  /**
   * Makes one attempt now, whether or not the endpoint is enabled, with an example of the type; null: a `webhook.test` event.
   * A success makes an open circuit recover. Never rejects.
   */
  abstract test(target: WebhookTarget, type: SubscribedType | null): Promise<TestAnswer>;
}
