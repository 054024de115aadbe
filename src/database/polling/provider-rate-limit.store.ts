import { Logger } from '@nestjs/common';

import { isFree, type RateLimit } from '../../domain/rate-limit/rate-limit.ts';
import { callersRate, overdraw, take, type Admission } from '../../domain/rate-limit/token-bucket.ts';
import { openCircuit, closeCircuit, throttle } from '../../domain/rate-limit/rate-limit-transitions.ts';
import type { IntervalScale } from '../../domain/polling/interval-scale.ts';
import { apartMs } from '../../domain/polling/spacing.ts';
import { urgencyNamed, type UrgencyName } from '../../domain/polling/urgency.ts';
import { type PaymentProvider, ProviderCredentials, ProviderNotAsked } from '../../ports/payment-provider.ts';
import { ProviderRateLimit, type OpenDemand, type RateLimitState } from '../../ports/provider-rate-limit.ts';
import { NO_SPREAD, type Spread } from '../../ports/schedule.ts';
import { PermitQueue, type QueueRound } from './permit-queue.ts';
import type { Database } from '../connection/database.ts';
import { readRateLimit, writeRateLimit } from './rate-limit-row.ts';
import type { RecordSettings } from '../events/record-settings.ts';
import { healSchedule, spreadOverdue } from './after-outage.ts';
import { isPutOff, scaleSchedule } from './scale-schedule.ts';

const AT_ONCE = { isProbe: false, waitMs: 0, everyMs: 0, refusal: null } as const;
const LEASE_SPARE_MS = 2_000;
/**
 * To count the requests that all payments want, the store reads the whole schedule: during a burst of refusals one count
 * serves for this long.
 */
const WANTED_LASTS_MS = 1_000;

type DemandRow = Omit<OpenDemand, 'urgency'> & { readonly urgency: UrgencyName };

interface Step<Result> {
  readonly rateLimit: RateLimit;
  readonly result: Result;
}

/**
 * One row for each provider, shared by all replicas. A replica takes several requests at a time, in one short transaction.
 */
export class PostgresProviderRateLimit extends ProviderRateLimit {
  private readonly log = new Logger('Provider');
  private wanted = 0;
  private wantedUntil = 0;
  private readonly callers = new PermitQueue(
    (wanted) => this.callerRound(wanted),
    (waitMs) => new ProviderNotAsked('busy, since the requests that it may get now are taken', waitMs),
  );

  constructor(
    private readonly database: Database,
    private readonly provider: PaymentProvider,
    private readonly rules: RecordSettings,
  ) {
    super();
  }

  async state(): Promise<RateLimitState> {
    const askedAt = performance.now();
    const state = await readRateLimit(this.database, this.provider.name, false);
    this.database.clock.measured(state.nowMs, askedAt);
    return state;
  }

  async circuitSince(): Promise<Date | null> {
    const [row] = await this.database.looks.query<{ since: Date | null }>(CIRCUIT_SINCE, [
      this.provider.name,
    ]);
    return row?.since ?? null;
  }

  takeRequests(wanted: number): Promise<Admission> {
    return this.move((rateLimit, nowMs) => {
      const taken = take(rateLimit, wanted, nowMs, this.provider.limits);
      return { rateLimit: taken.rateLimit, result: taken.admission };
    });
  }

  takeOne(caller: string): Promise<{ readonly isProbe: boolean }> {
    return this.callers.takePermit(caller);
  }

  async returnOne(): Promise<void> {
    await this.change((rateLimit, nowMs) => take(rateLimit, -1, nowMs, this.provider.limits, true).rateLimit);
  }

  async charge(requests: number): Promise<void> {
    if (requests === 0) return;
    try {
      await this.change((rateLimit, nowMs) => overdraw(rateLimit, requests, nowMs, this.provider.limits));
    } catch (error) {
      this.log.debug(`${requests} requests were not counted: ${(error as Error).message}`);
    }
  }

  async throttle(retryAfterMs: number | null): Promise<void> {
    const demandPerSecond = await this.requestsWanted();
    await this.change((rateLimit, nowMs) =>
      throttle(rateLimit, { retryAfterMs, demandPerSecond }, nowMs, this.provider.limits),
    );
  }

  async openCircuit(cause: 'open' | 'credentials', isProbe: boolean): Promise<void> {
    await this.change((rateLimit, nowMs) => openCircuit(rateLimit, cause, isProbe, nowMs));
  }

