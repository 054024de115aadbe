import { Injectable } from '@nestjs/common';
import { type Counter, type Gauge, Registry } from 'prom-client';

import type { EventType } from '../../domain/event/event.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import {
  type DisabledReason,
  Meter,
  type MeteredTarget,
  type ProviderMeter,
  type RpcOutcome,
  TRACK_TRIES,
  type TrackTry,
} from '../../ports/meter.ts';
import { ChainSeries } from './chain-series.ts';
import { DeliverySeries } from './delivery-series.ts';
import { FigureCounter } from './figure-counter.ts';
import { ProviderMetrics, ProviderSeries } from './provider-series.ts';
import { SeriesIn } from './series-in.ts';

/**
 * Counts in this process, for Prometheus and for the minute figures at once. Every series exists from the start, at zero. The
 * figures distinguish endpoints and event types, which labels of metrics must not: Prometheus' registry cannot give these
 * figures.
 */
@Injectable()
export class ProcessMeter extends Meter {
  private readonly providerMetrics: ProviderMetrics;
  private readonly providers = new Map<string, ProviderMeter>();
  private readonly deliveries: DeliverySeries;
  private readonly chains: ChainSeries;
  private readonly streams: Gauge;
  private readonly unroutables: Counter.Internal;
  private readonly trackMessages: Readonly<Record<TrackTry, Counter.Internal>>;

  constructor(
    registry: Registry,
    destinations: DestinationKinds,
    private readonly figures: FigureCounter,
  ) {
    super();
    const series = new SeriesIn(registry);
    this.providerMetrics = new ProviderMetrics(registry);
    this.deliveries = new DeliverySeries(series, destinations.all);
    this.chains = new ChainSeries(series);
    this.streams = series.gauge('paybell_streams', 'Event streams that are open.');
    this.unroutables = series
      .counter(
        'paybell_rabbitmq_unroutable_total',
        'Events that reached the exchange and no queue when they were first published.',
      )
      .labels();
    this.trackMessages = outcomesOf(
      series,
      'paybell_track_messages_total',
      'Attempts at messages of the track queue, by outcome.',
      TRACK_TRIES,
    );
  }

  of(provider: string): ProviderMeter {
    const known = this.providers.get(provider);
    if (known !== undefined) return known;
    const made = new ProviderSeries(this.providerMetrics, provider, this.figures);
    this.providers.set(provider, made);
    return made;
  }

  /** Only the figures count event types; a metric would repeat paybell_polls_total. */
  recorded(type: EventType): void {
    this.figures.count(`changes.${type}`);
  }

  attempted({ id, kind }: MeteredTarget, outcome: string, durationMs: number): void {
    this.deliveries.attempted(kind, outcome, durationMs);
    if (outcome === 'held') return;
    this.figures.countAt(id, outcome === 'delivered' ? 'delivered' : `failed.${outcome}`);
    this.figures.timeAt(id, 'attempts', durationMs);
  }

  acknowledged({ id, kind }: MeteredTarget, delayMs: number): void {
    this.deliveries.acknowledged(kind, delayMs);
    this.figures.timeAt(id, 'latency', delayMs);
  }

  givenUp({ id, kind }: MeteredTarget): void {
    this.deliveries.givenUp(kind);
    this.figures.countAt(id, 'givenUp');
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

  rpcAsked(chainId: number, calls: number, outcome: RpcOutcome, openCircuits: number): void {
    this.chains.asked(chainId, calls, outcome, openCircuits);
  }

  rpcDisagreed(chainId: number, host: string): void {
    this.chains.disagreed(chainId, host);
  }
}

/** A counter by outcome. */
function outcomesOf<Outcome extends string>(
  made: SeriesIn,
  name: string,
  help: string,
  outcomes: readonly Outcome[],
): Readonly<Record<Outcome, Counter.Internal>> {
  const counter = made.counter(name, help, 'outcome');
  for (const outcome of outcomes) counter.inc({ outcome }, 0);
  const series = outcomes.map((outcome) => [outcome, counter.labels({ outcome })]);
  return Object.fromEntries(series) as Record<Outcome, Counter.Internal>;
}
