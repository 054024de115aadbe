/** Wakes a waiting loop of the same process: a ring while nobody waits is kept for the next wait. */
export class Bell {
  /** When the loop is to wake at the latest; in the past once the bell was rung. */
  private wakeAt = Number.POSITIVE_INFINITY;
  private rearm: (() => void) | null = null;

  ring(): void {
    this.ringIn(0);
  }

  /** Rings after `ms`, unless the loop wakes before by itself. */
  ringIn(ms: number): void {
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
    const isRung = this.wakeAt < endsAt;
    this.wakeAt = Number.POSITIVE_INFINITY;
    return isRung;
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
export class DueBell extends Bell {}

/** Rings when a recovery begins. */
export class RecoveryBell extends Bell {}

/** Ring when events were recorded: one for each kind of destination, and one for the streams. */
export class OwedBells {
  readonly webhook = new Bell();
  readonly rabbitmq = new Bell();
  readonly streams = new Bell();

  ring(): void {
    this.webhook.ring();
    this.rabbitmq.ring();
    this.streams.ring();
  }
}
