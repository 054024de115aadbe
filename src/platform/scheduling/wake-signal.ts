import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from './system-timers.ts';

/** Wakes a waiting loop of this process. A wake that comes while no loop waits ends the next wait at once. */
export class WakeSignal {
  /** When the loop wakes at the latest; in the past once `wake` was called. */
  private wakeAt = Number.POSITIVE_INFINITY;
  private rearm: (() => void) | null = null;

  constructor(private readonly timers: Timers = SYSTEM_TIMERS) {}

  wake(): void {
    this.wakeIn(0);
  }

  /** Wakes the loop after `ms`, unless its wait ends earlier. */
  wakeIn(ms: number): void {
    const at = this.timers.nowMs() + ms;
    if (at >= this.wakeAt) return;
    this.wakeAt = at;
    this.rearm?.();
  }

  /**
   * Resolves at the next wake, after `ms`, or when aborted, whichever is first; true for a wake. Only one loop may wait on a
   * signal.
   */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    const endsAt = this.timers.nowMs() + ms;
    this.wakeAt = Math.min(this.wakeAt, endsAt);
    if (!signal.aborted && this.wakeAt > this.timers.nowMs()) await this.sleep(signal);
    const isWoken = this.wakeAt < endsAt;
    this.wakeAt = Number.POSITIVE_INFINITY;
    return isWoken;
  }

  private sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let cancel: (() => void) | undefined;
      const done = (): void => {
        cancel?.();
        signal.removeEventListener('abort', done);
        this.rearm = null;
        resolve();
      };
      this.rearm = () => {
        cancel?.();
        cancel = this.timers.after(Math.max(this.wakeAt - this.timers.nowMs(), 0), done);
      };
      signal.addEventListener('abort', done, { once: true });
      this.rearm();
    });
  }
}

/** Wakes the tracker of each provider when one of its payments becomes due. */
export class DueSignals {
  private readonly signals = new Map<string, WakeSignal>();

  of(provider: string): WakeSignal {
    const signal = this.signals.get(provider) ?? new WakeSignal();
    this.signals.set(provider, signal);
    return signal;
  }
}

/** Wakes the replay worker when a replay is created. */
export class ReplaySignal extends WakeSignal {}

/** Wakes the witness when a report that says COMPLETED is stored. */
export class ProofSignal extends WakeSignal {}
