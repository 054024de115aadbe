import { pauseQuotes, takeQuote, type QuoteWindow } from '../../../src/domain/rate-limit/quote-window.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { ProviderUnavailable } from '../../../src/ports/payment-provider.ts';
import { QuoteBudget } from '../../../src/ports/quote-budget.ts';

/** The budget of one process. */
export class FakeQuoteBudget extends QuoteBudget {
  private window: QuoteWindow = { takenAt: [], pausedUntil: 0 };

  constructor(
    private readonly clock: Clock,
    private readonly limit: number,
  ) {
    super();
  }

  get taken(): number {
    return this.window.takenAt.length;
  }

  async takeQuote(): Promise<void> {
    const { window, waitMs } = takeQuote(this.window, this.nowMs, this.limit);
    this.window = window;
    if (waitMs !== null) throw new ProviderUnavailable('its limit of quotes a minute is reached', waitMs);
  }

  async pause(forMs: number): Promise<void> {
    this.window = pauseQuotes(this.window, forMs, this.nowMs);
  }

  private get nowMs(): number {
    return this.clock.now().getTime();
  }
}
