import { Logger } from '@nestjs/common';

const MAX_BATCH = 500;
/** Far more payments than change, or are read, within a second; polls find the changes of the rest. */
const MAX_WAITING = 10_000;
const PAUSE_MS = 20;
const RETRY_MS = 1_000;

export interface BatchRules {
  /** The name of the ids in the log. */
  readonly name: string;
  readonly gatherMs: number;
  /** A payment is written at most once within this time, however often it is added. */
  readonly repeatMs: number;
  /** Whether an id that is added within `repeatMs` of its last write is written again after this time, or dropped. */
  readonly repeats: 'later' | 'dropped';
}

/** Collects the quote ids of hints, and writes many in one statement. Keeps and retries them while the database is away. */
export class QuoteIdBatcher {
  private readonly log = new Logger('Tracker');
  private readonly waiting = new Set<string>();
  /** When each payment was last written, within `repeatMs`; in this order. */
  private readonly writtenAt = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;
  private isRunning = false;
  private isStopped = false;
  private dropped = 0;

  constructor(
    private readonly rules: BatchRules,
    private readonly write: (quoteIds: readonly string[]) => Promise<void>,
  ) {}

  addIds(quoteIds: readonly string[]): void {
    this.forget(performance.now());
    for (const quoteId of quoteIds) {
      if (this.rules.repeats === 'dropped' && this.writtenAt.has(quoteId)) continue;
      if (this.waiting.size < MAX_WAITING) this.waiting.add(quoteId);
      else if (!this.waiting.has(quoteId)) this.dropped += 1;
    }
    this.flushIn(this.rules.gatherMs);
  }

  stop(): void {
    this.isStopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** Writes the ids that still wait after the stop, since they are not repeated. */
  async writeRest(): Promise<void> {
    const left = [...this.waiting];
    this.waiting.clear();
    if (left.length === 0) return;
    await this.write(left).catch((error: unknown) => {
      this.log.debug(`${left.length} ${this.rules.name} were not recorded: ${(error as Error).message}`);
    });
  }

  private flushIn(ms: number): void {
    if (this.timer !== null || this.isRunning || this.isStopped || this.waiting.size === 0) return;
    this.timer = setTimeout(() => void this.flush(), ms);
  }

  private async flush(): Promise<void> {
    this.timer = null;
    this.isRunning = true;
    const waitMs = await this.writeBatch();
    this.isRunning = false;
    this.flushIn(waitMs);
  }

  /** Writes the ids that are not too recent; returns the wait before the next write. */
  private async writeBatch(): Promise<number> {
    const now = performance.now();
    this.forget(now);
    const ready = [...this.waiting].filter((quoteId) => !this.writtenAt.has(quoteId)).slice(0, MAX_BATCH);
    if (ready.length === 0) return this.nextInMs(now);
    // The id is removed before the statement: an id that is added while the statement runs may come too late for it, and is
    // written again.
    for (const quoteId of ready) this.waiting.delete(quoteId);
    try {
      await this.write(ready);
    } catch (error) {
      for (const quoteId of ready) this.waiting.add(quoteId);
      this.log.debug(`${ready.length} ${this.rules.name} are not recorded yet: ${(error as Error).message}`);
      return RETRY_MS;
    }
    const writtenAt = performance.now();
    // Forgets all at once: writing an id twice costs little.
    if (this.writtenAt.size > MAX_WAITING) this.writtenAt.clear();
    for (const quoteId of ready) this.writtenAt.set(quoteId, writtenAt);
    this.logDropped();
    return PAUSE_MS;
  }

  private forget(now: number): void {
    for (const [quoteId, at] of this.writtenAt) {
      if (now - at < this.rules.repeatMs) return;
      this.writtenAt.delete(quoteId);
    }
  }

  /** All waiting payments were written within `repeatMs`: the time until the first may be written again. */
  private nextInMs(now: number): number {
    const [oldestAt = now] = this.writtenAt.values();
    return Math.max(oldestAt + this.rules.repeatMs - now, PAUSE_MS);
  }

  private logDropped(): void {
    if (this.dropped === 0) return;
    this.log.warn(
      `dropped ${this.dropped} ${this.rules.name}, since too many came at once: polling will find these changes`,
    );
    this.dropped = 0;
  }
}
