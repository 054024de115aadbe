/** Which URLs this service is willing to send webhooks to. */
export abstract class WebhookUrls {
  /** Why a webhook endpoint may not have this URL and how to allow it; null when it may, as far as can be told now. */
  abstract refusal(url: string): string | null;
}
