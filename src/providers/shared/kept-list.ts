import { Logger } from '@nestjs/common';

import type { Timers } from '../../ports/timers.ts';
import { SharedWork } from '../../platform/scheduling/shared-work.ts';

/** After a failed read, the stale list is served for this time, so that not every quote waits for the provider's time-out. */
const AFTER_FAILURE_MS = 10_000;

/** Keeps a provider's list: reads it again once it is older than `freshMs`, and serves it stale while the provider fails. */
export class KeptList<T> {
  private readonly log = new Logger('Provider');
  private readonly reads = new SharedWork<T>();
  private known: { readonly list: T; readonly readAtMs: number } | null = null;
  private failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    /** The list's name in the log, such as `Relay's chains`. */
    private readonly words: string,
    private readonly freshMs: number,
    private readonly fetch: () => Promise<T>,
    private readonly timers: Timers,
  ) {}

  /** Throws the provider's errors if no list was ever read. */
  async get(): Promise<T> {
    if (this.known !== null && this.isUsable(this.known.readAtMs)) return this.known.list;
    try {
      return await this.reads.run('list', () => this.read());
    } catch (error) {
      if (this.known === null) throw error;
      return this.known.list;
    }
  }

  /** Reads the list now. Throws the provider's errors, from which a watcher of the provider learns. */
  async readAgain(): Promise<T> {
    return this.reads.run('list', () => this.read());
  }

  private isUsable(readAtMs: number): boolean {
    const nowMs = this.timers.nowMs();
    return nowMs - readAtMs < this.freshMs || nowMs - this.failedAtMs < AFTER_FAILURE_MS;
  }

  private async read(): Promise<T> {
    try {
      const list = await this.fetch();
      this.known = { list, readAtMs: this.timers.nowMs() };
      this.failedAtMs = Number.NEGATIVE_INFINITY;
      return list;
    } catch (error) {
      const isNew = this.failedAtMs === Number.NEGATIVE_INFINITY;
      this.failedAtMs = this.timers.nowMs();
      if (isNew) this.log.warn(`${this.words} could not be read: ${(error as Error).message}`);
      throw error;
    }
  }
}
