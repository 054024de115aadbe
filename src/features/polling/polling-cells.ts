import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import { Meter } from '../../ports/meter.ts';
import { PaymentProviders, ProviderCells, ProviderDatabase } from '../../ports/provider-cell.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { Tracer } from '../../ports/tracer.ts';
import { DueSignals } from '../../platform/scheduling/wake-signal.ts';
import { PollingCell } from './polling-cell.ts';
import { PollingRules } from './polling.settings.ts';

/** Makes a cell for each provider. In the role of the tracker it runs their trackers. */
@Injectable()
export class PollingCells implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  readonly cells: ProviderCells;
  private readonly polling: readonly PollingCell[];
  private stopped: Promise<unknown> | null = null;

  constructor(
    providers: PaymentProviders,
    stores: ProviderDatabase,
    private readonly database: DatabaseHealth,
    private readonly rules: PollingRules,
    meter: Meter,
    clock: Clock,
    timers: Timers,
    tracer: Tracer,
    due: DueSignals,
  ) {
    const ports = { meter, clock, timers, tracer };
    this.polling = providers.all.map(
      (provider) => new PollingCell(provider, stores.storesOf(provider), rules, ports, due.of(provider.name)),
    );
    this.cells = new ProviderCells(this.polling);
  }

  onApplicationBootstrap(): void {
    if (!this.rules.isTracker) return;
    void this.database.whenReady().then(() => {
      for (const { tracker } of this.polling) tracker.start();
    });
  }

  /** Starts to stop at once, since Nest awaits the later shutdown hooks one after another. */
  onModuleDestroy(): void {
    for (const { pollRequests } of this.polling) pollRequests.stop();
    if (this.rules.isTracker) this.stopped ??= Promise.all(this.polling.map(({ tracker }) => tracker.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.stopped, ...this.polling.map(({ pollRequests }) => pollRequests.writeRest())]);
  }
}