  async closeCircuit(): Promise<Spread> {
    const { name } = this.provider;
    if ((await this.state()).rateLimit.circuit === 'closed') return NO_SPREAD;
    // Runs first: once the circuit is closed, all polls that became due meanwhile would start at once.
    await healSchedule(this.database, name, this.rules.urgency, this.leaseMs);
    const spread = await spreadOverdue(this.database, name);
    await this.change(closeCircuit);
    return spread;
  }

  async demand(reader: 'tracker' | 'page' = 'tracker'): Promise<OpenDemand[]> {
    const queries = reader === 'page' ? this.database.reads : this.database;
    const rows = await queries.query<DemandRow>(DEMAND, [this.longestLeaseMs, this.provider.name]);
    return rows.map((row) => ({ ...row, urgency: urgencyNamed(row.urgency) }));
  }

  setScale(scale: IntervalScale): Promise<void> {
    const leases = { leaseMs: this.leaseMs, longestMs: this.longestLeaseMs };
    return this.database.transaction((queries) =>
      scaleSchedule(queries, this.provider.name, scale, this.rules.urgency, leases),
    );
  }

  private async callerRound(wanted: number): Promise<QueueRound> {
    const { limits } = this.provider;
    // Without a limit the replicas share no budget, and nothing is written unless the provider fails or has asked for a pause.
    if (limits.maxRpm === 0) {
      const { rateLimit, nowMs } = await this.state();
      if (isFree(rateLimit, nowMs, limits)) return { ...AT_ONCE, granted: wanted };
    }
    return this.move((before, nowMs) => {
      const { rateLimit, admission } = take(before, wanted, nowMs, limits, true);
      const everyMs = 1_000 / callersRate(rateLimit, nowMs, limits);
      return { rateLimit, result: { ...admission, everyMs, refusal: refusalOf(rateLimit, admission) } };
    });
  }

  /** The longest time of a poll, and the shortest gap between two polls of a payment. */
  private get leaseMs(): number {
    return Math.max(this.provider.limits.timeoutMs + LEASE_SPARE_MS, apartMs(this.rules.urgency));
  }

  /** Longer than the lease of any request. */
  private get longestLeaseMs(): number {
    return 2 * this.leaseMs;
  }

  /** How many requests a second the open payments want. */
  private async requestsWanted(): Promise<number> {
    if (performance.now() >= this.wantedUntil) {
      const demand = await this.demand();
      const polls = demand.reduce((sum, { perSecond }) => sum + perSecond, 0);
      this.wanted = polls / this.provider.limits.batchSize;
      this.wantedUntil = performance.now() + WANTED_LASTS_MS;
    }
    return this.wanted;
  }

  private async change(work: (rateLimit: RateLimit, nowMs: number) => RateLimit): Promise<void> {
    await this.move((rateLimit, nowMs) => ({ rateLimit: work(rateLimit, nowMs), result: null }));
  }

  private move<Result>(work: (rateLimit: RateLimit, nowMs: number) => Step<Result>): Promise<Result> {
    return this.database.transaction(async (queries) => {
      const { rateLimit, nowMs } = await readRateLimit(queries, this.provider.name, true);
      const moved = work(rateLimit, nowMs);
      if (moved.rateLimit !== rateLimit) await writeRateLimit(queries, this.provider.name, moved.rateLimit);
      return moved.result;
    });
  }
}

/** While the circuit is open, callers are refused at once: the outage may be long. */
function refusalOf({ circuit }: RateLimit, { isProbe, waitMs }: Admission): Error | null {
  if (circuit === 'closed') return null;
  if (circuit === 'credentials') return new ProviderCredentials();
  return new ProviderNotAsked('it fails, and gets only probes until it works again', isProbe ? null : waitMs);
}

const CIRCUIT_SINCE = `SELECT circuit_since AS since FROM provider_rate_limit WHERE provider = $1`;

const DEMAND = `
  SELECT s.urgency, count(*)::int AS payments, sum(1000.0 / s.interval_ms)::float8 AS "perSecond",
    (count(*) FILTER (WHERE s.due_at <= now()))::int AS overdue,
    (count(*) FILTER (WHERE s.polled_at IS NOT NULL AND ${isPutOff('$1')}))::int AS "putOff"
  FROM payment_schedule s JOIN interval_scale x ON x.provider = s.provider AND x.urgency = s.urgency
  WHERE s.provider = $2 AND s.interval_ms > 0 GROUP BY s.urgency`;
