import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import { Meter } from '../../ports/meter.ts';
import { PaymentProviders, ProviderCells, ProviderDatabase } from '../../ports/provider-cell.ts';
import { DatabaseHealth, StartRefused } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { Tracer } from '../../ports/tracer.ts';
import { DueSignals } from '../../platform/scheduling/wake-signal.ts';
import { PollingCell } from './polling-cell.ts';
import { PollingRules } from './polling.settings.ts';

/** Makes a cell for each provider. In the role of the tracker it runs their trackers. */
@Injectable()
export class PollingCells implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  readonly cells: ProviderCells;
  private readonly log = new Logger('Provider');
  private readonly polling: readonly PollingCell[];
  private stopped: Promise<unknown> | null = null;

  constructor(
    private readonly providers: PaymentProviders,
    private readonly stores: ProviderDatabase,
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
    database.beforeReady(() => this.refuseLost());
  }

  onApplicationBootstrap(): void {
    if (!this.rules.isTracker) return;
    void this.database.whenReady().then(() => {
      for (const { tracker } of this.polling) tracker.start();
    });
  }

  /** Throws StartRefused when nobody would poll payments that are open. */
  private async refuseLost(): Promise<void> {
    const names = this.providers.all.map(({ name }) => name);
    for (const { provider, active, watched } of await this.stores.openOfOthers(names)) {
      const others = `${counted(watched)} of it may still get a late deposit`;
      if (active > 0)
        throw new StartRefused(
          `PROVIDER does not name "${provider}", and ${counted(active)} of it ${active === 1 ? 'is' : 'are'} open${watched > 0 ? `; ${others}` : ''}. Name it in PROVIDER, or in PROVIDER_LEAVE to poll them no more.`,
        );
      this.log.warn(`PROVIDER does not name "${provider}": ${others}, and nobody polls them`);
    }
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

function counted(payments: number): string {
  return `${payments} payment${payments === 1 ? '' : 's'}`;
}
