import { Heap } from '../../test/support/heap.ts';

/** A clock that stands still until told to run, and then jumps from one planned act to the next. */
export class VirtualClock {
  private readonly plan = new Heap<() => void>();
  private current = 0;

  get now(): number {
    return this.current;
  }

  at(instant: number, act: () => void): void {
    this.plan.add(Math.max(instant, this.current), act);
  }

  /** Until `end`, or until nothing is planned any more. */
  runUntil(end: number): void {
    while (this.plan.firstKey <= end) {
      this.current = this.plan.firstKey;
      this.plan.take()?.();
    }
  }
}
