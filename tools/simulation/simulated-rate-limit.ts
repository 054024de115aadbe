import {
  INITIAL_RATE_LIMIT,
  rateOf,
  type RateLimit,
  type RateLimitRules,
} from '../../src/domain/rate-limit/rate-limit.ts';
import { take, type Admission } from '../../src/domain/rate-limit/token-bucket.ts';
import {
  openCircuit,
  closeCircuit,
  spreadBacklog,
  throttle,
} from '../../src/domain/rate-limit/rate-limit-transitions.ts';
import { plannedRate } from '../../src/domain/polling/planned-rate.ts';
import type { Answer } from './simulated-provider.ts';

/** The provider, and not a payment, is at fault after so many failures in a row, at so many payments. */
const CIRCUIT = { failures: 10, payments: 3 };

/** The row that holds the provider's pace, in memory, and what the trackers tell it of the answers. */
export class SimulatedRateLimit {
  private rateLimit: RateLimit = INITIAL_RATE_LIMIT;
  private failures = 0;
  private readonly failing = new Set<number>();

  constructor(private readonly rules: RateLimitRules) {}

  get isClosed(): boolean {
    return this.rateLimit.circuit === 'closed';
  }

  takeOne(now: number): Admission {
    const { rateLimit, admission } = take(this.rateLimit, 1, now, this.rules);
    this.rateLimit = rateLimit;
    return admission;
  }

  /** Looks a second that may be made now; none while only probes go out, or nothing at all. */
  rate(now: number): number {
    return this.isClosed && this.rateLimit.pausedUntil <= now ? rateOf(this.rateLimit, now, this.rules) : 0;
  }

  planned(overdue: number, now: number): number {
    return plannedRate(this.rateLimit, overdue, now, this.rules);
  }

  /** What an answer says of the provider; true when it works again. */
  answered(
    answer: Answer,
    paymentId: number,
    isProbe: boolean,
    demandPerSecond: number,
    now: number,
  ): boolean {
    if (answer.kind === 'failed') {
      this.failed(paymentId, isProbe, now);
      return false;
    }
    if (this.failures > 0) this.failing.clear();
    this.failures = 0;
    if (answer.kind === 'refused') {
      const complaint = { retryAfterMs: answer.retryAfterMs, demandPerSecond };
      this.rateLimit = throttle(this.rateLimit, complaint, now, this.rules);
    }
    if (isProbe)
      this.rateLimit = spreadBacklog(closeCircuit(this.rateLimit), demandPerSecond, now, this.rules);
    return isProbe;
  }

  private failed(paymentId: number, isProbe: boolean, now: number): void {
    this.failures++;
    this.failing.add(paymentId);
    const isDown = this.failures >= CIRCUIT.failures && this.failing.size >= CIRCUIT.payments;
    if (isDown || isProbe) this.rateLimit = openCircuit(this.rateLimit, 'open', isProbe, now);
  }
}
