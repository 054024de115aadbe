import { Logger } from '@nestjs/common';

import type { Clock } from '../../ports/clock.ts';
import type { Destination, DueDelivery, Settlement } from '../../ports/deliveries.ts';
import type { Meter, MeteredTarget } from '../../ports/meter.ts';
import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import { FailureLog } from './failure-log.ts';
import type { EndedAttempt } from './settle-outcome.ts';

/** Counts, measures and logs the attempts of one kind of destination. */
export class DeliveryWatch {
  private readonly log: Logger;
  private readonly failures: FailureLog;

  constructor(
    private readonly destination: Pick<Destination, 'kind' | 'describe'>,
    private readonly meter: Meter,
    private readonly clock: Clock,
    timers: Timers = SYSTEM_TIMERS,
  ) {
    this.log = new Logger(`${destination.kind} dispatcher`);
    this.failures = new FailureLog(
      (line, ...fields) => this.log.warn(line, ...fields),
      (targetId) => destination.describe(targetId),
      timers,
    );
  }

  /** Measures an attempt that has ended, whether or not its outcome is committed. */
  ended({ delivery, outcome, beganAt, endedAt, span }: EndedAttempt): void {
    const result = outcome.kind === 'failed' ? outcome.failure : outcome.kind;
    // The span of a delivery that was held never ends: no attempt was made.
    if (outcome.kind !== 'held') span?.end(result, outcome.kind === 'failed', outcome.httpStatus);
    const target = this.targetOf(delivery);
    this.meter.attempted(target, result, endedAt - beganAt);
    if (outcome.kind !== 'delivered') return;
    this.meter.acknowledged(target, this.clock.now().getTime() - delivery.time.getTime());
  }

  /** Logs a failure and counts a given-up delivery once it is committed. */
  settled(settlement: Settlement): void {
    this.failures.note(settlement);
    if (settlement.outcome.kind === 'failed' && settlement.retryInMs === null)
      this.meter.givenUp(this.targetOf(settlement.delivery));
  }

  private targetOf({ destinationId: id }: DueDelivery): MeteredTarget {
    return { kind: this.destination.kind, id };
  }

  /** Logs the suppressed failures at shutdown. */
  close(): void {
    this.failures.flush();
  }
}
