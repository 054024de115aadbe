import type { Logger } from '@nestjs/common';

import { StoreUnavailable } from '../../ports/payments.ts';
import type { Timers } from '../../ports/timers.ts';
import { sleep } from '../../platform/scheduling/system-timers.ts';

/** The deadline of a shutdown: an inspection that takes longer is lost, and another replica repeats it after its lease. */
const STOP_MS = 7_500;

/** Most inspections end within this time. */
const SLOW_AFTER_MS = 10_000;

/**
 * Runs inspections of chains concurrently, up to a limit. A failed inspection is logged: its payment is due again after its
 * lease.
 */
export class InspectionsUnderWay {
  private readonly running = new Set<Promise<void>>();
  private isStopped = false;

  constructor(
    private readonly most: number,
    /** Called when there is room again. */
    private readonly roomAgain: () => void,
    private readonly log: Logger,
    private readonly timers: Timers,
  ) {}

  get room(): number {
    return this.most - this.running.size;
  }

  /** Calls `onSlow` once if the inspection goes on for long. */
  start(quoteId: string, inspect: () => Promise<void>, onSlow?: () => Promise<void>): void {
    const cancel = onSlow && this.timers.after(SLOW_AFTER_MS, () => void this.run(quoteId, onSlow));
    const running = this.run(quoteId, inspect).finally(() => {
      cancel?.();
      const wasFull = this.room === 0;
      this.running.delete(running);
      if (wasFull) this.roomAgain();
    });
    this.running.add(running);
  }

  /** Waits for the running inspections, within the deadline. A slow RPC does not delay a shutdown. */
  async drain(): Promise<void> {
    const drained = new AbortController();
    const isOver = sleep(this.timers, STOP_MS, drained.signal);
    await Promise.race([Promise.all(this.running), isOver]);
    drained.abort();
    this.isStopped = true;
  }

  private async run(quoteId: string, inspect: () => Promise<void>): Promise<void> {
    try {
      await inspect();
    } catch (error) {
      if (this.isStopped) return;
      if (error instanceof StoreUnavailable)
        this.log.warn(`${quoteId}: what a chain shows is not stored yet: ${error.message}`);
      else this.log.error(`${quoteId}: an inspection of a chain failed: ${(error as Error).message}`);
    }
  }
}
