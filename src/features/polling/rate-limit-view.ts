import { Injectable, Logger } from '@nestjs/common';

import { isFree, rateOf, type RateLimit } from '../../domain/rate-limit/rate-limit.ts';
import { plannedRate } from '../../domain/polling/planned-rate.ts';
import { NO_SCALE, type IntervalScale } from '../../domain/polling/interval-scale.ts';
import { PaymentProvider } from '../../ports/payment-provider.ts';
import { ProviderRateLimit, type RateLimitState } from '../../ports/provider-rate-limit.ts';

const CIRCUIT_WORDS: Readonly<Record<RateLimit['circuit'], string>> = {
  closed: 'the circuit is closed: payments are polled again',
  open: 'the circuit is open: nothing but probes goes out until the provider works again',
  credentials:
    'the circuit is open: the provider does not accept our key, nothing but probes goes out until it does',
};

/** The provider's pace as this process saw it last: at most a second ago while it tracks. Tells operators of its turns. */
@Injectable()
export class RateLimitView {
  private readonly log = new Logger('Provider');
  private known: RateLimitState | null = null;
  private readAt = 0;
  private wasSlowed = false;
  private shutOffCount = 0;
  private wasShut = false;

  constructor(
    private readonly rateLimit: ProviderRateLimit,
    private readonly provider: PaymentProvider,
  ) {}

  /** True while only probes may go out, whatever the cause. */
  get isOpen(): boolean {
    return this.circuit !== 'closed';
  }

  /** `closed` until it was seen for the first time. */
  get circuit(): RateLimit['circuit'] {
    return this.known?.rateLimit.circuit ?? 'closed';
  }

  get scale(): IntervalScale {
    return this.known?.scale ?? NO_SCALE;
  }

  /** How often the provider was shut off, by its circuit or a pause: what was granted before each is void. */
  get shutOffs(): number {
    return this.shutOffCount;
  }

  /** True while requests may go out without asking. */
  get isFree(): boolean {
    return this.known !== null && isFree(this.known.rateLimit, this.nowMs(this.known), this.provider.limits);
  }

  /** Requests a second that may be made now; Infinity without any limit. */
  get requestsPerSecond(): number {
    return this.known === null
      ? 0
      : rateOf(this.known.rateLimit, this.nowMs(this.known), this.provider.limits);
  }

  /** Looks a second that intervals are to be planned for, while so many payments are due and wait. */
  plannedPolls(overdue: number): number {
    const { limits } = this.provider;
    if (this.known === null) return 0;
    const requests = overdue / limits.batchSize;
    const planned = plannedRate(this.known.rateLimit, requests, this.nowMs(this.known), limits);
    return Math.max(planned - (limits.ownRpm ?? 0) / 60, 0) * limits.batchSize;
  }

  /** True while the provider gets fewer requests than the budget allows, since it has asked for that. */
  get isSlowed(): boolean {
    if (this.known?.rateLimit.slowed?.cause !== 'asked') return false;
    const usual = rateOf({ ...this.known.rateLimit, slowed: null }, 0, this.provider.limits);
    return this.requestsPerSecond < usual;
  }

  async refresh(): Promise<void> {
    const before = this.circuit;
    this.known = await this.rateLimit.state();
    this.readAt = performance.now();
    this.countShutOffs(this.known);
    this.logChanges(before);
  }

  private countShutOffs({ rateLimit, nowMs }: RateLimitState): void {
    const isShut = this.isOpen || rateLimit.pausedUntil > nowMs;
    if (isShut && !this.wasShut) this.shutOffCount += 1;
    this.wasShut = isShut;
  }

  private logChanges(before: RateLimit['circuit']): void {
    if (this.circuit !== before) {
      if (this.isOpen) this.log.warn(CIRCUIT_WORDS[this.circuit]);
      else this.log.log(CIRCUIT_WORDS.closed);
    }
    const { isSlowed } = this;
    if (isSlowed !== this.wasSlowed) {
      if (isSlowed) this.log.warn('the provider has asked for fewer requests: polling slows down');
      else this.log.log('the provider is asked at the usual rate again');
    }
    this.wasSlowed = isSlowed;
  }

  private nowMs(seen: RateLimitState): number {
    return seen.nowMs + performance.now() - this.readAt;
  }
}
