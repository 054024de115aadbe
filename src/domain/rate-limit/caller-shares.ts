import { untilMs, type RateLimit, type RateLimitRules } from './rate-limit.ts';
import { callersRate, take, waitForCallerMs } from './token-bucket.ts';

/** Who asks for requests beside the polling, such as an API key. Instants are milliseconds by the pace's clock. */
export interface CallerTurn {
  readonly caller: string;
  /** When it last got a request; 0: never. */
  readonly servedAt: number;
  /** Until then the next request is kept for it, when it is its turn. */
  readonly waitsUntil: number;
}

/** What callers who wait in one replica get of the pace now. */
export interface CallerRound {
  readonly rateLimit: RateLimit;
  /** To be kept. */
  readonly turns: readonly CallerTurn[];
  readonly granted: ReadonlyMap<string, number>;
  readonly isProbe: boolean;
  /** How long whoever wants more waits for its next request. */
  readonly waitMs: ReadonlyMap<string, number>;
  /** … and after that between two requests of its own. */
  readonly everyMs: number;
}

/** A caller who was told when to come again finds its request for so long after that. */
const KEPT_MS = 2_000;
const KEPT_AT_MOST_MS = 60_000;
/** One that has neither asked nor been served for so long has waited as long as any newcomer. */
const FORGOTTEN_AFTER_MS = 600_000;

interface Queued {
  readonly caller: string;
  readonly isHere: boolean;
  servedAt: number;
  left: number;
}

/**
 * Gives what callers may take to those who wait, one request at a time to whoever has waited longest since its last one: each
 * gets an equal share, and what one leaves goes to the others. What another replica's caller comes first for stays for it.
 */
export function callerRound(
  rateLimit: RateLimit,
  turns: readonly CallerTurn[],
  wanted: ReadonlyMap<string, number>,
  now: number,
  rules: RateLimitRules,
): CallerRound {
  const queue = queueOf(turns, wanted, now);
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
    turns: isShut ? turns : [...othersOf(turns, wanted, now), ...turnsOf(queue, waitMs, now)],
    granted,
    isProbe: admission.isProbe,
    waitMs,
    everyMs: (queue.length / callersRate(left, now, rules)) * 1_000,
  };
}

function queueOf(turns: readonly CallerTurn[], wanted: ReadonlyMap<string, number>, now: number): Queued[] {
  // Another database took over, whose clock is behind: what lies ahead of it counts no more.
  const served = new Map(
    turns.map(({ caller, servedAt }) => [caller, servedAt > now + KEPT_MS ? 0 : servedAt]),
  );
  const here = [...wanted].map(([caller, left]) => ({
    caller,
    isHere: true,
    servedAt: served.get(caller) ?? 0,
    left,
  }));
  const elsewhere = turns
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
    // Within a round, too, everybody comes once before anybody comes twice.
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
  // What was kept for callers elsewhere is still in the bucket.
  const kept = queue.filter(({ isHere, left }) => !isHere && left === 0).length;
  const waiting = queue.filter(({ left }) => left > 0).toSorted((a, b) => a.servedAt - b.servedAt);
  return new Map(
    waiting.map(({ caller }, before) => [caller, waitForCallerMs(rateLimit, kept + before + 1, now, rules)]),
  );
}

function othersOf(
  turns: readonly CallerTurn[],
  wanted: ReadonlyMap<string, number>,
  now: number,
): CallerTurn[] {
  return turns.filter(
    ({ caller, servedAt, waitsUntil }) =>
      !wanted.has(caller) && Math.max(servedAt, waitsUntil) > now - FORGOTTEN_AFTER_MS,
  );
}

function turnsOf(queue: readonly Queued[], waitMs: ReadonlyMap<string, number>, now: number): CallerTurn[] {
  return queue
    .filter(({ isHere }) => isHere)
    .map(({ caller, servedAt }) => {
      const wait = waitMs.get(caller);
      const waitsUntil = wait === undefined ? 0 : now + Math.min(wait + KEPT_MS, KEPT_AT_MOST_MS);
      return { caller, servedAt, waitsUntil };
    });
}
