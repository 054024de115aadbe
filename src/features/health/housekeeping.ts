import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';

import { FIGURES_KEPT_MS } from '../../domain/figures/time-ranges.ts';
import { Clock } from '../../ports/clock.ts';
import { Idempotency } from '../../ports/idempotency.ts';
import { MinuteFigures } from '../../ports/minute-figures.ts';
import { Replays } from '../../ports/replays.ts';
import { Retention, type Removed } from '../../ports/retention.ts';
import { Sessions } from '../../ports/sessions.ts';

const HOURLY = '23 * * * *';
const BATCH = 500;
/** Of small rows: an hour of a thousand endpoints makes 60,000. */
const FIGURE_BATCH = 5_000;
/** 500,000 payments, or 5,000,000 of their deliveries, an hour; the next run removes the others. */
const MAX_BATCHES = 1_000;

/** How long closed payments and ended replays are kept, and the audit log. */
export class HousekeepingSettings {
  constructor(
    readonly retentionMs: number,
    readonly auditRetentionMs: number,
  ) {}
}

/**
 * Removes closed payments, ended replays, figures and the audit log after their retention, old idempotency keys, ended sessions,
 * and rows of deleted endpoints.
 */
@Injectable()
export class Housekeeping implements BeforeApplicationShutdown {
  private readonly log = new Logger(Housekeeping.name);
  private running: Promise<void> | null = null;
  private isStopping = false;

  constructor(
    private readonly settings: HousekeepingSettings,
    private readonly retention: Retention,
    private readonly idempotency: Idempotency,
    private readonly replays: Replays,
    private readonly sessions: Sessions,
    private readonly figures: MinuteFigures,
    private readonly clock: Clock,
  ) {}

  /** Never runs twice at once, and never throws: the next run repeats failed steps. */
  @Cron(HOURLY, { name: 'housekeeping' })
  run(): Promise<void> {
    this.running ??= this.round().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    await this.running;
  }

  private async round(): Promise<void> {
    await this.step('closed payments', () => this.removeClosed());
    await this.step('idempotency keys', () => this.idempotency.removeExpired());
    await this.step('ended replays', () => this.replays.removeEnded(this.keptSince()));
    await this.step('ended sessions', () => this.sessions.removeEnded(this.clock.now()));
    await this.step('deliveries to deleted endpoints', () =>
      this.inBatches(() => this.retention.discardOrphans(BATCH)),
    );
    await this.step('figures', () => this.removeFigures());
    await this.step('circuits of deleted endpoints', () => this.retention.removeOrphanCircuits());
    const before = this.keptSince(this.settings.auditRetentionMs);
    await this.step('audit entries', () => this.inBatches(() => this.retention.removeAudit(before, BATCH)));
    await this.step('uses of API keys', () => this.retention.removeKeyUses(before));
  }

  private async step(what: string, work: () => Promise<number>): Promise<void> {
    if (this.isStopping) return;
    try {
      const count = await work();
      if (count > 0) this.log.log(`removed ${count} ${what}`);
    } catch (error) {
      this.log.error(`${what} can't be removed now`, error instanceof Error ? error.stack : undefined);
    }
  }

  private removeClosed(): Promise<number> {
    const before = this.keptSince();
    return this.inBatches(() => this.retention.removeClosedBefore(before, BATCH));
  }

  private removeFigures(): Promise<number> {
    const before = this.keptSince(FIGURES_KEPT_MS);
    return this.inBatches(() => this.figures.removeBefore(before, FIGURE_BATCH));
  }

  private keptSince(retentionMs = this.settings.retentionMs): Date {
    return new Date(this.clock.now().getTime() - retentionMs);
  }

  private async inBatches(remove: () => Promise<Removed>): Promise<number> {
    let total = 0;
    for (let batch = 0; batch < MAX_BATCHES && !this.isStopping; batch += 1) {
      const { count, isMore } = await remove();
      total += count;
      if (!isMore) break;
    }
    return total;
  }
}
