/** Decides to which URLs Paybell sends webhooks. */
export abstract class WebhookUrls {
  /** Why a webhook endpoint may not have this URL, and which setting allows it; null when the URL is acceptable now. */
  abstract refusal(url: string): string | null;
}
