import type { RateLimit } from '../../../src/domain/rate-limit/rate-limit.ts';
import {
  closeCircuit,
  openCircuit,
  throttle,
} from '../../../src/domain/rate-limit/rate-limit-transitions.ts';
import { callersRate, overdraw, take, type Admission } from '../../../src/domain/rate-limit/token-bucket.ts';
import type { IntervalScale } from '../../../src/domain/polling/interval-scale.ts';
import { apartMs } from '../../../src/domain/polling/spacing.ts';
import { PermitQueue, type QueueRound } from '../../../src/database/polling/permit-queue.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import {
  ProviderCredentials,
  ProviderNotAsked,
  type PaymentProvider,
} from '../../../src/ports/payment-provider.ts';
import {
  ProviderRateLimit,
  type OpenDemand,
  type RateLimitState,
} from '../../../src/ports/provider-rate-limit.ts';
import { NO_SPREAD, type Spread } from '../../../src/ports/schedule.ts';
import type { FakeSchedule } from './schedule.fake.ts';
import { INITIAL_RATE_LIMIT } from '../initial-rate-limit.ts';

const LEASE_SPARE_MS = 2_000;

/** The row that replicas in memory share; tests may set the rate limit. */
export class FakeRateLimitRow {
  rateLimit: RateLimit = INITIAL_RATE_LIMIT;
}

/** The provider's rate limit in memory, moved by the domain. Passes the same contract suite as PostgreSQL's. */
export class FakeProviderRateLimit extends ProviderRateLimit {
  /** The changes that were published to other replicas. */
  readonly published: string[] = [];
  private readonly callers = new PermitQueue(
    (wanted) => Promise.resolve(this.callerRound(wanted)),
    (waitMs) => new ProviderNotAsked('busy, since the requests that it may get now are taken', waitMs),
  );

  constructor(
    private readonly schedule: FakeSchedule,
    private readonly provider: Pick<PaymentProvider, 'limits'>,
    private readonly clock: Clock,
    private readonly row = new FakeRateLimitRow(),
  ) {
    super();
  }

  get rateLimit(): RateLimit {
    return this.row.rateLimit;
  }

  set rateLimit(rateLimit: RateLimit) {
    this.row.rateLimit = rateLimit;
  }

  async state(): Promise<RateLimitState> {
    return { rateLimit: this.rateLimit, nowMs: this.now(), scale: this.schedule.scale };
  }

  async circuitSince(): Promise<Date | null> {
    return null;
  }

  async charge(requests: number): Promise<void> {
    this.move((rateLimit, now) => overdraw(rateLimit, requests, now, this.provider.limits));
  }

  async takeRequests(wanted: number): Promise<Admission> {
    const { rateLimit, admission } = take(this.rateLimit, wanted, this.now(), this.provider.limits);
    this.rateLimit = rateLimit;
    return admission;
  }

  takeOne(caller: string): Promise<{ readonly isProbe: boolean }> {
    return this.callers.takePermit(caller);
  }

  async returnOne(): Promise<void> {
    this.move((rateLimit, now) => take(rateLimit, -1, now, this.provider.limits, true).rateLimit);
  }

  async throttle(retryAfterMs: number | null): Promise<void> {
    this.published.push(`throttle ${retryAfterMs}`);
    const complaint = { retryAfterMs, demandPerSecond: await this.requestsWanted() };
    this.move((rateLimit, now) => throttle(rateLimit, complaint, now, this.provider.limits));
  }

  async openCircuit(cause: 'open' | 'credentials', isProbe: boolean): Promise<void> {
    this.published.push(isProbe ? `probe ${cause}` : cause);
    this.move((rateLimit, now) => openCircuit(rateLimit, cause, isProbe, now));
  }

  async closeCircuit(): Promise<Spread> {
    this.published.push('recover');
    if (this.rateLimit.circuit === 'closed') return NO_SPREAD;
    this.schedule.heal(this.leaseMs);
    this.move(closeCircuit);
    return this.schedule.spreadOverdue();
  }

  async demand(): Promise<OpenDemand[]> {
    return this.schedule.demand();
  }

  async setScale(scale: IntervalScale): Promise<void> {
    this.schedule.setScale(scale, this.leaseMs);
  }

  private callerRound(wanted: number): QueueRound {
    const { limits } = this.provider;
    const { rateLimit, admission } = take(this.rateLimit, wanted, this.now(), limits, true);
    this.rateLimit = rateLimit;
    const everyMs = 1_000 / callersRate(rateLimit, this.now(), limits);
    return { ...admission, everyMs, refusal: refusalOf(rateLimit, admission) };
  }

  private async requestsWanted(): Promise<number> {
    const demand = await this.demand();
    return demand.reduce((sum, { perSecond }) => sum + perSecond, 0) / this.provider.limits.batchSize;
  }

  private move(work: (rateLimit: RateLimit, nowMs: number) => RateLimit): void {
    this.rateLimit = work(this.rateLimit, this.now());
  }

  private get leaseMs(): number {
    return Math.max(this.provider.limits.timeoutMs + LEASE_SPARE_MS, apartMs(this.schedule));
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function refusalOf({ circuit }: RateLimit, { isProbe, waitMs }: Admission): Error | null {
  if (circuit === 'closed') return null;
  if (circuit === 'credentials') return new ProviderCredentials();
  return new ProviderNotAsked('it fails, and gets only probes until it works again', isProbe ? null : waitMs);
}
