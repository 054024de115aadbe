import { setMaxListeners } from 'node:events';

/** A time limit and a signal as one promise, which never rejects. */
export class Deadline {
  readonly passed: Promise<'late' | 'aborted'>;
  private readonly timer: NodeJS.Timeout;
  private readonly abort: () => void;

  constructor(
    limitMs: number,
    private readonly signal: AbortSignal,
  ) {
    let notify!: (how: 'late' | 'aborted') => void;
    this.passed = new Promise((resolve) => (notify = resolve));
    this.timer = setTimeout(() => notify('late'), limitMs);
    this.abort = () => notify('aborted');
    // A whole window of deliveries waits on the dispatcher's one signal: no leak, and no warning of one.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', this.abort, { once: true });
    if (signal.aborted) this.abort();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener('abort', this.abort);
  }
}
