import type { Timers } from '../../ports/timers.ts';
import { sleep, SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';

/** The result of one `ask` for all waiting callers. */
export interface QueueRound {
  /** The number of requests that may be sent now. */
  readonly granted: number;
  /** True when the single granted request is the probe of an open circuit. */
  readonly isProbe: boolean;
  /** The time until the next request is granted … */
  readonly waitMs: number;
  /** … and then between two requests. */
  readonly everyMs: number;
  /** When set, every request that still waits is rejected with this error. */
  readonly refusal: Error | null;
}

/** The right to send one request. */
export interface Permit {
  readonly isProbe: boolean;
}

interface Waiter {
  readonly giveUpAt: number;
  readonly resolve: (leave: Permit) => void;
  readonly reject: (error: Error) => void;
}

/** The waiting requests of one caller, in the order of arrival. */
interface Line {
  waiters: Waiter[];
  /** When the caller's next request is expected to be granted. */
  nextAt: number;
  /** Until this time `nextAt` is current: a request that would wait too long is refused without another `ask`. */
  currentUntil: number;
  /** The retry time that the last refused request was told. */
  retryAt: number;
}

/** The longest wait of a request for its permit: shorter than the usual time-out of a client. */
const WAIT_UP_TO_MS = 5_000;
const MAX_LINE = 1_000;
const ASK_EVERY_MS = { least: 20, most: 250 };
const RETRY_UP_TO_MS = 60_000;

/**
 * Queues the requests of several callers, one line for each caller, and serves the lines in turn: a caller that floods does
 * not delay the others. One `ask` at a time asks for the permits of all callers, so that a flood causes no further asks.
 */
export class PermitQueue {
  private readonly lines = new Map<string, Line>();
  private isAsking = false;
  private everyMs = 0;
  private wake = new AbortController();

  /** `refusal` makes the error for a request that would have to wait too long. */
  constructor(
    private readonly ask: (wanted: number) => Promise<QueueRound>,
    private readonly refusal: (waitMs: number) => Error,
    private readonly timers: Timers = SYSTEM_TIMERS,
  ) {}

  takePermit(caller: string): Promise<Permit> {
    const line = this.lineOf(caller);
    const now = this.timers.nowMs();
    const waitMs = this.waitOf(line, line.waiters.length, now);
    const isCurrent = line.waiters.length > 0 || now < line.currentUntil;
    if ((isCurrent && waitMs > WAIT_UP_TO_MS) || line.waiters.length >= MAX_LINE)
      return Promise.reject(this.refuse(line, waitMs, now));
    return new Promise((resolve, reject) => {
      line.waiters.push({ giveUpAt: now + WAIT_UP_TO_MS, resolve, reject });
      // The running round may be asleep for a caller with a long wait, while this caller's permit may be free at once.
      if (line.waiters.length === 1) this.wake.abort();
      if (!this.isAsking) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isAsking = true;
    for (let wanted = this.wanted(); wanted > 0; wanted = this.wanted()) {
      this.wake = new AbortController();
      try {
        await this.settle(await this.ask(wanted));
      } catch (error) {
        this.refuseAll(error as Error);
      }
    }
    this.isAsking = false;
  }

  private waitingLines(): [caller: string, line: Line][] {
    return [...this.lines].filter(([, { waiters }]) => waiters.length > 0);
  }

  private wanted(): number {
    return this.waitingLines().reduce((sum, [, { waiters }]) => sum + waiters.length, 0);
  }

  private async settle({ granted, isProbe, waitMs, everyMs, refusal }: QueueRound): Promise<void> {
    const now = this.timers.nowMs();
    for (let given = 0; given < granted; given += 1) this.serveNext({ isProbe });
    if (refusal !== null) return this.refuseAll(refusal);
    const waiting = this.waitingLines();
    if (waiting.length === 0) return;
    this.everyMs = waiting.length * everyMs;
    for (const [turn, [, line]] of waiting.entries()) this.trim(line, now + waitMs + turn * everyMs, now);
    const soonest = Math.max(Math.min(waitMs, ASK_EVERY_MS.most), ASK_EVERY_MS.least);
    await sleep(this.timers, soonest, this.wake.signal);
  }

  /** Serves the line that was served longest ago, and puts it behind the others. */
  private serveNext(permit: Permit): void {
    const [next] = this.waitingLines();
    if (next === undefined) return;
    const [caller, line] = next;
    this.lines.delete(caller);
    this.lines.set(caller, line);
    line.waiters.shift()?.resolve(permit);
  }

  /** Refuses requests that would time out before they are granted. */
  private trim(line: Line, nextAt: number, now: number): void {
    line.nextAt = nextAt;
    const { waiters } = line;
    line.waiters = [];
    for (const waiter of waiters) {
      const waitMs = this.waitOf(line, line.waiters.length, now);
      if (now + waitMs <= waiter.giveUpAt) line.waiters.push(waiter);
      else waiter.reject(this.refuse(line, waitMs, now));
    }
    line.currentUntil = now + ASK_EVERY_MS.most;
  }

  /** Gives each refused request a retry time of its own: of a thousand that retry together, only a few would be granted. */
  private refuse(line: Line, waitMs: number, now: number): Error {
    const reportedAt = Math.max(now + waitMs, line.retryAt + this.everyMs);
    line.retryAt = Math.min(reportedAt, now + RETRY_UP_TO_MS);
    return this.refusal(Math.max(line.retryAt - now, waitMs));
  }

  private refuseAll(error: Error): void {
    for (const { waiters } of this.lines.values()) for (const { reject } of waiters.splice(0)) reject(error);
  }

  private waitOf({ nextAt }: Line, before: number, now: number): number {
    return Math.max(nextAt - now, 0) + before * this.everyMs;
  }

  private lineOf(caller: string): Line {
    const known = this.lines.get(caller);
    if (known !== undefined) return known;
    const line: Line = { waiters: [], nextAt: 0, currentUntil: 0, retryAt: 0 };
    this.lines.set(caller, line);
    return line;
  }
}
