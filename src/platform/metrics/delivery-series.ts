import type { Counter, Histogram } from 'prom-client';

import type { DestinationDescriptor } from '../../ports/destinations.ts';
import type { DisabledReason } from '../../ports/meter.ts';
import { observe, type SeriesIn } from './series-in.ts';

/** Buckets from a broker on the same machine to the longest WEBHOOK_TIMEOUT_MS. */
const ATTEMPT_BUCKETS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60, 125,
];
/** Buckets from an immediate delivery to the last retries of the default schedule. */
const DELAY_BUCKETS_S = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 300, 900, 3_600, 14_400, 43_200,
  86_400, 300_000,
];

type SeriesByKind = Readonly<Record<string, Histogram.Internal<string>>>;

/** Counts and times deliveries and their attempts. Every series exists from the start, at zero. */
export class DeliverySeries {
  private readonly attempts: Counter<'destination' | 'outcome'>;
  private readonly attemptSeconds: SeriesByKind;
  private readonly delaySeconds: SeriesByKind;
  private readonly abandoned: Counter<'destination'>;
  private readonly disabled: Counter<'reason'>;

  constructor(series: SeriesIn, destinations: readonly DestinationDescriptor[]) {
    const kinds = destinations.map(({ kind }) => kind);
    this.attempts = series.counter(
      'paybell_delivery_attempts_total',
      'Attempts of deliveries, by outcome.',
      'destination',
      'outcome',
    );
    for (const { kind: destination, failures } of destinations)
      for (const outcome of ['delivered', 'held', ...failures])
        this.attempts.inc({ destination, outcome }, 0);
    this.attemptSeconds = secondsOf(
      series,
      kinds,
      'paybell_delivery_attempt_duration_seconds',
      'How long attempts of deliveries took.',
      ATTEMPT_BUCKETS_S,
    );
    this.delaySeconds = secondsOf(
      series,
      kinds,
      'paybell_delivery_delay_seconds',
      'Time between an event and its acknowledgement.',
      DELAY_BUCKETS_S,
    );
    this.abandoned = series.counter(
      'paybell_deliveries_given_up_total',
      'Deliveries that have failed for the last time.',
      'destination',
    );
    for (const destination of kinds) this.abandoned.inc({ destination }, 0);
    this.disabled = series.counter(
      'paybell_endpoints_disabled_total',
      'Webhook endpoints that the service has disabled.',
      'reason',
    );
    for (const reason of ['gone', 'failing']) this.disabled.inc({ reason }, 0);
  }

  attempted(destination: string, outcome: string, durationMs: number): void {
    this.attempts.inc({ destination, outcome });
    const seconds = this.attemptSeconds[destination];
    if (outcome !== 'held' && seconds !== undefined) observe(seconds, durationMs);
  }

  acknowledged(destination: string, delayMs: number): void {
    const seconds = this.delaySeconds[destination];
    if (seconds !== undefined) observe(seconds, delayMs);
  }

  givenUp(destination: string): void {
    this.abandoned.inc({ destination });
  }

  endpointDisabled(reason: DisabledReason): void {
    this.disabled.inc({ reason });
  }
}

function secondsOf(
  series: SeriesIn,
  kinds: readonly string[],
  name: string,
  help: string,
  buckets: number[],
): SeriesByKind {
  const histogram = series.histogram(name, help, buckets, 'destination');
  for (const destination of kinds) histogram.zero({ destination });
  return Object.fromEntries(kinds.map((destination) => [destination, histogram.labels({ destination })]));
}
