import { expect } from '@jest/globals';

const GRACE_MS = 250;

/**
 * Expects `work` to end within the time-out and a little. It is measured against a timer of this process that is set
 * at the same time, so that a machine that is busy delays both alike.
 */
export async function withinDeadline<Value>(timeoutMs: number, work: () => Promise<Value>): Promise<Value> {
  let dueAt = Infinity;
  const timer = setTimeout(() => (dueAt = performance.now()), timeoutMs);
  try {
    const value = await work();
    const endedAt = performance.now();
    expect(endedAt - Math.min(dueAt, endedAt)).toBeLessThan(GRACE_MS);
    return value;
  } finally {
    clearTimeout(timer);
  }
}
