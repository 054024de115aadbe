import type { FailureClass } from './deliveries.ts';
import type { WebhookTarget } from './webhook-endpoints.ts';

/** What an endpoint made of a test event. */
export interface TestAnswer {
  readonly delivered: boolean;
  readonly httpStatus: number | null;
  readonly durationMs: number;
  /** Null when it was delivered, or when this process could not try. */
  readonly failure: FailureClass | null;
  /** The first KiB of the answer as text; null without an answer. */
  readonly body: string | null;
}

/** Sends test events by the way that webhooks go. */
export abstract class WebhookTester {
  /** One attempt, now, whether or not the endpoint is enabled. One that is delivered closes an open circuit. Never rejects. */
  abstract test(target: WebhookTarget): Promise<TestAnswer>;
}
