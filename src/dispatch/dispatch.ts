import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';

import { Clock } from '../ports/clock.ts';
import { Deliveries, Destination } from '../ports/deliveries.ts';
import { DatabaseHealth } from '../ports/readiness.ts';
import { OwedBells } from '../scheduling/bell.ts';
import { Dispatcher } from './dispatcher.ts';

/** The destinations that this process delivers to. */
export class Destinations {
  constructor(readonly all: readonly Destination[]) {}
}

/** One dispatcher for each kind of destination, started and stopped with the service. */
@Injectable()
export class Dispatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly dispatchers: readonly Dispatcher[];

  constructor(
    destinations: Destinations,
    deliveries: Deliveries,
    bells: OwedBells,
    clock: Clock,
    private readonly database: DatabaseHealth,
  ) {
    this.dispatchers = destinations.all.map(
      (destination) => new Dispatcher(destination, deliveries, bells[destination.kind], () => clock.now()),
    );
  }

  onApplicationBootstrap(): void {
    void this.database.whenReady().then(() => {
      for (const dispatcher of this.dispatchers) dispatcher.start();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.dispatchers.map((dispatcher) => dispatcher.stop()));
  }
}
