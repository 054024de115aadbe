import { setImmediate as nextTurn } from 'node:timers/promises';

import { Logger } from '@nestjs/common';

import type { Timers } from '../../ports/timers.ts';
import { sleep, SYSTEM_TIMERS } from './system-timers.ts';

/** How items are grouped, and how a failed group is handled. */
export interface BatchPolicy<Item> {
  readonly maxBatch: number;
  /** How long a group waits for more items; 0: it takes only the items that the process reads in one turn. */
  readonly gatherMs: number;
  /** True: each group waits for more items; false: items that came during a commit are committed at once. */
  readonly isPatient?: boolean;
  /**
   * If a group takes longer than this, or its items are tried one by one, the next group begins beside it. Unset: the next
   * group waits.
   */
  readonly nextAfterMs?: number;
  /** Two items with the same key are never in one group: the second waits for the next. */
  readonly keyOf?: (item: Item) => string;
  /** True for an error after which a group is retried until `drain` gives up. */
  readonly isTransient?: (error: unknown) => boolean;
  /** True for an error after which every item of a group fails; after any other error each item is tried alone. */
  readonly failsAll?: (error: unknown) => boolean;
  /** The name in the log. */
  readonly name?: string;
  readonly timers?: Timers;
}

/** The settings for results that must not be lost: no caller waits for them, so that a group may wait a little. */
export const RESULTS = { maxBatch: 100, gatherMs: 3 } as const;
/** The settings for requests whose callers wait: a single request waits neither for others nor for a slow group. */
export const REQUESTS = { maxBatch: 50, gatherMs: 0, nextAfterMs: 500 } as const;

const RETRY_FROM_MS = 100;
const RETRY_UP_TO_MS = 2_000;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly since: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Commits items in groups, one group after the other. When a group fails, only its faulty items fail. */
export class Batcher<Item, Result = void> {
  private readonly log: Logger;
  private readonly timers: Timers;
  private readonly stopping = new AbortController();
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | null = null;
  /** When the oldest item of the group that is being committed was added. */
  private groupSince: number | null = null;
  private isDraining = false;

  /** `commit` returns a result for each item, in their order. */
  constructor(
    private readonly commit: (items: readonly Item[]) => Promise<readonly Result[] | void>,
    private readonly policy: BatchPolicy<Item>,
  ) {
    this.log = new Logger(policy.name ?? Batcher.name);
    this.timers = policy.timers ?? SYSTEM_TIMERS;
  }

  /**
   * How long the oldest uncommitted item has waited; a patient gathering does not count. Producers read it to stop claiming
   * while the database falls behind.
   */
  get waitedMs(): number {
    const since = this.groupSince ?? this.waiting[0]?.since;
    if (since === undefined) return 0;
    const { gatherMs, isPatient } = this.policy;
    return Math.max(this.timers.nowMs() - since - (isPatient === true ? gatherMs : 0), 0);
  }

  /** Resolves to the item's result once it is committed; rejects when its commit fails for good. */
  add(item: Item): Promise<Result> {
    const since = this.timers.nowMs();
    const committed = new Promise<Result>((resolve, reject) =>
      this.waiting.push({ item, since, resolve, reject }),
    );
    this.running ??= this.run();
    return committed;
  }

  /** Commits all pending items. After `giveUpMs` it stops retrying, and the remaining items fail. */
  async drain(giveUpMs: number): Promise<void> {
    this.isDraining = true;
    const cancel = this.timers.after(giveUpMs, () => this.stopping.abort());
    await this.running;
    cancel();
  }

  private async run(): Promise<void> {
    const { maxBatch, isPatient } = this.policy;
    await this.gather();
    while (this.waiting.length > 0) {
      const group = this.nextGroup();
      this.groupSince = group[0]?.since ?? null;
      await this.settledOrLate(group);
      this.groupSince = null;
      if (isPatient === true && this.waiting.length < maxBatch && !this.isDraining) await this.gather();
    }
    this.running = null;
  }

  private gather(): Promise<unknown> {
    const { gatherMs } = this.policy;
    return gatherMs === 0 ? nextTurn() : sleep(this.timers, gatherMs);
  }

  private nextGroup(): Waiting<Item, Result>[] {
    const { keyOf, maxBatch } = this.policy;
    if (keyOf === undefined) return this.waiting.splice(0, maxBatch);
    const keys = new Set<string>();
    const group: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    for (const each of this.waiting) {
      const key = keyOf(each.item);
      const isNext = group.length < maxBatch && !keys.has(key);
      (isNext ? group : later).push(each);
      if (isNext) keys.add(key);
    }
    this.waiting = later;
    return group;
  }

  private settledOrLate(group: readonly Waiting<Item, Result>[]): Promise<void> {
    const { nextAfterMs } = this.policy;
    if (nextAfterMs === undefined) return this.settle(group);
    return new Promise((resolve) => {
      const cancel = this.timers.after(nextAfterMs, resolve);
      void this.settle(group).finally(() => {
        cancel();
        resolve();
      });
    });
  }

  private async settle(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.commitPatiently(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results?.[index] as Result);
    } catch (error) {
      if (group.length === 1 || this.policy.failsAll?.(error) === true)
        for (const { reject } of group) reject(error);
      else await this.settleAlone(group);
    }
  }

  private async settleAlone(group: readonly Waiting<Item, Result>[]): Promise<void> {
    const settled = Promise.all(group.map((one) => this.settle([one])));
    if (this.policy.nextAfterMs === undefined) await settled;
  }

  private async commitPatiently(items: readonly Item[]): Promise<readonly Result[] | void> {
    for (let failures = 0; ; failures += 1) {
      try {
        const results = await this.commit(items);
        if (failures > 0) this.log.log(`committed ${items.length} after ${failures + 1} attempts`);
        return results;
      } catch (error) {
        if (this.policy.isTransient?.(error) !== true || this.stopping.signal.aborted) throw error;
        if (failures === 0)
          this.log.warn(`${items.length} wait to be committed: ${(error as Error).message}`);
        const waitMs = Math.min(RETRY_FROM_MS * 2 ** failures, RETRY_UP_TO_MS);
        await sleep(this.timers, waitMs, this.stopping.signal);
      }
    }
  }
}
