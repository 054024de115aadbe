import { Logger } from '@nestjs/common';

import { adviceOnCode } from '../../domain/delivery/failure-advice.ts';
import { inWords } from '../../domain/text/in-words.ts';
import { loggedDescription, loggedOrderId, ofOrder } from '../../domain/text/log-context.ts';
import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  Destination,
  DueDelivery,
  Failed,
  FailureClass,
  LoggedTarget,
  Settlement,
} from '../../ports/deliveries.ts';
import type { Meter, MeteredTarget } from '../../ports/meter.ts';
import type { Timers } from '../../ports/timers.ts';
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
    // The span of a held delivery never ends, since no attempt was made.
    if (outcome.kind !== 'held') span?.end(result, outcome.kind === 'failed', outcome.httpStatus);
    const target = this.targetOf(delivery);
    this.meter.attempted(target, result, endedAt - beganAt);
    if (outcome.kind !== 'delivered') return;
    this.meter.acknowledged(target, this.clock.now().getTime() - delivery.time.getTime());
  }

  /** Logs a failure and counts a given-up delivery once it is committed. */
  settled(settlement: Settlement): void {
    this.failures.noteSettled(settlement);
    if (settlement.outcome.kind === 'failed' && settlement.retryInMs === null)
      this.meter.givenUp(this.targetOf(settlement.delivery));
  }

  /** Logs that the outcome of an attempt could not be committed. */
  notStored(delivery: DueDelivery, { message }: Error): void {
    const target = this.destination.describe(delivery.destinationId);
    const line = `the outcome of ${deliveryName(delivery, target)} was not stored: ${message}`;
    this.log.error(line, deliveryFields(delivery, target));
  }

  private targetOf({ destinationId: id }: DueDelivery): MeteredTarget {
    return { kind: this.destination.kind, id };
  }

  /** Logs the suppressed failures at shutdown. */
  close(): void {
    this.failures.flush();
  }
}

const MAX_LINES = 10;
const WINDOW_MS = 1_000;

/** Logs failed attempts: at most ten lines a second, and then the number of the rest. */
export class FailureLog {
  private lines = 0;
  private readonly suppressed = new Map<FailureClass, number>();
  private cancel: (() => void) | null = null;

  constructor(
    private readonly warn: (line: string, ...fields: object[]) => void,
    private readonly describe: (targetId: string) => LoggedTarget,
    private readonly timers: Timers = SYSTEM_TIMERS,
  ) {}

  noteSettled(settlement: Settlement): void {
    const { outcome } = settlement;
    // An unroutable event is no failure of the broker, and the RabbitMQ destination logs it at a bounded rate.
    if (outcome.kind !== 'failed' || outcome.failure === 'unroutable') return;
    this.cancel ??= this.timers.after(WINDOW_MS, () => this.flush());
    this.lines += 1;
    if (this.lines <= MAX_LINES) this.logOne(settlement, outcome);
    else this.suppressed.set(outcome.failure, (this.suppressed.get(outcome.failure) ?? 0) + 1);
  }

  private logOne(settlement: Settlement, failed: Failed): void {
    const { delivery } = settlement;
    const target = this.describe(delivery.destinationId);
    const line = `${deliveryName(delivery, target)} ${endingOf(settlement, failed)}`;
    this.warn(line, deliveryFields(delivery, target));
  }

  /** Logs the number of suppressed failures now. */
  flush(): void {
    this.cancel?.();
    this.cancel = null;
    this.lines = 0;
    if (this.suppressed.size === 0) return;
    const counts = [...this.suppressed].sort(([, one], [, other]) => other - one);
    this.suppressed.clear();
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const classes = counts.map(([failure, count]) => `${count} ${failure}`).join(', ');
    this.warn(`and ${total} more ${total === 1 ? 'attempt' : 'attempts'} failed (${classes})`);
  }
}

function endingOf({ delivery, retryInMs }: Settlement, failed: Failed): string {
  const { failure, code = null, httpStatus } = failed;
  const then = retryInMs === null ? 'given up' : `again in ${inWords(retryInMs)}`;
  const how = [failure, httpStatus, code].filter((part) => part !== null).join(' ');
  const advice = adviceOnCode(code);
  const remedy = advice === null ? '' : `. ${advice}`;
  return `failed (${how}), attempt ${delivery.attempts + 1}, ${then}${remedy}`;
}

/** `payment.created #1 of 5659… (order A-17) to 0a8c… ("shop EU")`: a delivery in a log line. */
function deliveryName(delivery: DueDelivery, { name }: LoggedTarget): string {
  const { type, sequence, quoteId, orderId } = delivery;
  return `${type} #${sequence} of ${quoteId}${ofOrder(orderId)} to ${name}`;
}

/** The fields of the same log line, for searching the log. */
function deliveryFields(
  delivery: DueDelivery,
  { id: endpointId, description }: LoggedTarget,
): Record<string, unknown> {
  const { type, sequence, quoteId, provider, orderId, id } = delivery;
  return {
    deliveryId: id,
    type,
    sequence,
    quoteId,
    provider,
    ...(orderId === null ? {} : { orderId: loggedOrderId(orderId) }),
    endpointId,
    ...(description === null ? {} : { description: loggedDescription(description) }),
  };
}
