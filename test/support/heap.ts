interface Entry<T> {
  readonly key: number;
  readonly order: number;
  readonly value: T;
}

/** A binary heap: the lowest key comes first; of equal keys, the one that was added first. */
export class Heap<T> {
  private readonly entries: Entry<T>[] = [];
  private added = 0;

  get firstKey(): number {
    return this.entries[0]?.key ?? Number.POSITIVE_INFINITY;
  }

  add(key: number, value: T): void {
    const entry = { key, order: this.added++, value };
    let at = this.entries.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.entries[above] as Entry<T>;
      if (!isBefore(entry, parent)) break;
      this.entries[at] = parent;
      at = above;
    }
    this.entries[at] = entry;
  }

  peek(): T | undefined {
    return this.entries[0]?.value;
  }

  take(): T | undefined {
    const first = this.entries[0];
    const last = this.entries.pop();
    if (last !== undefined && this.entries.length > 0) this.sink(last);
    return first?.value;
  }

  count(isCounted: (value: T) => boolean): number {
    return this.entries.reduce((sum, { value }) => sum + (isCounted(value) ? 1 : 0), 0);
  }

  private sink(entry: Entry<T>): void {
    const { entries } = this;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [a, b] = [entries[left], entries[left + 1]];
      if (a === undefined) break;
      const isRight = b !== undefined && isBefore(b, a);
      const child = isRight ? b : a;
      if (!isBefore(child, entry)) break;
      entries[at] = child;
      at = isRight ? left + 1 : left;
    }
    entries[at] = entry;
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.key < b.key || (a.key === b.key && a.order < b.order);
}
