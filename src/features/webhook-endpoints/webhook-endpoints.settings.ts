/** The limits of webhook endpoints. */
export class WebhookEndpointsSettings {
  /** The most endpoints, disabled ones included. */
  readonly endpoints: number = 1_000;
  /** The most concurrent tests of one API key in this process. */
  readonly testsPerKey: number = 5;

  constructor(limits: Partial<WebhookEndpointsSettings> = {}) {
    Object.assign(this, limits);
  }
}
