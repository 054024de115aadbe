import { Gauge, type Registry } from 'prom-client';

import type { Figures } from '../../ports/metrics.ts';
import { ProviderGauges } from './provider-gauges.ts';

/** Gauges of the figures in the database. A figure that is not known now has no series, so that no stale value is scraped. */
export class FigureGauges {
  private readonly databaseUp: Gauge;
  private readonly providers: ProviderGauges;
  private readonly logHeld: Gauge;
  private readonly epoch: Gauge;

  constructor(registry: Registry) {
    const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
    this.databaseUp = gauge('paybell_database_up', 'Whether the database returned its figures: 1 or 0.');
    this.providers = new ProviderGauges(registry);
    this.logHeld = gauge(
      'paybell_event_log_held_seconds',
      'Age of the oldest event that an open transaction keeps out of the log; 0 when there is none.',
    );
    this.epoch = gauge(
      'paybell_database_epoch',
      'Grows each time that the database went back; 0 while it never did.',
    );
  }

  /** Null: the database does not answer. */
  set(figures: Figures | null): void {
    this.databaseUp.set(figures === null ? 0 : 1);
    this.providers.clear();
    // `reset` would leave a gauge without labels at 0.
    for (const gauge of [this.logHeld, this.epoch]) gauge.remove();
    if (figures === null) return;
    for (const provider of figures.providers) this.providers.set(provider);
    this.logHeld.set(figures.logHeldMs / 1_000);
    this.epoch.set(figures.epoch);
  }
}
