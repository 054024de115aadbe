import { INITIAL_RATE_LIMIT } from '../../../src/domain/rate-limit/rate-limit.ts';
import type { Admission } from '../../../src/domain/rate-limit/token-bucket.ts';
import { NO_SCALE, type IntervalScale } from '../../../src/domain/polling/interval-scale.ts';
import { ProviderUnavailable } from '../../../src/ports/payment-provider.ts';
import {
  ProviderRateLimit,
  type OpenDemand,
  type RateLimitState,
} from '../../../src/ports/provider-rate-limit.ts';

/** A pace of which tests set how many requests are left; the circuit is theirs as well. */
export class FakeProviderRateLimit extends ProviderRateLimit {
  /** Requests that may still be taken; shrinks as they are. */
  budget = Number.POSITIVE_INFINITY;
  rateLimit = INITIAL_RATE_LIMIT;
  wanted: OpenDemand[] = [];
  scaled: IntervalScale = NO_SCALE;
  readonly published: string[] = [];

  async state(): Promise<RateLimitState> {
    return { rateLimit: this.rateLimit, nowMs: 0, scale: this.scaled };
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
    this.published.push(`throttle ${retryAfterMs}`);
  }

  async spreadBacklog(): Promise<void> {
    this.published.push('spread');
  }

  async openCircuit(cause: 'open' | 'credentials', isProbe: boolean): Promise<void> {
    this.published.push(isProbe ? `probe ${cause}` : cause);
    this.rateLimit = { ...this.rateLimit, circuit: cause };
  }

  async closeCircuit(): Promise<void> {
    this.published.push('recover');
    this.rateLimit = INITIAL_RATE_LIMIT;
  }

  async demand(): Promise<OpenDemand[]> {
    return this.wanted;
  }

  async setScale(scale: IntervalScale): Promise<void> {
    this.scaled = scale;
  }
}
