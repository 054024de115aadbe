import type { RateLimit } from '../domain/rate-limit/rate-limit.ts';
import type { Admission } from '../domain/rate-limit/token-bucket.ts';
import type { Demand, IntervalScale } from '../domain/polling/interval-scale.ts';

/** The pace as it stands, for whoever goes by it or shows it. */
export interface RateLimitState {
  readonly rateLimit: RateLimit;
  /** By the clock that the pace goes by. */
  readonly nowMs: number;
  readonly scale: IntervalScale;
}

/** What a class wants, and how many of its payments are due and wait. */
export interface OpenDemand extends Demand {
  readonly overdue: number;
}

/** How fast the provider may be asked: one budget and one circuit, shared by all replicas. Throws StoreUnavailable. */
export abstract class ProviderRateLimit {
  abstract state(): Promise<RateLimitState>;

  /** Takes up to `wanted` requests from the budget; a negative number gives back. */
  abstract take(wanted: number): Promise<Admission>;

  /**
   * Takes one request for a caller who waits, within seconds; it may be the one that tries whether the provider works again.
   * While requests are scarce, callers get equal shares, over all replicas. Throws ProviderUnavailable when none can be had
   * soon, and ProviderCredentials while the provider does not take our key.
   */
  abstract takeOne(caller: string): Promise<{ readonly isProbe: boolean }>;

  /** Gives back what takeOne has taken and was not used. */
  abstract returnOne(): Promise<void>;

  /** The provider has asked for fewer requests. */
  abstract throttle(retryAfterMs: number | null): Promise<void>;

  /** Lets a backlog out little faster than payments become due anyway. */
  abstract spreadBacklog(): Promise<void>;

  /** The provider fails, or does not take our key: only probes go out from now on. */
  abstract openCircuit(cause: 'open' | 'credentials', isProbe: boolean): Promise<void>;

  /** The provider works again: the circuit closes, and nobody is held to the failures that opened it. */
  abstract closeCircuit(): Promise<void>;

  /** How many open payments want how many looks. */
  abstract demand(): Promise<OpenDemand[]>;

  /** Stretches the intervals of all looks that are scheduled from now on; shrinks those that were stretched more. */
  abstract setScale(scale: IntervalScale): Promise<void>;
}
