import { Clock } from '../../../src/ports/clock.ts';
import type { Timers } from '../../../src/ports/timers.ts';

/** A clock that stands still until a test moves it, with timers that measure the moves. */
export class FakeClock extends Clock {
  private passedMs = 0;
  readonly timers: Timers = { nowMs: () => this.passedMs, after: () => () => undefined };

  constructor(private ms: number = Date.parse('2026-11-20T12:00:00.000Z')) {
    super();
  }

  now(): Date {
    return new Date(this.ms);
  }

  advance(ms: number): void {
    this.ms += ms;
    this.passedMs += ms;
  }

  /** Sets the clock without letting time pass. */
  jump(ms: number): void {
    this.ms += ms;
  }
}
