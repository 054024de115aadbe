import { Logger } from '@nestjs/common';

import type { Timers } from '../../ports/timers.ts';
import { sleep, SYSTEM_TIMERS } from './system-timers.ts';

const MAX_BATCH = 100;
const GATHER_MS = 3;
/** The longest wait for more items, and the size of a group that waits no longer. */
export interface Gathering {
  readonly gatherMs: number;
  readonly maxBatch: number;
  /** True: each group is gathered; false: what came while a group was committed is committed at once. */
  readonly isPatient: boolean;
}

const PROMPT: Gathering = { gatherMs: GATHER_MS, maxBatch: MAX_BATCH, isPatient: false };
const RETRY_FROM_MS = 100;
const RETRY_UP_TO_MS = 2_000;

interface Waiting<Item> {
  readonly item: Item;
  readonly since: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Commits items in groups: items added within a few milliseconds share a transaction. A group is retried while the
 * database is unavailable, so that no item is lost. When a group fails for good, each item is committed on its own and
 * only the faulty item fails.
 */
export class Batcher<Item> {
  private readonly log: Logger;
  private readonly stopping = new AbortController();
  private waiting: Waiting<Item>[] = [];
  private running: Promise<void> | null = null;
  /** When the oldest item of the group being committed was added. */
  private groupSince: number | null = null;
  private isDraining = false;

  constructor(
    name: string,
    private readonly commit: (items: readonly Item[]) => Promise<void>,
    private readonly isTransient: (error: unknown) => boolean,
    private readonly timers: Timers = SYSTEM_TIMERS,
    private readonly gathering: Gathering = PROMPT,
  ) {
    this.log = new Logger(name);
  }

  /**
   * How long the oldest uncommitted item waits, a patient gathering not counted. A producer reads it to stop claiming while the
   * database falls behind.
   */
  get waitedMs(): number {
    const since = this.groupSince ?? this.waiting[0]?.since;
    if (since === undefined) return 0;
    const { gatherMs, isPatient } = this.gathering;
    return Math.max(this.timers.nowMs() - since - (isPatient ? gatherMs : 0), 0);
  }

  /** Resolves once the item is committed; rejects when its commit fails for good. */
  add(item: Item): Promise<void> {
    const since = this.timers.nowMs();
    const committed = new Promise<void>((done, failed) => this.waiting.push({ item, since, done, failed }));
    this.running ??= this.run();
    return committed;
  }

  /** Commits all pending items. After `giveUpMs` it stops retrying, and the items that are left fail. */
  async drain(giveUpMs: number): Promise<void> {
    this.isDraining = true;
    const cancel = this.timers.after(giveUpMs, () => this.stopping.abort());
    await this.running;
    cancel();
  }

  private async run(): Promise<void> {
    const { gatherMs, maxBatch, isPatient } = this.gathering;
    await sleep(this.timers, gatherMs);
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, maxBatch);
      this.groupSince = group[0]?.since ?? null;
      await this.commitGroup(group);
      this.groupSince = null;
      if (isPatient && this.waiting.length < maxBatch && !this.isDraining) await sleep(this.timers, gatherMs);
    }
    this.running = null;
  }

  private async commitGroup(group: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.commitPatiently(group.map(({ item }) => item));
      for (const { done } of group) done();
    } catch (error) {
      if (group.length === 1) return group[0]?.failed(error);
      for (const one of group) await this.commitGroup([one]);
    }
  }

  private async commitPatiently(items: readonly Item[]): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await this.commit(items);
        if (failures > 1) this.log.log(`committed ${items.length} after ${failures} attempts`);
        return;
      } catch (error) {
        if (!this.isTransient(error) || this.stopping.signal.aborted) throw error;
        if (failures === 1)
          this.log.warn(`${items.length} wait to be committed: ${(error as Error).message}`);
        const waitMs = Math.min(RETRY_FROM_MS * 2 ** (failures - 1), RETRY_UP_TO_MS);
        await sleep(this.timers, waitMs, this.stopping.signal);
      }
    }
  }
}
