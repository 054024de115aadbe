import { setMaxListeners } from 'node:events';

/** A time limit and a signal as one promise, which never rejects. */
export class Deadline {
  readonly passed: Promise<'late' | 'aborted'>;
  isPassed = false;
  readonly sinceMs = performance.now();
  private readonly timer: NodeJS.Timeout;
  private readonly abort: () => void;

  constructor(
    limitMs: number,
    private readonly signal: AbortSignal,
  ) {
    let resolvePassed!: (how: 'late' | 'aborted') => void;
    this.passed = new Promise((resolve) => (resolvePassed = resolve));
    const pass = (how: 'late' | 'aborted'): void => {
      this.isPassed = true;
      resolvePassed(how);
    };
    this.timer = setTimeout(() => pass('late'), limitMs);
    this.abort = () => pass('aborted');
    // Up to 200 deliveries listen to the dispatcher's signal: suppresses Node's warning of a leak.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', this.abort, { once: true });
    if (signal.aborted) this.abort();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener('abort', this.abort);
  }
}
