import type { Timers } from '../../ports/timers.ts';

const REMEMBERED_MS = 5_000;

/** Caches the provider's answers for a few seconds, so that repeated requests of a client cost the provider nothing. */
export class ShortCache<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly untilMs: number }>();

  constructor(
    private readonly timers: Timers,
    private readonly maxEntries: number,
  ) {}

  get(quoteId: string): Value | undefined {
    const found = this.entries.get(quoteId);
    if (found === undefined || this.timers.nowMs() < found.untilMs) return found?.value;
    this.entries.delete(quoteId);
    return undefined;
  }

  set(quoteId: string, value: Value): void {
    const [oldest] = this.entries.keys();
    if (this.entries.size >= this.maxEntries && oldest !== undefined) this.entries.delete(oldest);
    this.entries.set(quoteId, { value, untilMs: this.timers.nowMs() + REMEMBERED_MS });
  }
}
