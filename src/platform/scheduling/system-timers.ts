import { Timers } from '../../ports/timers.ts';

/** The timers of Node. */
class SystemTimers extends Timers {
  nowMs(): number {
    return performance.now();
  }

  after(ms: number, act: () => void): () => void {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  }
}

export const SYSTEM_TIMERS: Timers = new SystemTimers();

/** Resolves after `ms`, or when aborted. */
export function sleep(timers: Timers, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = timers.after(ms, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
