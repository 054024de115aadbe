import { setTimeout as sleep } from 'node:timers/promises';

/** What came of asking for all who wait. */
export interface QueueRound {
  /** How many of each caller's requests may be made now. */
  readonly granted: ReadonlyMap<string, number>;
  /** The one request that was granted tries whether anything works again. */
  readonly isProbe: boolean;
  /** How long each that wants more waits for its next one, and then between two of them. */
  readonly waitMs: ReadonlyMap<string, number>;
  readonly everyMs: number;
  /** Set when nobody is to wait: they are all refused with it. */
  readonly refusal: Error | null;
}

export interface Leave {
  readonly isProbe: boolean;
}

interface Waiter {
  readonly giveUpAt: number;
  readonly resolve: (leave: Leave) => void;
  readonly reject: (error: Error) => void;
}

/** One caller's requests, the first first. */
interface Line {
  waiters: Waiter[];
  /** When it may expect its next request. */
  nextAt: number;
  /** Until then nobody is asked again for one that was refused. */
  knownUntil: number;
  /** When the last of those that were refused was told to come again. */
  reportedAt: number;
}

/** Whoever waits for leave gives up after so long, a client's own time-out still to come. */
const WAIT_UP_TO_MS = 5_000;
const MAX_LINE = 1_000;
const ASK_EVERY_MS = { least: 20, most: 250 };
const REPORT_AT_MOST_MS = 60_000;

/** Requests of several callers that wait for leave, asked for all at once: a flood costs one question at a time. */
export class CallerQueue {
  private readonly lines = new Map<string, Line>();
  private isAsking = false;
  private everyMs = 0;
  private wake = new AbortController();

  /** `refusal` is what one is refused with who would have to wait for too long. */
  constructor(
    private readonly ask: (wanted: ReadonlyMap<string, number>) => Promise<QueueRound>,
    private readonly refusal: (waitMs: number) => Error,
  ) {}

  take(caller: string): Promise<Leave> {
    const line = this.lineOf(caller);
    const now = performance.now();
    const waitMs = this.waitOf(line, line.waiters.length, now);
    const isKnown = line.waiters.length > 0 || now < line.knownUntil;
    if ((isKnown && waitMs > WAIT_UP_TO_MS) || line.waiters.length >= MAX_LINE)
      return Promise.reject(this.refuse(line, waitMs, now));
    return new Promise((resolve, reject) => {
      line.waiters.push({ giveUpAt: now + WAIT_UP_TO_MS, resolve, reject });
      // Others may wait for long already, and it may be the turn of this one.
      if (line.waiters.length === 1) this.wake.abort();
      if (!this.isAsking) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isAsking = true;
    for (let wanted = this.wanted(); wanted.size > 0; wanted = this.wanted()) {
      this.wake = new AbortController();
      try {
        await this.settle(await this.ask(wanted));
      } catch (error) {
        this.refuseAll(error as Error);
      }
    }
    this.isAsking = false;
  }

  private wanted(): Map<string, number> {
    const waiting = [...this.lines].filter(([, { waiters }]) => waiters.length > 0);
    return new Map(waiting.map(([caller, { waiters }]) => [caller, waiters.length]));
  }

  private async settle({ granted, isProbe, waitMs, everyMs, refusal }: QueueRound): Promise<void> {
    const now = performance.now();
    this.everyMs = everyMs;
    for (const [caller, count] of granted)
      for (const waiter of this.lineOf(caller).waiters.splice(0, count)) waiter.resolve({ isProbe });
    if (refusal !== null) return this.refuseAll(refusal);
    for (const [caller, ms] of waitMs) this.trim(this.lineOf(caller), now + ms, now);
    if (waitMs.size === 0) return;
    const soonest = Math.max(Math.min(...waitMs.values(), ASK_EVERY_MS.most), ASK_EVERY_MS.least);
    await sleep(soonest, undefined, { signal: this.wake.signal }).catch(() => undefined);
  }

  /** Refuses those who would wait in vain. */
  private trim(line: Line, nextAt: number, now: number): void {
    line.nextAt = nextAt;
    const { waiters } = line;
    line.waiters = [];
    for (const waiter of waiters) {
      const waitMs = this.waitOf(line, line.waiters.length, now);
      if (now + waitMs <= waiter.giveUpAt) line.waiters.push(waiter);
      else waiter.reject(this.refuse(line, waitMs, now));
    }
    line.knownUntil = now + ASK_EVERY_MS.most;
  }

  /** Each is told another time: a thousand that came again at once would find room for a few. */
  private refuse(line: Line, waitMs: number, now: number): Error {
    const reportedAt = Math.max(now + waitMs, line.reportedAt + this.everyMs);
    line.reportedAt = Math.min(reportedAt, now + REPORT_AT_MOST_MS);
    return this.refusal(Math.max(line.reportedAt - now, waitMs));
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
    const line: Line = { waiters: [], nextAt: 0, knownUntil: 0, reportedAt: 0 };
    this.lines.set(caller, line);
    return line;
  }
}
