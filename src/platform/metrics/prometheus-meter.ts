import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import type { EventType } from '../../domain/event/event.ts';
import { STATUSES, type Status } from '../../domain/payment/status.ts';
import type { UrgencyClass } from '../../domain/polling/urgency.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import {
  type DisabledReason,
  Meter,
  type MeteredTarget,
  NOTICE_OUTCOMES,
  type NoticeOutcome,
  POLL_OUTCOMES,
  type PollOutcome,
  TRACK_TRIES,
  type TrackTry,
} from '../../ports/meter.ts';
import { DeliverySeries } from './delivery-series.ts';
import { observe } from './observe.ts';

const REQUEST_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From the shortest gap between two polls, over scaled intervals, to the last polls of the late watch. */
const GAP_BUCKETS_S = [1, 2.5, 5, 7.5, 10, 15, 30, 60, 120, 300, 900, 3_600, 14_400, 43_200];

/** Counts in this process. Every series exists from the start, at zero, and the hot ones are resolved once, not per call. */
@Injectable()
export class PrometheusMeter extends Meter {
  private readonly polls: Readonly<Record<PollOutcome, Counter.Internal>>;
  private readonly requests: Counter.Internal;
  private readonly requestSeconds: Histogram.Internal<string>;
  private readonly gapSeconds: ReadonlyMap<Status, Histogram.Internal<string>>;
  private readonly stalePolls: Counter.Internal;
  private readonly deliveries: DeliverySeries;
  private readonly streams: Gauge;
  private readonly unroutables: Counter.Internal;
  private readonly trackMessages: Readonly<Record<TrackTry, Counter.Internal>>;
  private readonly notices: Readonly<Record<NoticeOutcome, Counter.Internal>>;

  constructor(registry: Registry, destinations: DestinationKinds) {
    super();
    this.polls = outcomesOf(registry, 'paybell_polls_total', 'Polls of payments, by outcome.', POLL_OUTCOMES);
    this.requests = counterOf(
      registry,
      'paybell_provider_requests_total',
      'Status requests to the provider.',
    );
    this.requestSeconds = requestSecondsOf(registry);
    this.gapSeconds = gapSecondsOf(registry);
    this.stalePolls = counterOf(
      registry,
      'paybell_stale_polls_total',
      'Poll results that arrived after another replica had claimed the payment.',
    );
    this.deliveries = new DeliverySeries(registry, destinations.all);
    this.streams = new Gauge({
      name: 'paybell_streams',
      help: 'Event streams that are open.',
      registers: [registry],
    });
    this.unroutables = counterOf(
      registry,
      'paybell_rabbitmq_unroutable_total',
      'Events that reached the exchange and no queue when they were first published.',
    );
    this.trackMessages = outcomesOf(
      registry,
      'paybell_track_messages_total',
      'Attempts at messages of the track queue, by outcome.',
      TRACK_TRIES,
    );
    this.notices = outcomesOf(
      registry,
      'paybell_provider_notices_total',
      'Notices that the provider sent by itself, by outcome.',
      NOTICE_OUTCOMES,
    );
  }

  polled(outcome: PollOutcome, _urgency: UrgencyClass): void {
    this.polls[outcome].inc();
  }

  requested(durationMs: number): void {
    this.requests.inc();
    observe(this.requestSeconds, durationMs);
  }

  detected(status: Status, gapMs: number): void {
    const series = this.gapSeconds.get(status);
    if (series !== undefined) observe(series, gapMs);
  }

  stale(count: number): void {
    if (count > 0 && Number.isFinite(count)) this.stalePolls.inc(count);
  }

  /** Figures have the types of events; a counter of them would repeat what paybell_polls_total says. */
  recorded(_type: EventType): void {}

  attempted({ kind }: MeteredTarget, outcome: string, durationMs: number): void {
    this.deliveries.attempted(kind, outcome, durationMs);
  }

  acknowledged({ kind }: MeteredTarget, delayMs: number): void {
    this.deliveries.acknowledged(kind, delayMs);
  }

  givenUp({ kind }: MeteredTarget): void {
    this.deliveries.givenUp(kind);
  }

  endpointDisabled(reason: DisabledReason): void {
    this.deliveries.endpointDisabled(reason);
  }

  streaming(count: number): void {
    this.streams.set(count);
  }

  unroutable(): void {
    this.unroutables.inc();
  }

  trackMessage(came: TrackTry): void {
    this.trackMessages[came].inc();
  }

  noticed(outcome: NoticeOutcome): void {
    this.notices[outcome].inc();
  }
}

function counterOf(registry: Registry, name: string, help: string): Counter.Internal {
  return new Counter({ name, help, registers: [registry] }).labels();
}

/** A counter by outcome. */
function outcomesOf<Outcome extends string>(
  registry: Registry,
  name: string,
  help: string,
  outcomes: readonly Outcome[],
): Readonly<Record<Outcome, Counter.Internal>> {
  const counter = new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
  for (const outcome of outcomes) counter.inc({ outcome }, 0);
  const series = outcomes.map((outcome) => [outcome, counter.labels({ outcome })]);
  return Object.fromEntries(series) as Record<Outcome, Counter.Internal>;
}

function requestSecondsOf(registry: Registry): Histogram.Internal<string> {
  return new Histogram({
    name: 'paybell_provider_request_duration_seconds',
    help: 'How long status requests to the provider took.',
    buckets: REQUEST_BUCKETS_S,
    registers: [registry],
  }).labels();
}

function gapSecondsOf(registry: Registry): Map<Status, Histogram.Internal<string>> {
  const histogram = new Histogram({
    name: 'paybell_detection_gap_seconds',
    help: 'Time between the poll that detected a new status and the poll before it, by the new status.',
    labelNames: ['status'],
    buckets: GAP_BUCKETS_S,
    registers: [registry],
  });
  for (const status of STATUSES) histogram.zero({ status });
  return new Map(STATUSES.map((status) => [status, histogram.labels({ status })]));
}
