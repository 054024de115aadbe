/** How much of the webhook slice may be used. */
export class WebhookEndpointsSettings {
  /** Endpoints in all, disabled ones included. */
  readonly endpoints: number = 1_000;
  /** Tests that one API key may have under way in this process. */
  readonly testsPerKey: number = 5;

  constructor(limits: Partial<WebhookEndpointsSettings> = {}) {
    Object.assign(this, limits);
  }
}
