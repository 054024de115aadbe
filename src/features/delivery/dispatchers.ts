import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import { Deliveries } from '../../ports/deliveries.ts';
import { Destinations } from '../../ports/destinations.ts';
import { Meter } from '../../ports/meter.ts';
import { DatabaseHealth } from '../../ports/readiness.ts';
import { Timers } from '../../ports/timers.ts';
import { Tracer } from '../../ports/tracer.ts';
import { DeliverySignals } from '../../platform/scheduling/delivery-signals.ts';
import { DeliveryWatch } from './delivery-watch.ts';
import { Dispatcher } from './dispatcher.ts';
import { DueProbe } from './due-targets.ts';

/** Runs one dispatcher for each kind of destination. */
@Injectable()
export class Dispatchers implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly dispatchers: readonly Dispatcher[];
  private stopped: Promise<unknown> | null = null;

  constructor(
    destinations: Destinations,
    deliveries: Deliveries,
    deliverySignals: DeliverySignals,
    private readonly database: DatabaseHealth,
    meter: Meter,
    clock: Clock,
    tracer: Tracer,
    timers: Timers,
  ) {
    const dueProbe = new DueProbe(deliveries, timers);
    this.dispatchers = destinations.all.map((destination) => {
      const watch = new DeliveryWatch(destination, meter, clock, timers);
      const signal = deliverySignals.of(destination.kind);
      const dispatcher = new Dispatcher(destination, deliveries, signal, watch, dueProbe, tracer, timers);
      deliverySignals.join(dispatcher);
      return dispatcher;
    });
  }

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => {
      for (const dispatcher of this.dispatchers) dispatcher.start();
    });
  }

  /** Starts to stop at once, since Nest awaits the later shutdown hooks one after another. */
  onModuleDestroy(): void {
    this.stopped ??= Promise.all(this.dispatchers.map((dispatcher) => dispatcher.stop()));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }
}
