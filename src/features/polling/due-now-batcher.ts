import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';

import { DueNow } from '../../ports/due-now.ts';
import { Schedule } from '../../ports/schedule.ts';
import { PollingSettings } from './polling.settings.ts';

const GATHER_MS = 20;
/** A payment is written at most once within this time, however many notices name it. */
const REPEAT_MS = 1_000;
const MAX_BATCH = 500;
/** Far more payments than change within a second; polling finds the changes of any others. */
const MAX_WAITING = 10_000;
const RETRY_MS = 1_000;

/** Collects the payments of providers' notices and makes them due, many in one statement. */
@Injectable()
export class DueNowBatcher extends DueNow implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly log = new Logger('Tracker');
  private readonly waiting = new Set<string>();
  /** When each payment was last written, within `REPEAT_MS`; in this order. */
  private readonly writtenAt = new Map<string, number>();
  private timer: NodeJS.Timeout | null = null;
  private isRunning = false;
  private isStopped = false;
  private dropped = 0;

  constructor(
    private readonly schedule: Schedule,
    private readonly settings: PollingSettings,
  ) {
    super();
  }

  makeDue(quoteIds: readonly string[]): void {
    for (const quoteId of quoteIds) {
      if (this.waiting.size < MAX_WAITING) this.waiting.add(quoteId);
      else if (!this.waiting.has(quoteId)) this.dropped += 1;
    }
    this.flushIn(GATHER_MS);
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** Writes the waiting payments, since providers do not repeat their notices. */
  async beforeApplicationShutdown(): Promise<void> {
    const left = [...this.waiting];
    this.waiting.clear();
    if (left.length === 0) return;
    await this.schedule.makeDue(left, this.settings.pollMs).catch((error: unknown) => {
      this.log.debug(`${left.length} payments were not made due: ${(error as Error).message}`);
    });
  }

  private flushIn(ms: number): void {
    if (this.timer !== null || this.isRunning || this.isStopped || this.waiting.size === 0) return;
    this.timer = setTimeout(() => void this.flush(), ms);
  }

  private async flush(): Promise<void> {
    this.timer = null;
    this.isRunning = true;
    const waitMs = await this.write();
    this.isRunning = false;
    this.flushIn(waitMs);
  }

  /** Writes the payments that are not too recent; returns the wait before the next write. */
  private async write(): Promise<number> {
    const now = performance.now();
    this.forget(now);
    const ready = [...this.waiting].filter((quoteId) => !this.writtenAt.has(quoteId)).slice(0, MAX_BATCH);
    if (ready.length === 0) return this.nextInMs(now);
    // Before the statement: a notice that arrives while it runs may come too late for it, and is written again.
    for (const quoteId of ready) this.waiting.delete(quoteId);
    try {
      await this.schedule.makeDue(ready, this.settings.pollMs);
    } catch (error) {
      for (const quoteId of ready) this.waiting.add(quoteId);
      this.log.debug(`${ready.length} payments were not made due yet: ${(error as Error).message}`);
      return RETRY_MS;
    }
    const writtenAt = performance.now();
    for (const quoteId of ready) this.writtenAt.set(quoteId, writtenAt);
    this.logDropped();
    return GATHER_MS;
  }

  private forget(now: number): void {
    for (const [quoteId, at] of this.writtenAt) {
      if (now - at < REPEAT_MS) return;
      this.writtenAt.delete(quoteId);
    }
  }

  /** All waiting payments were written within REPEAT_MS: the time until the first may be written again. */
  private nextInMs(now: number): number {
    const [oldestAt = now] = this.writtenAt.values();
    return Math.max(oldestAt + REPEAT_MS - now, GATHER_MS);
  }

  private logDropped(): void {
    if (this.dropped === 0) return;
    this.log.warn(
      `dropped ${this.dropped} notices, since too many came at once: polling will find these changes`,
    );
    this.dropped = 0;
  }
}
