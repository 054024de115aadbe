import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';

import { CorrectedClock } from '../../platform/process/corrected-clock.ts';
import { Database } from './database.ts';

/** A machine that slept is that far behind the database until then: its monotonic clock slept, too. */
const MEASURE_EVERY_MS = 10_000;

/** Measures the database's time where no claim has: a process without the tracker claims nothing. */
@Injectable()
export class ClockWatch implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Clock');
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly database: Database,
    private readonly clock: CorrectedClock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.measure(), MEASURE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    if (this.timer !== null) clearInterval(this.timer);
  }

  /** Before the database was ready once, the gate measures. */
  private async measure(): Promise<void> {
    const { measuredAgoMs } = this.clock;
    if (measuredAgoMs < MEASURE_EVERY_MS || measuredAgoMs === Number.POSITIVE_INFINITY) return;
    await this.database.measureClock().catch((error: unknown) => {
      this.log.debug(`the database's time is not known: ${(error as Error).message}`);
    });
  }
}
