import type { Logger } from '@nestjs/common';

import { StoreUnavailable } from '../../ports/payments.ts';

/** Runs looks at chains beside each other, up to a limit. A look that fails is logged: its payment is due again after its lease. */
export class LooksUnderWay {
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly most: number,
    /** Called when there is room again. */
    private readonly roomAgain: () => void,
    private readonly log: Logger,
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

  async drain(): Promise<void> {
    await Promise.all(this.running);
  }

  private async run(quoteId: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (error instanceof StoreUnavailable)
        this.log.warn(`${quoteId}: what a chain shows is not stored yet: ${error.message}`);
      else this.log.error(`${quoteId}: a look at a chain failed: ${(error as Error).message}`);
    }
  }
}
