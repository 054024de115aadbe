import type { Timers } from '../../ports/timers.ts';
import { SYSTEM_TIMERS } from './system-timers.ts';

const MAX_GROUP = 50;
/** A group that takes longer waits for a lock, or for a server that does not answer: the next one begins beside it. */
const NEXT_AFTER_MS = 500;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export interface GroupRules<Item> {
  /** Whether an error is that of every item, such as a database that is away; else each item is tried alone. */
  readonly failsAll: (error: unknown) => boolean;
  /** No two items of one key are in a group: the second one is in the next. */
  readonly keyOf?: (item: Item) => string;
}

/**
 * Does what is asked for at once in one go. A group is what came while the one before was done, for half a second at most; one
 * that comes alone waits for nobody. When a group fails, each of its items is tried alone, beside the next group: only the
 * faulty one fails.
 */
export class Groups<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private isRunning = false;

  /** `work` answers a result for each item, in their order. */
  constructor(
    private readonly work: (items: readonly Item[]) => Promise<readonly Result[]>,
    private readonly rules: GroupRules<Item>,
    private readonly timers: Timers = SYSTEM_TIMERS,
  ) {}

  /** Throws what `work` throws for a group of this item, or for one that fails as a whole. */
  add(item: Item): Promise<Result> {
    const done = new Promise<Result>((resolve, reject) => this.waiting.push({ item, resolve, reject }));
    if (!this.isRunning) {
      this.isRunning = true;
      // What the process has read at once from several connections is one group.
      setImmediate(() => void this.run());
    }
    return done;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) await this.settledOrLate(this.next());
    this.isRunning = false;
  }

  private settledOrLate(group: readonly Waiting<Item, Result>[]): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.timers.after(NEXT_AFTER_MS, resolve);
      void this.settle(group).finally(() => {
        cancel();
        resolve();
      });
    });
  }

  private next(): Waiting<Item, Result>[] {
    const { keyOf } = this.rules;
    const keys = new Set<string>();
    const group: Waiting<Item, Result>[] = [];
    const later: Waiting<Item, Result>[] = [];
    for (const each of this.waiting) {
      const key = keyOf?.(each.item);
      const isNext = group.length < MAX_GROUP && (key === undefined || !keys.has(key));
      (isNext ? group : later).push(each);
      if (isNext && key !== undefined) keys.add(key);
    }
    this.waiting = later;
    return group;
  }

  private async settle(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.work(group.map(({ item }) => item));
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (group.length > 1 && !this.rules.failsAll(error)) for (const one of group) void this.settle([one]);
      else for (const { reject } of group) reject(error);
    }
  }
}
