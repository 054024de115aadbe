import { FIRST_PACE } from '../../../src/domain/rate-limit/rate-limit.ts';
import type { Admission } from '../../../src/domain/rate-limit/token-bucket.ts';
import { NO_STRETCH, type Stretch } from '../../../src/domain/polling/interval-scale.ts';
import { ProviderUnavailable } from '../../../src/ports/payment-provider.ts';
import { ProviderPace, type OpenDemand, type PaceNow } from '../../../src/ports/provider-limits.ts';

/** A pace of which tests set how many requests are left; the circuit is theirs as well. */
export class FakeProviderPace extends ProviderPace {
  /** Requests that may still be taken; shrinks as they are. */
  budget = Number.POSITIVE_INFINITY;
  pace = FIRST_PACE;
  wanted: OpenDemand[] = [];
  stretched: Stretch = NO_STRETCH;
  readonly told: string[] = [];

  async now(): Promise<PaceNow> {
    return { pace: this.pace, nowMs: 0, stretch: this.stretched };
  }

  async take(wanted: number): Promise<Admission> {
    const granted = Math.min(wanted, this.budget);
    this.budget -= granted;
    return { granted, isProbe: false, waitMs: granted < wanted ? 20 : 0 };
  }

  readonly callers: string[] = [];

  async takeOne(caller: string): Promise<{ isProbe: boolean }> {
    this.callers.push(caller);
    if ((await this.take(1)).granted < 1) throw new ProviderUnavailable('its request budget is used up', 20);
    return { isProbe: false };
  }

  async returnOne(): Promise<void> {
    this.budget += 1;
  }

  async throttle(retryAfterMs: number | null): Promise<void> {
    this.told.push(`throttle ${retryAfterMs}`);
  }

  async spread(): Promise<void> {
    this.told.push('spread');
  }

  async fail(cause: 'open' | 'credentials', isProbe: boolean): Promise<void> {
    this.told.push(isProbe ? `probe ${cause}` : cause);
    this.pace = { ...this.pace, circuit: cause };
  }

  async recover(): Promise<void> {
    this.told.push('recover');
    this.pace = FIRST_PACE;
  }

  async demand(): Promise<OpenDemand[]> {
    return this.wanted;
  }

  async stretch(stretch: Stretch): Promise<void> {
    this.stretched = stretch;
  }
}
