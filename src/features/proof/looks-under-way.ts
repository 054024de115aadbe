import type { Logger } from '@nestjs/common';

import { StoreUnavailable } from '../../ports/payments.ts';
import type { Timers } from '../../ports/timers.ts';
import { sleep } from '../../platform/scheduling/system-timers.ts';

/** The deadline of a shutdown: a look that takes longer is lost, and another replica looks once its lease is over. */
const STOP_MS = 7_500;

/** Runs looks at chains beside each other, up to a limit. A look that fails is logged: its payment is due again after its lease. */
export class LooksUnderWay {
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

  start(quoteId: string, look: () => Promise<void>): void {
    const running = this.run(quoteId, look).finally(() => {
      const wasFull = this.room === 0;
      this.running.delete(running);
      if (wasFull) this.roomAgain();
    });
    this.running.add(running);
  }

  /** Waits for the looks under way, within the deadline. A slow RPC holds no shutdown. */
  async drain(): Promise<void> {
    const drained = new AbortController();
    const isOver = sleep(this.timers, STOP_MS, drained.signal);
    await Promise.race([Promise.all(this.running), isOver]);
    drained.abort();
    this.isStopped = true;
  }

  private async run(quoteId: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (this.isStopped) return;
      if (error instanceof StoreUnavailable)
        this.log.warn(`${quoteId}: what a chain shows is not stored yet: ${error.message}`);
      else this.log.error(`${quoteId}: a look at a chain failed: ${(error as Error).message}`);
    }
  }
}
