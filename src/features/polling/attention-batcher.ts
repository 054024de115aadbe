import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';

import { Attention } from '../../ports/attention.ts';
import { Schedule } from '../../ports/schedule.ts';
import { PollingSettings } from './polling.settings.ts';

const GATHER_MS = 500;
/** Repeated requests for a payment within this time count once. */
const REPEAT_MS = 15_000;
const MAX_NOTED = 10_000;

/** Collects hints and records them in the schedule, many in one statement. */
@Injectable()
export class AttentionBatcher extends Attention implements OnModuleDestroy {
  private readonly log = new Logger('Tracker');
  private readonly notedAt = new Map<string, number>();
  private waiting = new Set<string>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly schedule: Schedule,
    private readonly settings: PollingSettings,
  ) {
    super();
  }

  hint(quoteId: string): void {
    const now = performance.now();
    if (now - (this.notedAt.get(quoteId) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return;
    // Forgets all at once: recording a hint twice costs little.
    if (this.notedAt.size >= MAX_NOTED) this.notedAt.clear();
    this.notedAt.set(quoteId, now);
    this.waiting.add(quoteId);
    this.timer ??= setTimeout(() => void this.flush(), GATHER_MS);
  }

  onModuleDestroy(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private async flush(): Promise<void> {
    const quoteIds = [...this.waiting];
    this.waiting = new Set();
    this.timer = null;
    try {
      await this.schedule.hint(quoteIds, this.settings.leaseMs);
    } catch (error) {
      this.log.debug(`${quoteIds.length} hints were not recorded: ${(error as Error).message}`);
    }
  }
}
