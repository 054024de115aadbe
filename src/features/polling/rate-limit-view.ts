import { Logger } from '@nestjs/common';

import { isFree, pausedForMs, rateOf, type RateLimit } from '../../domain/rate-limit/rate-limit.ts';
import { plannedRate, NO_SCALE, type IntervalScale } from '../../domain/polling/interval-scale.ts';
import { sayShortBudget } from '../../domain/polling/short-budget.ts';
import { PaymentProvider } from '../../ports/payment-provider.ts';
import { ProviderRateLimit, type RateLimitState, readShortBudget } from '../../ports/provider-rate-limit.ts';
import type { Spread } from '../../ports/schedule.ts';
import { Timers } from '../../ports/timers.ts';

const CIRCUIT_WORDS: Readonly<Record<RateLimit['circuit'], string>> = {
  closed: 'the circuit is closed: payments are polled again',
  open: 'the circuit is open: only probes are sent until the provider works again',
  credentials:
    'the circuit is open: the provider does not accept our key, only probes are sent until it does',
};

/** This process's copy of the rate limit, at most a second old while it polls. Logs its changes. */
export class RateLimitView {
  private readonly log = new Logger('Provider');
  private known: RateLimitState | null = null;
  private readAt = 0;
  private wasSlowed = false;
  private shutOffCount = 0;
  private wasShut = false;
  /** When the last overdue payment after an outage is polled; null: all are polled. */
  private spreadUntil: number | null = null;

  constructor(
    private readonly rateLimit: ProviderRateLimit,
    private readonly provider: PaymentProvider,
    private readonly timers: Timers,
  ) {}

  /** Names the provider in a log line. */
  get logFields(): { readonly provider: string } {
    return { provider: this.provider.name };
  }

  /** True while only probes may be sent, for any reason. */
  get isOpen(): boolean {
    return this.circuit !== 'closed';
  }

  /** `closed` until the first refresh. */
  get circuit(): RateLimit['circuit'] {
    return this.known?.rateLimit.circuit ?? 'closed';
  }

  get scale(): IntervalScale {
    return this.known?.scale ?? NO_SCALE;
  }

  /** How often the circuit or a pause has shut the provider off: requests granted before the last shut-off are void. */
  get shutOffs(): number {
    return this.shutOffCount;
  }

  /** True while requests may be sent without taking tokens. */
  get isFree(): boolean {
    return this.known !== null && isFree(this.known.rateLimit, this.nowMs(this.known), this.provider.limits);
  }

  /** The requests a second that are allowed now; Infinity without a limit. */
  get requestsPerSecond(): number {
    return this.known === null
      ? 0
      : rateOf(this.known.rateLimit, this.nowMs(this.known), this.provider.limits);
  }

  /** The polls a second for which to plan intervals, with `overdue` payments waiting. */
  plannedPolls(overdue: number): number {
    const { limits } = this.provider;
    if (this.known === null) return 0;
    const requests = overdue / limits.batchSize;
    const planned = plannedRate(this.known.rateLimit, requests, this.nowMs(this.known), limits);
    return Math.max(planned - (limits.ownRpm ?? 0) / 60, 0) * limits.batchSize;
  }

  /** True while the rate is below the budget because the provider has asked for fewer requests. */
  get isSlowed(): boolean {
    if (this.known === null || this.known.rateLimit.slowed === null) return false;
    const usual = rateOf({ ...this.known.rateLimit, slowed: null }, 0, this.provider.limits);
    return this.requestsPerSecond < usual;
  }

  /** How long the provider has asked for a pause; 0: it has asked for none, or the pause is over. */
  get pausedForMs(): number {
    return this.known === null ? 0 : pausedForMs(this.known.rateLimit, this.nowMs(this.known));
  }

  /** Null: there is no such pause. */
  get pausedUntil(): Date | null {
    return this.known === null || this.pausedForMs === 0 ? null : new Date(this.known.rateLimit.pausedUntil);
  }

  /** Why fewer requests are sent than the payments need, for an operator; null: all are sent. Throws StoreUnavailable. */
  async shortage(): Promise<string | null> {
    if (this.pausedUntil !== null)
      return `it has asked for no requests until ${this.pausedUntil.toISOString()}`;
    if (this.isSlowed) return 'it has asked for fewer requests';
    if (this.known === null) return null;
    const short = await readShortBudget(this.rateLimit, this.known, this.provider.limits);
    return short === null ? null : sayShortBudget(short);
  }

  /** Logs that overdue payments are polled gradually; `refresh` logs the end. */
  noteSpread({ payments, withinMs }: Spread): void {
    if (payments === 0) return;
    this.spreadUntil = this.timers.nowMs() + withinMs;
    const seconds = (withinMs / 1_000).toFixed(1);
    this.log.log(
      `${payments} overdue payments are polled within ${seconds} s after an outage`,
      this.logFields,
    );
  }

  async refresh(): Promise<void> {
    const before = this.circuit;
    this.known = await this.rateLimit.state();
    this.readAt = this.timers.nowMs();
    this.countShutOffs(this.known);
    this.logChanges(before);
  }

  private countShutOffs({ rateLimit, nowMs }: RateLimitState): void {
    const isShut = this.isOpen || pausedForMs(rateLimit, nowMs) > 0;
    if (isShut && !this.wasShut) this.shutOffCount += 1;
    this.wasShut = isShut;
  }

  private logChanges(before: RateLimit['circuit']): void {
    if (this.circuit !== before) {
      if (this.isOpen) this.log.warn(CIRCUIT_WORDS[this.circuit], this.logFields);
      else this.log.log(CIRCUIT_WORDS.closed, this.logFields);
    }
    const { isSlowed } = this;
    if (isSlowed !== this.wasSlowed) {
      if (isSlowed)
        this.log.warn('the provider has asked for fewer requests: polling slows down', this.logFields);
      else this.log.log('polling runs at the usual rate again', this.logFields);
    }
    this.wasSlowed = isSlowed;
    if (this.spreadUntil === null || this.timers.nowMs() < this.spreadUntil) return;
    this.spreadUntil = null;
    this.log.log('the overdue payments are polled: the schedule is kept again', this.logFields);
  }

  private nowMs(seen: RateLimitState): number {
    return seen.nowMs + this.timers.nowMs() - this.readAt;
  }
}
