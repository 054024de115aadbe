import { Logger } from '@nestjs/common';

import type { WakeSignal } from './wake-signal.ts';

const AFTER_FAILURE_FROM_MS = 250;
const AFTER_FAILURE_UP_TO_MS = 5_000;

/**
 * Runs a round again and again, never two at once. A failed round is logged and retried with growing waits. `stop` waits
 * for the running round to end.
 */
export class Loop {
  private readonly log: Logger;
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  private failures = 0;

  constructor(
    private readonly name: string,
    private readonly wakeSignal: WakeSignal,
    /** Does one round and returns the wait until the next; the wake signal ends that wait early. */
    private readonly round: (signal: AbortSignal) => Promise<number>,
  ) {
    this.log = new Logger(name);
  }

  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) await this.wakeSignal.wait(await this.runRound(signal), signal);
  }

  private async runRound(signal: AbortSignal): Promise<number> {
    try {
      const waitMs = await this.round(signal);
      if (this.failures > 0) this.log.log(`${this.name} works again after ${this.failures} failed rounds`);
      this.failures = 0;
      return waitMs;
    } catch (error) {
      this.failures += 1;
      if (this.failures === 1) this.log.warn(`${this.name} failed, trying again: ${reasonOf(error)}`);
      return Math.min(AFTER_FAILURE_FROM_MS * 2 ** (this.failures - 1), AFTER_FAILURE_UP_TO_MS);
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
