import { Logger } from '@nestjs/common';

import type { Clock } from '../../ports/clock.ts';
import type { Destination, Settlement } from '../../ports/deliveries.ts';
import type { Meter } from '../../ports/meter.ts';
import { FailureLog } from './failure-log.ts';
import type { EndedAttempt } from './settle-outcome.ts';

/** Takes note of the attempts at one kind of destination: counted, measured, and told of where they failed. */
export class DeliveryWatch {
  private readonly log: Logger;
  private readonly failures: FailureLog;

  constructor(
    private readonly destination: Pick<Destination, 'kind' | 'describe'>,
    private readonly meter: Meter,
    private readonly clock: Clock,
  ) {
    this.log = new Logger(`${destination.kind} dispatcher`);
    this.failures = new FailureLog(
      (line, ...fields) => this.log.warn(line, ...fields),
      (targetId) => destination.describe(targetId),
    );
  }

  /** An attempt has ended, whether or not its outcome can be committed. */
  ended({ delivery, outcome, beganAt, endedAt }: EndedAttempt): void {
    const cameTo = outcome.kind === 'failed' ? outcome.failure : outcome.kind;
    this.meter.attempted(this.destination.kind, cameTo, endedAt - beganAt);
    if (outcome.kind !== 'delivered') return;
    this.meter.acknowledged(this.destination.kind, this.clock.now().getTime() - delivery.time.getTime());
  }

  /** What became of deliveries is committed. */
  settled(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) {
      this.failures.note(settlement);
      if (settlement.outcome.kind === 'failed' && settlement.retryInMs === null)
        this.meter.givenUp(this.destination.kind);
    }
  }

  /** Nothing more follows: tells what is untold. */
  close(): void {
    this.failures.flush();
  }
}
