import { setTimeout as sleep } from 'node:timers/promises';

import { Logger } from '@nestjs/common';

const MAX_BATCH = 100;
const GATHER_MS = 3;
const RETRY_FROM_MS = 100;
const RETRY_UP_TO_MS = 2_000;

interface Waiting<Item> {
  readonly item: Item;
  readonly since: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Commits items in groups: what comes within a few milliseconds shares a transaction. A passing fault is waited out,
 * so that nothing is lost while the database is away; an item that fails alone fails alone.
 */
export class Batcher<Item> {
  private readonly log: Logger;
  private readonly stopping = new AbortController();
  private waiting: Waiting<Item>[] = [];
  private running: Promise<void> | null = null;
  /** Since when the oldest item of the group waits that is being committed. */
  private groupSince: number | null = null;

  constructor(
    name: string,
    private readonly commit: (items: readonly Item[]) => Promise<void>,
    private readonly isPassing: (error: unknown) => boolean,
  ) {
    this.log = new Logger(name);
  }

  /** How long the oldest uncommitted item waits: whoever makes more of them must not run ahead of the database. */
  get waitedMs(): number {
    const since = this.groupSince ?? this.waiting[0]?.since;
    return since === undefined ? 0 : performance.now() - since;
  }

  /** Settles once the item is committed, or has failed for good. */
  add(item: Item): Promise<void> {
    const since = performance.now();
    const committed = new Promise<void>((done, failed) => this.waiting.push({ item, since, done, failed }));
    this.running ??= this.run();
    return committed;
  }

  /** Commits what waits; after `giveUpMs` of a fault that does not pass, the rest fails. */
  async drain(giveUpMs: number): Promise<void> {
    const timer = setTimeout(() => this.stopping.abort(), giveUpMs);
    await this.running;
    clearTimeout(timer);
  }

  private async run(): Promise<void> {
    await sleep(GATHER_MS);
    while (this.waiting.length > 0) {
      const group = this.waiting.splice(0, MAX_BATCH);
      this.groupSince = group[0]?.since ?? null;
      await this.commitGroup(group);
    }
    this.groupSince = null;
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
        if (!this.isPassing(error) || this.stopping.signal.aborted) throw error;
        if (failures === 1)
          this.log.warn(`${items.length} wait to be committed: ${(error as Error).message}`);
        await this.pause(Math.min(RETRY_FROM_MS * 2 ** (failures - 1), RETRY_UP_TO_MS));
      }
    }
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
