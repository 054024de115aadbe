import type { Clock } from '../ports/clock.ts';

const REMEMBERED_MS = 5_000;
const MAX_REMEMBERED = 1_000;

/** Remembers for a moment which ids the provider did not know, so that asking again and again costs it nothing. */
export class UnknownQuotes {
  private readonly untilMs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  has(quoteId: string): boolean {
    const untilMs = this.untilMs.get(quoteId);
    if (untilMs === undefined) return false;
    if (this.clock.now().getTime() < untilMs) return true;
    this.untilMs.delete(quoteId);
    return false;
  }

  add(quoteId: string): void {
    const [oldest] = this.untilMs.keys();
    if (this.untilMs.size >= MAX_REMEMBERED && oldest !== undefined) this.untilMs.delete(oldest);
    this.untilMs.set(quoteId, this.clock.now().getTime() + REMEMBERED_MS);
  }
}
