/** Wakes a waiting loop of the same process: a ring while nobody waits is kept for the next wait. */
export class WakeSignal {
  /** When the loop is to wake at the latest; in the past once the bell was rung. */
  private wakeAt = Number.POSITIVE_INFINITY;
  private rearm: (() => void) | null = null;

  wake(): void {
    this.wakeIn(0);
  }

  /** Rings after `ms`, unless the loop wakes before by itself. */
  wakeIn(ms: number): void {
    const at = performance.now() + ms;
    if (at >= this.wakeAt) return;
    this.wakeAt = at;
    this.rearm?.();
  }

  /**
   * Resolves at the next ring, after `ms`, or when aborted, whichever comes first; true if it was rung. One loop waits
   * on one bell.
   */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    const endsAt = performance.now() + ms;
    this.wakeAt = Math.min(this.wakeAt, endsAt);
    if (!signal.aborted && this.wakeAt > performance.now()) await this.sleep(signal);
    const isWoken = this.wakeAt < endsAt;
    this.wakeAt = Number.POSITIVE_INFINITY;
    return isWoken;
  }

  private sleep(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.rearm = null;
        resolve();
      };
      this.rearm = () => {
        clearTimeout(timer);
        timer = setTimeout(done, Math.max(this.wakeAt - performance.now(), 0));
      };
      signal.addEventListener('abort', done, { once: true });
      this.rearm();
    });
  }
}

/** Rings when a payment becomes due. */
export class DueSignal extends WakeSignal {}

/** Rings when a recovery begins. */
export class ReplaySignal extends WakeSignal {}

/** Ring when events were recorded: one for each kind of destination, and one for the streams. */
export class DeliverySignals {
  readonly webhook = new WakeSignal();
  readonly rabbitmq = new WakeSignal();
  readonly streams = new WakeSignal();

  wake(): void {
    this.webhook.wake();
    this.rabbitmq.wake();
    this.streams.wake();
  }
}
