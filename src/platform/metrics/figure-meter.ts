import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';

import type { EventType } from '../../domain/event/event.ts';
import type { Status } from '../../domain/payment/status.ts';
import { URGENCY_NAMES, type UrgencyClass } from '../../domain/polling/urgency.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import {
  type MeteredTarget,
  type NoticeOutcome,
  POLL_OUTCOMES,
  type PollOutcome,
  ProviderMeter,
} from '../../ports/meter.ts';
import { FigureCounter } from './figure-counter.ts';
import { PrometheusMeter } from './prometheus-meter.ts';

/** Made once: a poll must not build strings. */
const POLLS = Object.fromEntries(POLL_OUTCOMES.map((outcome) => [outcome, `polls.${outcome}`])) as Readonly<
  Record<PollOutcome, string>
>;
const CLASSES = URGENCY_NAMES.map((name) => `class.${name}`);

/**
 * A meter for Prometheus and for the minute figures at once. Figures are by endpoint and by event type, which may not be
 * labels of a metric, so they cannot be read from Prometheus' registry.
 */
@Injectable()
export class FigureMeter extends PrometheusMeter {
  constructor(
    registry: Registry,
    destinations: DestinationKinds,
    private readonly counter: FigureCounter,
  ) {
    super(registry, destinations);
  }

  override recorded(type: EventType): void {
    super.recorded(type);
    this.counter.count(`changes.${type}`);
  }

  override attempted(target: MeteredTarget, outcome: string, durationMs: number): void {
    super.attempted(target, outcome, durationMs);
    if (outcome === 'held') return;
    this.counter.countAt(target.id, outcome === 'delivered' ? 'delivered' : `failed.${outcome}`);
    this.counter.timeAt(target.id, 'attempts', durationMs);
  }

  override acknowledged(target: MeteredTarget, delayMs: number): void {
    super.acknowledged(target, delayMs);
    this.counter.timeAt(target.id, 'latency', delayMs);
  }

  override givenUp(target: MeteredTarget): void {
    super.givenUp(target);
    this.counter.countAt(target.id, 'givenUp');
  }

  protected override meterOf(provider: string): ProviderMeter {
    return new FiguresOfProvider(super.meterOf(provider), this.counter, provider);
  }
}

/** Counts for the figures in addition to another meter. */
class FiguresOfProvider extends ProviderMeter {
  constructor(
    private readonly meter: ProviderMeter,
    private readonly counter: FigureCounter,
    private readonly provider: string,
  ) {
    super();
  }

  polled(outcome: PollOutcome, urgency: UrgencyClass): void {
    this.meter.polled(outcome, urgency);
    this.counter.countOf(this.provider, POLLS[outcome]);
    this.counter.countOf(this.provider, CLASSES[urgency] ?? '');
  }

  requested(durationMs: number): void {
    this.meter.requested(durationMs);
    this.counter.timeOf(this.provider, 'requests', durationMs);
  }

  detected(status: Status, gapMs: number): void {
    this.meter.detected(status, gapMs);
    this.counter.timeOf(this.provider, 'gap', gapMs);
  }

  stale(count: number): void {
    this.meter.stale(count);
  }

  noticed(outcome: NoticeOutcome): void {
    this.meter.noticed(outcome);
  }

  unfitQuote(): void {
    this.meter.unfitQuote();
  }
}
