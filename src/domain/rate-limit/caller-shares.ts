import { untilMs, type RateLimit, type RateLimitRules } from './rate-limit.ts';
import { callersRate, take, waitForCallerMs } from './token-bucket.ts';

/** A client that sends requests beside the polling, such as an API key. Instants are database milliseconds. */
export interface CallerState {
  readonly caller: string;
  /** When it last got a request; 0: never. */
  readonly servedAt: number;
  /** Until then the caller keeps its place in the queue for the next request. */
  readonly waitsUntil: number;
}

/** The requests that the waiting callers of one replica get now. */
export interface CallerShares {
  readonly rateLimit: RateLimit;
  /** The callers' new states, to be stored. */
  readonly callers: readonly CallerState[];
  readonly granted: ReadonlyMap<string, number>;
  readonly isProbe: boolean;
  /** How long each caller that wants more waits for its next request … */
  readonly waitMs: ReadonlyMap<string, number>;
  /** … and then between two of its own requests. */
  readonly everyMs: number;
}

/** A caller keeps its place for so long after the time at which it was asked to retry. */
const KEPT_MS = 2_000;
const KEPT_AT_MOST_MS = 60_000;
/** A caller that has neither asked nor been served for so long counts as a new one. */
const FORGOTTEN_AFTER_MS = 600_000;

interface Queued {
  readonly caller: string;
  readonly isHere: boolean;
  servedAt: number;
  left: number;
}

/**
 * Divides the requests that callers may take: each request goes to the caller that was served longest ago, so that all
 * get equal shares and unused ones go to the others. A request that is due to a caller of another replica is left for it.
 */
export function shareAmongCallers(
  rateLimit: RateLimit,
  callers: readonly CallerState[],
  wanted: ReadonlyMap<string, number>,
  now: number,
  rules: RateLimitRules,
): CallerShares {
  const queue = queueOf(callers, wanted, now);
  const total = queue.reduce((sum, { left }) => sum + left, 0);
  const { rateLimit: taken, admission } = take(rateLimit, total, now, rules, true);
  const granted = admission.isProbe ? probeFor(queue) : share(queue, admission.granted, now);
  const used = [...granted.values()].reduce((sum, count) => sum + count, 0);
  const left = take(taken, used - admission.granted, now, rules, true).rateLimit;
  const isShut = taken.circuit !== 'closed';
  const waitMs = isShut
    ? new Map([...wanted.keys()].map((caller) => [caller, admission.waitMs]))
    : waitsOf(queue, left, now, rules);
  return {
    rateLimit: left,
    callers: isShut ? callers : [...othersOf(callers, wanted, now), ...statesOf(queue, waitMs, now)],
    granted,
    isProbe: admission.isProbe,
    waitMs,
    everyMs: (queue.length / callersRate(left, now, rules)) * 1_000,
  };
}

function queueOf(
  callers: readonly CallerState[],
  wanted: ReadonlyMap<string, number>,
  now: number,
): Queued[] {
  // After a failover the new database's clock may be behind: ignore times that lie in its future.
  const served = new Map(
    callers.map(({ caller, servedAt }) => [caller, servedAt > now + KEPT_MS ? 0 : servedAt]),
  );
  const here = [...wanted].map(([caller, left]) => ({
    caller,
    isHere: true,
    servedAt: served.get(caller) ?? 0,
    left,
  }));
  const elsewhere = callers
    .filter(({ caller, waitsUntil }) => !wanted.has(caller) && untilMs(waitsUntil, now, KEPT_AT_MOST_MS) > 0)
    .map(({ caller }) => ({ caller, isHere: false, servedAt: served.get(caller) ?? 0, left: 1 }));
  return [...here, ...elsewhere];
}

function share(queue: readonly Queued[], requests: number, now: number): Map<string, number> {
  const granted = new Map<string, number>();
  for (let given = 0; given < requests; given += 1) {
    const next = firstOf(queue);
    if (next === undefined) break;
    next.left -= 1;
    // Within a round, too, each caller gets one request before any gets two.
    next.servedAt = now + given / requests;
    if (next.isHere) granted.set(next.caller, (granted.get(next.caller) ?? 0) + 1);
  }
  return granted;
}

function probeFor(queue: readonly Queued[]): Map<string, number> {
  const first = firstOf(queue.filter(({ isHere }) => isHere));
  return new Map(first === undefined ? [] : [[first.caller, 1]]);
}

function firstOf(queue: readonly Queued[]): Queued | undefined {
  let first: Queued | undefined;
  for (const each of queue)
    if (each.left > 0 && (first === undefined || each.servedAt < first.servedAt)) first = each;
  return first;
}

function waitsOf(
  queue: readonly Queued[],
  rateLimit: RateLimit,
  now: number,
  rules: RateLimitRules,
): Map<string, number> {
  // Requests that are kept for callers of other replicas are still in the bucket.
  const kept = queue.filter(({ isHere, left }) => !isHere && left === 0).length;
  const waiting = queue.filter(({ left }) => left > 0).toSorted((a, b) => a.servedAt - b.servedAt);
  return new Map(
    waiting.map(({ caller }, before) => [caller, waitForCallerMs(rateLimit, kept + before + 1, now, rules)]),
  );
}

function othersOf(
  callers: readonly CallerState[],
  wanted: ReadonlyMap<string, number>,
  now: number,
): CallerState[] {
  return callers.filter(
    ({ caller, servedAt, waitsUntil }) =>
      !wanted.has(caller) && Math.max(servedAt, waitsUntil) > now - FORGOTTEN_AFTER_MS,
  );
}

function statesOf(queue: readonly Queued[], waitMs: ReadonlyMap<string, number>, now: number): CallerState[] {
  return queue
    .filter(({ isHere }) => isHere)
    .map(({ caller, servedAt }) => {
      const wait = waitMs.get(caller);
      const waitsUntil = wait === undefined ? 0 : now + Math.min(wait + KEPT_MS, KEPT_AT_MOST_MS);
      return { caller, servedAt, waitsUntil };
    });
}
