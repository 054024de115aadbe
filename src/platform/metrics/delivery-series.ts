import { Counter, Histogram, type Registry } from 'prom-client';

import type { DestinationKind } from '../../ports/deliveries.ts';
import type { AttemptOutcome, DisabledReason } from '../../ports/meter.ts';
import { observe } from './observe.ts';

const KINDS = ['webhook', 'rabbitmq'] as const;
/** The destinations at which each outcome of an attempt can occur. */
const OUTCOMES: Readonly<Record<AttemptOutcome, readonly DestinationKind[]>> = {
  delivered: KINDS,
  held: KINDS,
  timeout: ['webhook'],
  dns: ['webhook'],
  refused: ['webhook'],
  tls: ['webhook'],
  reset: ['webhook'],
  status: ['webhook'],
  redirect: ['webhook'],
  gone: ['webhook'],
  blocked_address: ['webhook'],
  too_large: ['webhook'],
  nack: ['rabbitmq'],
  unroutable: ['rabbitmq'],
};
/** From a broker on the same machine to the longest WEBHOOK_TIMEOUT_MS. */
const ATTEMPT_BUCKETS_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60, 125,
];
/** From an immediate delivery to the last retries of the default schedule. */
const DELAY_BUCKETS_S = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 300, 900, 3_600, 14_400, 43_200,
  86_400, 300_000,
];

/** Counts and times deliveries and their attempts. Every series exists from the start, at zero. */
export class DeliverySeries {
  private readonly attempts: Counter<'destination' | 'outcome'>;
  private readonly attemptSeconds: Record<DestinationKind, Histogram.Internal<string>>;
  private readonly delaySeconds: Record<DestinationKind, Histogram.Internal<string>>;
  private readonly abandoned: Counter<'destination'>;
  private readonly disabled: Counter<'reason'>;

  constructor(registry: Registry) {
    this.attempts = attemptsOf(registry);
    this.attemptSeconds = secondsOf(
      registry,
      'paybell_delivery_attempt_duration_seconds',
      'How long attempts of deliveries took.',
      ATTEMPT_BUCKETS_S,
    );
    this.delaySeconds = secondsOf(
      registry,
      'paybell_delivery_delay_seconds',
      'Time between an event and its acknowledgement.',
      DELAY_BUCKETS_S,
    );
    this.abandoned = counterOf(
      registry,
      'paybell_deliveries_given_up_total',
      'Deliveries that have failed for the last time.',
      'destination',
    );
    for (const destination of KINDS) this.abandoned.inc({ destination }, 0);
    this.disabled = counterOf(
      registry,
      'paybell_endpoints_disabled_total',
      'Webhook endpoints that the service has disabled.',
      'reason',
    );
    for (const reason of ['gone', 'failing']) this.disabled.inc({ reason }, 0);
  }

  attempted(destination: DestinationKind, outcome: AttemptOutcome, durationMs: number): void {
    this.attempts.inc({ destination, outcome });
    if (outcome !== 'held') observe(this.attemptSeconds[destination], durationMs);
  }

  acknowledged(destination: DestinationKind, delayMs: number): void {
    observe(this.delaySeconds[destination], delayMs);
  }

  givenUp(destination: DestinationKind): void {
    this.abandoned.inc({ destination });
  }

  endpointDisabled(reason: DisabledReason): void {
    this.disabled.inc({ reason });
  }
}

function attemptsOf(registry: Registry): Counter<'destination' | 'outcome'> {
  const attempts = new Counter({
    name: 'paybell_delivery_attempts_total',
    help: 'Attempts of deliveries, by outcome.',
    labelNames: ['destination', 'outcome'],
    registers: [registry],
  });
  for (const [outcome, kinds] of Object.entries(OUTCOMES))
    for (const destination of kinds) attempts.inc({ destination, outcome }, 0);
  return attempts;
}

function counterOf<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  label: Label,
): Counter<Label> {
  return new Counter({ name, help, labelNames: [label], registers: [registry] });
}

function secondsOf(
  registry: Registry,
  name: string,
  help: string,
  buckets: number[],
): Record<DestinationKind, Histogram.Internal<string>> {
  const histogram = new Histogram({
    name,
    help,
    labelNames: ['destination'],
    buckets,
    registers: [registry],
  });
  const series = (destination: DestinationKind): Histogram.Internal<string> => {
    histogram.zero({ destination });
    return histogram.labels({ destination });
  };
  return { webhook: series('webhook'), rabbitmq: series('rabbitmq') };
}
