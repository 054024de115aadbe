import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';

import type { DatabaseHealth } from '../../ports/readiness.ts';
import { Loop } from './loop.ts';
import { WakeSignal } from './wake-signal.ts';

/**
 * A provider whose rounds run from the moment that the database is ready until the service stops, which awaits the last round.
 */
export abstract class ServiceLoop
  implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown
{
  private readonly loop: Loop;
  private stopped: Promise<void> | null = null;

  protected constructor(
    name: string,
    private readonly database: DatabaseHealth,
    protected readonly wakeSignal: WakeSignal = new WakeSignal(),
  ) {
    this.loop = new Loop(name, wakeSignal, (signal) => this.round(signal));
  }

  /** Returns the wait until the next round; the wake signal ends it early. A failed round is logged and repeated. */
  protected abstract round(signal: AbortSignal): Promise<number>;

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => this.loop.start());
  }

  onModuleDestroy(): void {
    this.stopped ??= this.loop.stop();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }
}
