import { rateOf, type RateLimit } from '../domain/rate-limit/rate-limit.ts';
import type { Admission } from '../domain/rate-limit/token-bucket.ts';
import type { Demand, IntervalScale } from '../domain/polling/interval-scale.ts';
import { isShort, shortBudget, type ShortBudget } from '../domain/polling/short-budget.ts';
import type { ProviderLimits } from './payment-provider.ts';
import type { Spread } from './schedule.ts';

/** The current rate limit and interval scale. */
export interface RateLimitState {
  readonly rateLimit: RateLimit;
  /** The time by the rate limit's clock. */
  readonly nowMs: number;
  readonly scale: IntervalScale;
}

/** The demand of an urgency class, and how many of its payments are overdue. */
export interface OpenDemand extends Demand {
  readonly overdue: number;
  /** How many payments of the class still wait because a former, larger scale has put them off. */
  readonly putOff: number;
}

/** A provider's rate limit and circuit, shared by all replicas. Every method throws StoreUnavailable. */
export abstract class ProviderRateLimit {
  abstract state(): Promise<RateLimitState>;

  /** When the circuit got its present state; null: unknown. */
  abstract circuitSince(): Promise<Date | null>;

  /** Takes up to `wanted` requests from the budget; a negative number returns some. */
  abstract takeRequests(wanted: number): Promise<Admission>;

  /**
   * Takes one request for a waiting caller, within seconds; the request may be the probe of an open circuit. While requests
   * are scarce, the callers of this process are served in turn. Throws ProviderUnavailable when no request is available soon,
   * and ProviderCredentials while the provider rejects our key.
   */
  abstract takeOne(caller: string): Promise<{ readonly isProbe: boolean }>;

  /** Returns a request from takeOne that was not sent. */
  abstract returnOne(): Promise<void>;

  /**
   * Counts requests that were sent without being taken: later requests wait as long as these would have waited. A negative
   * number returns requests. Never throws.
   */
  abstract charge(requests: number): Promise<void>;

  /** Lowers the rate: the provider has asked for fewer requests. */
  abstract throttle(retryAfterMs: number | null): Promise<void>;

  /** Opens the circuit: the provider fails, or rejects our key. From now on only probes are sent. */
  abstract openCircuit(cause: 'open' | 'credentials', isProbe: boolean): Promise<void>;

  /**
   * Closes the circuit: the provider works again. Clears the backoff of the payments whose polls failed meanwhile, and
   * spreads the polls of those that are overdue.
   */
  abstract closeCircuit(): Promise<Spread>;

  /** The demand of the open payments, by urgency class. A page reads it on connections that polls do not use. */
  abstract demand(reader?: 'tracker' | 'page'): Promise<OpenDemand[]>;

  /** Scales the intervals of all polls scheduled from now on; shortens waits that were scaled more. */
  abstract setScale(scale: IntervalScale): Promise<void>;
}

/**
 * Reads the demand, which counts all open payments, only if the budget is short. Null: the budget suffices. Throws
 * StoreUnavailable.
 */
export async function readShortBudget(
  provider: Pick<ProviderRateLimit, 'demand'>,
  { rateLimit, nowMs, scale }: RateLimitState,
  limits: ProviderLimits,
): Promise<ShortBudget | null> {
  if (!isShort(scale)) return null;
  const hasPerMinute = rateOf(rateLimit, nowMs, limits) * 60;
  return shortBudget(await provider.demand(), scale, { ...limits, hasPerMinute });
}
