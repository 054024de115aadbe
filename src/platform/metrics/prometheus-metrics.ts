import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, type Gauge, Registry } from 'prom-client';

import type { OpenCount } from '../../ports/attention.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import { type Figures, Metrics, type MetricsText } from '../../ports/metrics.ts';
import { ClockSkew } from '../../ports/readiness.ts';
import { droppedLines } from '../process/log-output.ts';
import { VERSION } from '../version.ts';
import { DeliveryGauges } from './delivery-gauges.ts';
import { ProviderGauges } from './provider-gauges.ts';
import { SeriesIn } from './series-in.ts';

/** Renders the registry in Prometheus' text format: the meter's counts, the process's own state and the database's figures. */
@Injectable()
export class PrometheusMetrics extends Metrics {
  private readonly gauges: FigureGauges;
  private readonly deliveries: DeliveryGauges;
  private readonly attention: Gauge<'code' | 'severity'>;
  private readonly skew: Gauge;

  constructor(
    private readonly registry: Registry,
    destinations: DestinationKinds,
    private readonly clock: ClockSkew,
  ) {
    super();
    const series = new SeriesIn(registry);
    this.gauges = new FigureGauges(series);
    this.deliveries = new DeliveryGauges(series, destinations.all);
    this.attention = series.gauge(
      'paybell_attention_items',
      'How many things need a person, by the code and severity of attention; 0 while there are none.',
      'code',
      'severity',
    );
    const build = series.gauge('paybell_build_info', 'Always 1; the label holds the version.', 'version');
    build.set({ version: VERSION }, 1);
    this.skew = series.gauge(
      'paybell_clock_skew_seconds',
      "This machine's clock minus the database's, as far as no round trip explains the difference.",
    );
    countDroppedLines(registry);
    collectDefaultMetrics({ register: registry });
  }

  async render(figures: Figures | null, attention: readonly OpenCount[]): Promise<MetricsText> {
    this.gauges.set(figures);
    this.deliveries.set(figures?.deliveries ?? null);
    this.attention.reset();
    for (const { code, severity, count } of attention) this.attention.set({ code, severity }, count);
    this.setSkew(this.clock.skewMs);
    return { contentType: this.registry.contentType, text: await this.registry.metrics() };
  }

  /** Absent before the first measurement. */
  private setSkew(skewMs: number | null): void {
    if (skewMs === null) this.skew.remove();
    else this.skew.set(skewMs / 1_000);
  }
}

function countDroppedLines(registry: Registry): void {
  const lines = new Counter({
    name: 'paybell_log_lines_dropped_total',
    help: 'Log lines that could not be written to standard output, by the error code.',
    labelNames: ['cause'],
    registers: [],
    collect() {
      this.reset();
      for (const [cause, count] of Object.entries(droppedLines())) this.inc({ cause }, count);
    },
  });
  registry.registerMetric(lines);
}

/** Gauges of the figures in the database. An unknown figure has no series, so that no stale value is scraped. */
export class FigureGauges {
  private readonly databaseUp: Gauge;
  private readonly providers: ProviderGauges;
  private readonly logHeld: Gauge;
  private readonly epoch: Gauge;

  constructor(series: SeriesIn) {
    this.databaseUp = series.gauge(
      'paybell_database_up',
      'Whether the database returned its figures: 1 or 0.',
    );
    this.providers = new ProviderGauges(series);
    this.logHeld = series.gauge(
      'paybell_event_log_held_seconds',
      'Age of the oldest event that an open transaction keeps out of the log; 0 when there is none.',
    );
    this.epoch = series.gauge(
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
