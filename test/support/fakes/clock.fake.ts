import { Clock } from '../../../src/ports/clock.ts';

/** A clock that stands still until it is moved. */
export class FakeClock extends Clock {
  constructor(private ms: number = Date.parse('2026-11-20T12:00:00.000Z')) {
    super();
  }

  now(): Date {
    return new Date(this.ms);
  }

  advance(ms: number): void {
    this.ms += ms;
  }
}
