import { PaymentProvider } from '../../ports/payment-provider.ts';
import { Timers } from '../../ports/timers.ts';

/** The weight of the newest answer in the mean. */
const NEWEST = 0.1;
/** Fewer answers say nothing yet, and after so long without one nothing any more. */
const FEWEST = 5;
const FORGOTTEN_AFTER_MS = 120_000;

/** How long the provider takes for its answers to this process. */
export class AnswerTimes {
  private meanMs = 0;
  private answers = 0;
  private lastAt = 0;

  constructor(
    private readonly provider: PaymentProvider,
    private readonly timers: Timers,
  ) {}

  note(durationMs: number): void {
    const now = this.timers.nowMs();
    if (now - this.lastAt > FORGOTTEN_AFTER_MS) this.answers = 0;
    this.meanMs = this.answers === 0 ? durationMs : this.meanMs + NEWEST * (durationMs - this.meanMs);
    this.answers += 1;
    this.lastAt = now;
  }

  /** The mean of late, where it is above half the time limit; null: the provider is fast enough, or was not asked of late. */
  get slowMs(): number | null {
    const isKnown = this.answers >= FEWEST && this.timers.nowMs() - this.lastAt <= FORGOTTEN_AFTER_MS;
    return isKnown && this.meanMs > this.provider.limits.timeoutMs / 2 ? Math.round(this.meanMs) : null;
  }
}
