/** The settings of quotes and status requests. */
export class QuotesSettings {
  /** How long a quote may take where several providers may be asked. */
  readonly timeoutMs: number = 12_000;
  /** Whether the provider that delivers most makes the quote, instead of the preferred one. */
  readonly asksForBest: boolean = false;
  /** Whether quotes are refused if no witness could prove their output. */
  readonly refusesUnprovable: boolean = false;
  /** The shortest time between two immediate polls of a payment without a report, for all clients together. */
  readonly minGapMs: number = 5_000;
  /** How long a status request for a payment without a report waits for another replica's poll. */
  readonly reportWaitMs: number = 2_000;
  readonly reportPollMs: number = 200;
  /** How long to wait for the other providers' chains and tokens once one has answered. */
  readonly laggardWaitMs: number = 2_000;
  /** How long a request waits, beyond the provider's time-out, for another request with the same Idempotency-Key. */
  readonly idempotencyWaitMs: number = 2_000;
  readonly idempotencyPollMs: number = 100;
  /**
   * The lease of an Idempotency-Key, renewed while its quote is made. After this time, the key of a killed process is free.
   */
  readonly idempotencyLeaseMs: number = 10_000;

  constructor(settings: Partial<QuotesSettings> = {}) {
    Object.assign(this, settings);
  }
}
