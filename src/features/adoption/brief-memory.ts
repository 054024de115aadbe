import type { Clock } from '../../ports/clock.ts';

const REMEMBERED_MS = 5_000;

/** Remembers for a moment what the provider said, so that asking again and again costs it nothing. */
export class BriefMemory<Value> {
  private readonly kept = new Map<string, { readonly value: Value; readonly untilMs: number }>();

  constructor(
    private readonly clock: Clock,
    private readonly maxKept: number,
  ) {}

  get(quoteId: string): Value | undefined {
    const found = this.kept.get(quoteId);
    if (found === undefined || this.clock.now().getTime() < found.untilMs) return found?.value;
    this.kept.delete(quoteId);
    return undefined;
  }

  set(quoteId: string, value: Value): void {
    const [oldest] = this.kept.keys();
    if (this.kept.size >= this.maxKept && oldest !== undefined) this.kept.delete(oldest);
    this.kept.set(quoteId, { value, untilMs: this.clock.now().getTime() + REMEMBERED_MS });
  }
}
