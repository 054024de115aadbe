import { countOf, countsOfWords, latencyIn, type Counts } from '../../domain/figures/counts.ts';
import type { IntervalScale } from '../../domain/polling/interval-scale.ts';
import { URGENCY_NAMES } from '../../domain/polling/urgency.ts';
import { rateOf, untilMs, MAX_PAUSE_MS } from '../../domain/rate-limit/rate-limit.ts';
import { take } from '../../domain/rate-limit/token-bucket.ts';
import { POLL_OUTCOMES } from '../../ports/meter.ts';
import type { ProviderLimits } from '../../ports/payment-provider.ts';
import type { OpenDemand, RateLimitState } from '../../ports/provider-rate-limit.ts';
import { type SeenReplica, viewOf } from '../../ports/replicas.ts';

const MAX_REFUSALS = 20;

export function circuitOf({ rateLimit }: RateLimitState, since: Date | null) {
  const { circuit: state, probeAt } = rateLimit;
  return { state, since, nextProbeAt: state === 'closed' ? null : new Date(probeAt) };
}

export function limitsOf(limits: ProviderLimits) {
  const { maxRpm, maxQuotesPerMinute = null, maxConcurrency, batchSize, timeoutMs } = limits;
  const requestsPerMinute = maxRpm === 0 ? null : maxRpm;
  return { requestsPerMinute, quotesPerMinute: maxQuotesPerMinute, maxConcurrency, batchSize, timeoutMs };
}

export function budgetOf({ rateLimit, nowMs }: RateLimitState, limits: ProviderLimits, lastMinute: Counts) {
  const rate = rateOf(rateLimit, nowMs, limits);
  const isLimited = Number.isFinite(rate);
  const { admission } = take(rateLimit, Number.POSITIVE_INFINITY, nowMs, limits);
  const isSlowed = rate < rateOf({ ...rateLimit, slowed: null }, nowMs, limits);
  const pauseMs = untilMs(rateLimit.pausedUntil, nowMs, MAX_PAUSE_MS);
  return {
    requestsPerMinuteNow: isLimited ? Math.round(rate * 600) / 10 : null,
    available: Number.isFinite(admission.granted) ? admission.granted : null,
    usedLastMinute: latencyIn(lastMinute, 'requests').count,
    pausedUntil: pauseMs === 0 ? null : new Date(nowMs + pauseMs),
    slowedBy: isSlowed ? ('asked' as const) : null,
  };
}

export function classesOf(demand: readonly OpenDemand[], scale: IntervalScale, lastMinute: Counts) {
  return URGENCY_NAMES.map((name, urgency) => {
    const {
      payments = 0,
      overdue = 0,
      perSecond = 0,
    } = demand.find((each) => each.urgency === urgency) ?? {};
    return {
      name,
      payments,
      overdue,
      wantedPerMinute: Math.round(perSecond * 600) / 10,
      polledLastMinute: countOf(lastMinute, `class.${name}`),
      scale: Math.round((scale[urgency] ?? 1) * 100) / 100,
    };
  });
}

export function lastHourOf(counts: Counts) {
  return {
    polls: countsOfWords(counts, 'polls', POLL_OUTCOMES),
    requests: latencyIn(counts, 'requests'),
    detectionGap: latencyIn(counts, 'gap'),
  };
}

export function refusalsOf(replicas: readonly SeenReplica[], provider: string) {
  return replicas
    .flatMap((replica) =>
      viewOf(replica, provider).refusals.map((refusal) => ({ ...refusal, replicaId: replica.id })),
    )
    .toSorted((one, other) => other.at.getTime() - one.at.getTime())
    .slice(0, MAX_REFUSALS);
}

export function replicaOf(seen: SeenReplica, provider: string) {
  const { providers: _providers, settings: _settings, ...replica } = seen;
  const { detail, isKeyRefused } = viewOf(seen, provider);
  return { ...replica, detail, keyRefused: isKeyRefused };
}

/** How long the next payment has been due, in whole milliseconds; 0 when it is not due yet, or there is none. */
export function lagOf(nextDueInMs: number | null): number {
  return Math.max(Math.round(-(nextDueInMs ?? 0)), 0);
}
