/** The settings of the webhook destination. Durations are milliseconds. */
export abstract class WebhookSettings {
  abstract readonly eventSource: string;
  abstract readonly webhookTimeoutMs: number;
  /** The most attempts in flight at one endpoint. */
  abstract readonly webhookMaxConcurrency: number;
  abstract readonly webhookRetryScheduleMs: readonly number[];
  abstract readonly webhookLanePatienceMs: number;
}
