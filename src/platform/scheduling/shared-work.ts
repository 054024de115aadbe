import type { Timers } from '../../ports/timers.ts';

/** A number for all results, or a number by result. */
type OfResult<Result> = number | ((result: Result) => number);

/** For how long later callers get a result too. */
export interface Keeping<Result> {
  readonly freshMs: OfResult<Result>;
  /** A result is also kept for this many times the duration of its work. */
  readonly timesWork: OfResult<Result>;
  /** The longest time for which the duration of the work keeps a result; left out: there is no bound. */
  readonly mostMs?: number;
  readonly timers: Timers;
}

interface Kept<Result> {
  readonly result: Result;
  readonly untilMs: number;
}

/**
 * Callers with the same key share one run of the work and its result or failure. With `keeping`, later callers get the result
 * too, until it is no longer fresh; a failure is never kept. Use `keeping` with few keys only.
 */
export class SharedWork<Result> {
  private readonly running = new Map<string, Promise<Result>>();
  private readonly kept = new Map<string, Kept<Result>>();

  constructor(private readonly keeping: Keeping<Result> | null = null) {}

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const kept = this.kept.get(key);
    if (kept !== undefined && this.nowMs() < kept.untilMs) return Promise.resolve(kept.result);
    const begun = this.running.get(key);
    if (begun !== undefined) return begun;
    const started = this.runAndKeep(key, work).finally(() => this.running.delete(key));
    this.running.set(key, started);
    return started;
  }

  private async runAndKeep(key: string, work: () => Promise<Result>): Promise<Result> {
    const beganAtMs = this.nowMs();
    const result = await work();
    if (this.keeping !== null) {
      const { freshMs, timesWork, mostMs = Infinity } = this.keeping;
      const nowMs = this.nowMs();
      const workMs = valueFor(timesWork, result) * (nowMs - beganAtMs);
      const keptMs = Math.max(valueFor(freshMs, result), Math.min(workMs, mostMs));
      this.kept.set(key, { result, untilMs: nowMs + keptMs });
    }
    return result;
  }

  private nowMs(): number {
    return this.keeping?.timers.nowMs() ?? 0;
  }
}

function valueFor<Result>(value: OfResult<Result>, result: Result): number {
  return typeof value === 'number' ? value : value(result);
}
