import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Makes metrics in a registry, each from its name, its help and the names of its labels. */
export class SeriesIn {
  constructor(private readonly registry: Registry) {}

  counter<Label extends string = never>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  gauge<Label extends string = never>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  /** `buckets` are in seconds. */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    ...labelNames: Label[]
  ): Histogram<Label> {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }
}

/**
 * Observes a duration. A negative duration, after a clock was set back, counts as 0; a value that is not a number is left out.
 */
export function observe(series: Histogram.Internal<string>, durationMs: number): void {
  if (Number.isFinite(durationMs)) series.observe(Math.max(durationMs, 0) / 1_000);
}
