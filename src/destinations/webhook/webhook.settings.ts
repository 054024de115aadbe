/** The settings of the webhook destination. Durations are milliseconds. */
export abstract class WebhookSettings {
  abstract readonly eventSource: string;
  abstract readonly webhookTimeoutMs: number;
  /** How many attempts one endpoint has in flight at most. */
  abstract readonly webhookMaxConcurrency: number;
  abstract readonly webhookRetryScheduleMs: readonly number[];
  abstract readonly webhookLanePatienceMs: number;
}
