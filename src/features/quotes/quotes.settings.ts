/** The settings of the gateway. */
export class QuotesSettings {
  /** A payment without any report is not looked up more often than this, whoever asks. */
  readonly minGapMs: number = 5_000;
  /** How long a status without any report waits for the look that another replica is taking. */
  readonly reportWaitMs: number = 2_000;
  readonly reportPollMs: number = 200;
  /** How long a request waits, beyond the provider's time-out, for another one with the same Idempotency-Key. */
  readonly idempotencyWaitMs: number = 2_000;
  readonly idempotencyPollMs: number = 100;
  /** How much longer than the provider's time-out the right to make the quote is held. */
  readonly idempotencyLeaseMs: number = 5_000;

  constructor(settings: Partial<QuotesSettings> = {}) {
    Object.assign(this, settings);
  }
}
