import { setTimeout as sleep } from 'node:timers/promises';

import { ApiProblem, Unreachable } from './problem.ts';

/** How long a call is repeated for each reason. */
export interface PatienceLimits {
  /** While Paybell answers 429 or 503. */
  readonly busyMs: number;
  /** While nothing answers; 0 gives up at once. */
  readonly awayMs: number;
  /**
   * While Paybell refuses the key: each replica learns about a new key a second or two after its creation. 0 gives up at
   * once.
   */
  readonly newKeyMs: number;
}

const BUSY: ReadonlySet<number> = new Set([429, 503]);
const PAUSE_MS = { least: 1_000, most: 15 * 60_000 };

/**
 * Repeats calls as long as the limits allow, at the pace that Paybell asks for. Calls of one Patience share their pauses, and
 * all end with the first one that finds Paybell away or its key refused.
 */
export class Patience {
  private pausedUntil = 0;
  private ending: Error | null = null;

  constructor(
    private readonly limits: PatienceLimits,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws the error of the last try, or the signal's reason once the signal is aborted. */
  async call<Result>(request: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    let awaySince: number | null = null;
    for (;;) {
      await this.pause();
      const triedAt = performance.now();
      try {
        return await request();
      } catch (error) {
        awaySince = error instanceof Unreachable ? (awaySince ?? triedAt) : null;
        this.waitOrThrow(error, performance.now() - (awaySince ?? startedAt));
      }
    }
  }

  private waitOrThrow(error: unknown, triedForMs: number): void {
    if (triedForMs < this.limitFor(error)) {
      const askedMs = error instanceof ApiProblem ? error.retryAfterMs : 0;
      const waitMs = Math.min(Math.max(askedMs, PAUSE_MS.least), PAUSE_MS.most);
      this.pausedUntil = Math.max(this.pausedUntil, performance.now() + waitMs);
      return;
    }
    if (error instanceof Unreachable || isRefusal(error)) this.ending ??= error as Error;
    throw this.ending ?? error;
  }

  private limitFor(error: unknown): number {
    if (error instanceof Unreachable) return this.limits.awayMs;
    if (isRefusal(error)) return this.limits.newKeyMs;
    return error instanceof ApiProblem && BUSY.has(error.httpStatus) ? this.limits.busyMs : 0;
  }

  private async pause(): Promise<void> {
    for (let ms = this.pauseMs(); ms > 0; ms = this.pauseMs())
      await sleep(ms, undefined, { signal: this.signal }).catch(() => this.signal.throwIfAborted());
    if (this.ending !== null) throw this.ending;
  }

  private pauseMs(): number {
    return this.ending === null ? Math.ceil(this.pausedUntil - performance.now()) : 0;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiProblem && error.httpStatus === 401;
}
