import { Counter, type Registry } from 'prom-client';

import type { TrackTry } from '../../ports/meter.ts';

const TRIES: readonly TrackTry[] = ['taken', 'rejected', 'held', 'failed'];

/** Counts unroutable events and track messages. Every series exists from the start, at zero. */
export class BrokerSeries {
  private readonly unroutables: Counter;
  private readonly trackMessages: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.unroutables = new Counter({
      name: 'paybell_rabbitmq_unroutable_total',
      help: 'Events that reached the exchange and no queue when they were first published.',
      registers: [registry],
    });
    this.trackMessages = new Counter({
      name: 'paybell_track_messages_total',
      help: 'Attempts at messages of the track queue, by outcome.',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of TRIES) this.trackMessages.inc({ outcome }, 0);
  }

  unroutable(): void {
    this.unroutables.inc();
  }

  trackMessage(outcome: TrackTry): void {
    this.trackMessages.inc({ outcome });
  }
}
