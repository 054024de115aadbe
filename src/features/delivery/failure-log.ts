import { deliveryFields, deliveryName } from './delivery-log-fields.ts';
import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from '../../platform/scheduling/system-timers.ts';
import type { Failed, FailureClass, LoggedTarget, Settlement } from '../../ports/deliveries.ts';

const MAX_LINES = 10;
const WINDOW_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Logs failed attempts: at most ten lines a second, and then the number of the others. */
export class FailureLog {
  private lines = 0;
  private readonly suppressed = new Map<FailureClass, number>();
  private cancel: (() => void) | null = null;

  constructor(
    private readonly warn: (line: string, ...fields: object[]) => void,
    private readonly describe: (targetId: string) => LoggedTarget,
    private readonly timers: Timers = SYSTEM_TIMERS,
  ) {}

  note(settlement: Settlement): void {
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

function endingOf({ delivery, retryInMs }: Settlement, { failure, httpStatus }: Failed): string {
  const then = retryInMs === null ? 'given up' : `again in ${inWords(retryInMs)}`;
  const status = httpStatus === null ? '' : ` ${httpStatus}`;
  return `failed (${failure}${status}), attempt ${delivery.attempts + 1}, ${then}`;
}

function inWords(ms: number): string {
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / 1_000)} s`;
  if (ms < 2 * HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return `${Math.round(ms / HOUR_MS)} h`;
}
