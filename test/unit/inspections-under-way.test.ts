import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';

import { InspectionsUnderWay } from '../../src/features/proof/inspections-under-way.ts';
import { Timers } from '../../src/ports/timers.ts';

/** Timers that the test lets ring. */
class HeldTimers extends Timers {
  readonly waiting = new Map<() => void, number>();

  nowMs(): number {
    return 0;
  }

  after(ms: number, act: () => void): () => void {
    this.waiting.set(act, ms);
    return () => void this.waiting.delete(act);
  }
}

class LinesLogger extends Logger {
  readonly lines: unknown[] = [];
  override warn(line: unknown): void {
    this.lines.push(line);
  }
  override error(line: unknown): void {
    this.lines.push(line);
  }
}

/** An inspection that ends when the test says. */
function heldInspection(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let [resolve, reject]: [() => void, (error: Error) => void] = [() => undefined, () => undefined];
  const promise = new Promise<void>((...ends) => ([resolve, reject] = ends));
  return { promise, resolve, reject };
}

describe('inspections under way', () => {
  it('are waited for when the service stops', async () => {
    const timers = new HeldTimers();
    const inspections = new InspectionsUnderWay(2, () => undefined, new LinesLogger(), timers);
    const inspection = heldInspection();
    inspections.start('q-1', () => inspection.promise);
    const drained = inspections.drain();
    inspection.resolve();
    await drained;
    expect(timers.waiting.size).toBe(0);
  });

  it('hold no shutdown longer than its deadline, and say nothing of what they can not store then', async () => {
    const timers = new HeldTimers();
    const log = new LinesLogger();
    const inspections = new InspectionsUnderWay(2, () => undefined, log, timers);
    const inspection = heldInspection();
    inspections.start('q-1', () => inspection.promise);
    const drained = inspections.drain();
    expect([...timers.waiting.values()]).toEqual([7_500]);
    for (const ring of timers.waiting.keys()) ring();
    await drained;
    inspection.reject(new Error('the database is closed'));
    await new Promise(setImmediate);
    expect(log.lines).toEqual([]);
  });
});
