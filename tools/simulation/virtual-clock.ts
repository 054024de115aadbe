import type { Clock } from '../../src/ports/clock.ts';
import { Timers } from '../../src/ports/timers.ts';
import { Heap } from '../../test/support/heap.ts';

interface Planned {
  /** Null once cancelled. */
  act: (() => void) | null;
}

/** A clock that stands still until it runs, and then jumps from one planned act to the next. */
export class VirtualClock extends Timers {
  /** The same time as a date. */
  readonly clock: Clock = { now: () => new Date(this.now) };
  private readonly plan = new Heap<Planned>();
  private current = 0;

  get now(): number {
    return this.current;
  }

  nowMs(): number {
    return this.current;
  }

  after(ms: number, act: () => void): () => void {
    const planned: Planned = { act };
    this.plan.add(this.current + Math.max(ms, 0), planned);
    return () => {
      planned.act = null;
    };
  }

  at(instant: number, act: () => void): void {
    this.after(instant - this.current, act);
  }

  /** Runs until `end`, or until no act is planned any more. Acts that start promises need `runSettled`. */
  runUntil(end: number): void {
    while (this.step(end));
  }

  /** After each act, promises settle as far as they can before the time goes on. Ends early once `isOver`. */
  async runSettled(end: number, isOver: () => boolean): Promise<void> {
    await settled();
    while (!isOver() && this.step(end)) await settled();
  }

  /** False: no act is planned until `end`. */
  private step(end: number): boolean {
    for (let at = this.plan.firstKey; at <= end; at = this.plan.firstKey) {
      const planned = this.plan.take();
      if (planned === undefined) return false;
      if (planned.act === null) continue;
      this.current = at;
      planned.act();
      return true;
    }
    return false;
  }
}

/** Node runs the ticks that callbacks of promises request only after all other callbacks, and those that they cause. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
