import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';

import type { EventType } from '../../domain/event/event.ts';
import type { Status } from '../../domain/payment/status.ts';
import { URGENCY_NAMES, type UrgencyClass } from '../../domain/polling/urgency.ts';
import { DestinationKinds } from '../../ports/destinations.ts';
import { type MeteredTarget, POLL_OUTCOMES, type PollOutcome } from '../../ports/meter.ts';
import { FigureCounter } from './figure-counter.ts';
import { PrometheusMeter } from './prometheus-meter.ts';

/** Made once: a poll must not make strings. */
const POLLS = Object.fromEntries(POLL_OUTCOMES.map((outcome) => [outcome, `polls.${outcome}`])) as Readonly<
  Record<PollOutcome, string>
>;
const CLASSES = URGENCY_NAMES.map((name) => `class.${name}`);

/**
 * Meters for Prometheus and for the minute figures at once. Figures are by endpoint and by event type, which no label of a
 * metric may be, so that they can not be read from Prometheus' registry.
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

  override polled(outcome: PollOutcome, urgency: UrgencyClass): void {
    super.polled(outcome, urgency);
    this.counter.count(POLLS[outcome]);
    this.counter.count(CLASSES[urgency] ?? '');
  }

  override requested(durationMs: number): void {
    super.requested(durationMs);
    this.counter.time('requests', durationMs);
  }

  override detected(status: Status, gapMs: number): void {
    super.detected(status, gapMs);
    this.counter.time('gap', gapMs);
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
}
