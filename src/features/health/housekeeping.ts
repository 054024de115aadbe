import { Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';

import { FIGURES_KEPT_MS } from '../../domain/figures/time-ranges.ts';
import { ServiceLoop } from '../../platform/scheduling/service-loop.ts';
import { Clock } from '../../ports/clock.ts';
import { Idempotency } from '../../ports/idempotency.ts';
import { MinuteFigures } from '../../ports/minute-figures.ts';
import { StoreUnavailable } from '../../ports/payments.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Replays } from '../../ports/replays.ts';
import { Retention, type Removed } from '../../ports/retention.ts';
import { Sessions } from '../../ports/sessions.ts';
import { UnansweredQuotes } from '../../ports/unanswered-quotes.ts';

const HOURLY = '23 * * * *';
/** Longer than needed: the timer of HOURLY wakes the loop long before. */
const UNTIL_WOKEN_MS = 86_400_000;
const BATCH = 500;
/** The batch for small rows: an hour of a thousand endpoints makes 60,000 rows. */
const FIGURE_BATCH = 5_000;
/** Enough for 500,000 payments, or 5,000,000 of their deliveries, an hour; the next run removes the rest. */
const MAX_BATCHES = 1_000;

/** How long closed payments and ended replays are kept, and the audit log. */
export class HousekeepingSettings {
  constructor(
    readonly retentionMs: number,
    readonly auditRetentionMs: number,
  ) {}
}

/**
 * Removes closed payments, ended replays, figures and the audit log after their retention, old idempotency keys, unanswered quotes,
 * ended sessions, and rows of deleted endpoints.
 */
@Injectable()
export class Housekeeping extends ServiceLoop {
  private readonly log = new Logger(Housekeeping.name);

  constructor(
    private readonly settings: HousekeepingSettings,
    private readonly retention: Retention,
    private readonly idempotency: Idempotency,
    private readonly replays: Replays,
    private readonly sessions: Sessions,
    private readonly unanswered: UnansweredQuotes,
    private readonly figures: MinuteFigures,
    private readonly clock: Clock,
    private readonly health: DatabaseHealth,
  ) {
    super('housekeeping', health);
  }

  @Cron(HOURLY, { name: 'housekeeping' })
  wake(): void {
    this.wakeSignal.wake();
  }

  /** Logs the steps that fail, and leaves them to the next round. Throws while the database is in trouble: the round is repeated. */
  async round(signal: AbortSignal): Promise<number> {
    const kept = (ms: number): Date => new Date(this.clock.now().getTime() - ms);
    const before = kept(this.settings.retentionMs);
    const auditBefore = kept(this.settings.auditRetentionMs);
    const figuresBefore = kept(FIGURES_KEPT_MS);
    const steps: Readonly<Record<string, () => Promise<number>>> = {
      'closed payments': () => inBatches(() => this.retention.removeClosedBefore(before, BATCH), signal),
      'idempotency keys': () => this.idempotency.removeExpired(),
      'ended replays': () => this.replays.removeEnded(before),
      'unanswered quotes': () => this.unanswered.removeBefore(before),
      'ended sessions': () => this.sessions.removeEnded(this.clock.now()),
      'deliveries to deleted endpoints': () => inBatches(() => this.retention.discardOrphans(BATCH), signal),
      'deliveries of event types that are no longer wanted': () => this.retention.removeUnwanted(),
      figures: () => inBatches(() => this.figures.removeBefore(figuresBefore, FIGURE_BATCH), signal),
      'circuits of deleted endpoints': () => this.retention.removeOrphanCircuits(),
      'audit entries': () => inBatches(() => this.retention.removeAudit(auditBefore, BATCH), signal),
      'uses of API keys': () => this.retention.removeKeyUses(auditBefore),
    };
    for (const [what, remove] of Object.entries(steps)) if (!signal.aborted) await this.step(what, remove);
    return UNTIL_WOKEN_MS;
  }

  private async step(what: string, work: () => Promise<number>): Promise<void> {
    try {
      const count = await work();
      if (count > 0) this.log.log(`removed ${count} ${what}`);
    } catch (error) {
      if (error instanceof StoreUnavailable && this.health.trouble() !== null) throw error;
      this.log.error(`${what} cannot be removed now`, error instanceof Error ? error.stack : undefined);
    }
  }
}

async function inBatches(remove: () => Promise<Removed>, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
    const { count, isMore } = await remove();
    total += count;
    if (!isMore) break;
  }
  return total;
}
