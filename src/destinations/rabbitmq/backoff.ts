/** Exponential waits with jitter between two bounds. */
export class Backoff {
  private failures = 0;

  constructor(
    private readonly fromMs: number,
    private readonly upToMs: number,
    private readonly random: () => number = Math.random,
  ) {}

  nextMs(): number {
    this.failures += 1;
    const ceilingMs = Math.min(this.upToMs, this.fromMs * 2 ** this.failures);
    return Math.round(Math.max(this.fromMs, ceilingMs * (0.5 + this.random() / 2)));
  }

  /** The longest wait, for a failure that only an operator can repair. */
  slowestMs(): number {
    return this.upToMs;
  }

  reset(): void {
    this.failures = 0;
  }
}
