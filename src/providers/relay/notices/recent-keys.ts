const MAX_KEPT = 10_000;
const MAX_KEY_LENGTH = 1_000;

/** Remembers the keys of the last 10,000 handled changes, to skip duplicates. */
export class RecentKeys {
  private readonly keys = new Set<string>();

  has(key: string): boolean {
    return this.keys.has(key);
  }

  add(key: string): void {
    if (key.length > MAX_KEY_LENGTH) return;
    this.keys.add(key);
    const [oldest] = this.keys;
    if (this.keys.size > MAX_KEPT && oldest !== undefined) this.keys.delete(oldest);
  }
}
