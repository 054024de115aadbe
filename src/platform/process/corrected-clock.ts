import { Logger } from '@nestjs/common';

import { Clock } from '../../ports/clock.ts';
import type { ClockSkew, Health } from '../../ports/readiness.ts';
import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from '../scheduling/system-timers.ts';

/** Two clocks under NTP drift apart by at most this share of the time that passes. */
const MAX_DRIFT = 0.001;
/** The log reports a skew above this value, and each change of the skew by more than this value. */
const REPORTED_MS = 5_000;
/**
 * Receivers of webhooks tolerate minutes: a machine without NTP may drift by minutes, a machine with NTP never reaches this.
 */
const DEGRADED_MS = 30_000;

/** The bounds of (database's time − monotonic time), as they were at the monotonic time `at`. */
interface Offset {
  readonly least: number;
  readonly most: number;
  readonly at: number;
}

/**
 * The database's time, which each statement that returns it measures. Between two measurements the time advances with the
 * monotonic clock, so that setting the machine's clock has no effect. Before the first measurement it is the machine's time.
 */
export class CorrectedClock extends Clock implements ClockSkew {
  private readonly log = new Logger('Clock');
  private offset: Offset | null = null;
  private reportedMs = 0;

  constructor(
    private readonly timers: Timers = SYSTEM_TIMERS,
    private readonly machineNowMs: () => number = Date.now,
  ) {
    super();
  }

  now(): Date {
    if (this.offset === null) return new Date(this.machineNowMs());
    const { least, most } = this.offset;
    return new Date(this.timers.nowMs() + (least + most) / 2);
  }

  /** The database had this time at some moment since `askedAt`, a monotonic time: the round trip bounds the error. */
  measured(databaseMs: number, askedAt: number): void {
    const at = this.timers.nowMs();
    const measured = { least: databaseMs - at, most: databaseMs - askedAt, at };
    this.offset = this.offset === null ? measured : narrowed(this.offset, measured);
    this.report();
  }

  /** How long ago the database's time was measured; Infinity before the first measurement. */
  get measuredAgoMs(): number {
    return this.offset === null ? Number.POSITIVE_INFINITY : this.timers.nowMs() - this.offset.at;
  }

  /** The database's time at a monotonic time, or a little earlier, never later; null before the first measurement. */
  earliestMs(monotonicMs: number): number | null {
    return this.offset === null ? null : monotonicMs + this.offset.least;
  }

  /** The part of the difference that a round trip cannot explain. */
  get skewMs(): number | null {
    if (this.offset === null) return null;
    const machineOffset = this.machineNowMs() - this.timers.nowMs();
    const { least, most } = this.offset;
    return Math.max(machineOffset - most, 0) + Math.min(machineOffset - least, 0);
  }

  health(): Health {
    const skewMs = this.skewMs ?? 0;
    return Math.abs(skewMs) > DEGRADED_MS ? { status: 'degraded', detail: words(skewMs) } : { status: 'ok' };
  }

  private report(): void {
    const skewMs = this.skewMs ?? 0;
    if (Math.abs(skewMs - this.reportedMs) <= REPORTED_MS) return;
    const isSkewed = Math.abs(skewMs) > REPORTED_MS;
    this.reportedMs = isSkewed ? skewMs : 0;
    if (isSkewed)
      this.log.warn(`${words(skewMs)}: Paybell goes by the database's clock; set this machine's by NTP`);
    else this.log.log("this machine's clock agrees with the database's again");
  }
}

/** Bounds that agree narrow each other. If they disagree, a clock was set or the machine slept: then the new bounds hold. */
function narrowed(known: Offset, measured: Offset): Offset {
  const drift = MAX_DRIFT * Math.max(measured.at - known.at, 0);
  const least = Math.max(known.least - drift, measured.least);
  const most = Math.min(known.most + drift, measured.most);
  return least <= most ? { least, most, at: measured.at } : measured;
}

function words(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1_000);
  return `this machine's clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the database's`;
}
