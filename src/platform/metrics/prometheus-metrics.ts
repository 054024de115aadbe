import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

import { DestinationKinds } from '../../ports/destinations.ts';
import { type Figures, Metrics, type MetricsText } from '../../ports/metrics.ts';
import { ClockSkew } from '../../ports/readiness.ts';
import { VERSION } from '../version.ts';
import { DeliveryGauges } from './delivery-gauges.ts';
import { FigureGauges } from './figure-gauges.ts';

/** Renders the registry in Prometheus' text format: the meter's counts, the process's own state and the database's figures. */
@Injectable()
export class PrometheusMetrics extends Metrics {
  private readonly gauges: FigureGauges;
  private readonly deliveries: DeliveryGauges;
  private readonly skew: Gauge;

  constructor(
    private readonly registry: Registry,
    destinations: DestinationKinds,
    private readonly clock: ClockSkew,
  ) {
    super();
    this.gauges = new FigureGauges(registry);
    this.deliveries = new DeliveryGauges(registry, destinations.all);
    new Gauge({
      name: 'paybell_build_info',
      help: 'Always 1; the label holds the version.',
      labelNames: ['version'],
      registers: [registry],
    }).set({ version: VERSION }, 1);
    this.skew = new Gauge({
      name: 'paybell_clock_skew_seconds',
      help: "This machine's clock minus the database's, as far as no round trip explains the difference.",
      registers: [registry],
    });
    collectDefaultMetrics({ register: registry });
  }

  async render(figures: Figures | null): Promise<MetricsText> {
    this.gauges.set(figures);
    this.deliveries.set(figures?.deliveries ?? null);
    this.setSkew(this.clock.skewMs);
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  /** Absent before the first measurement. */
  private setSkew(skewMs: number | null): void {
    if (skewMs === null) this.skew.remove();
    else this.skew.set(skewMs / 1_000);
  }
}
