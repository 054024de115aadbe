import { InvalidCursor } from '../../../src/ports/payments.ts';
import {
  type AskedQuote,
  NOT_ENDED,
  type UnansweredQuote,
  UnansweredQuotes,
} from '../../../src/ports/unanswered-quotes.ts';

/** Unanswered requests for quotes in memory. */
export class FakeUnansweredQuotes extends UnansweredQuotes {
  all: UnansweredQuote[] = [];
  private added = 0;

  async begin(asked: AskedQuote): Promise<string> {
    this.added += 1;
    const id = String(this.added);
    this.all.push({ ...asked, id, reason: NOT_ENDED, requestedAt: new Date(), quoteId: null });
    return id;
  }

  async fail(id: string, reason: string): Promise<void> {
    this.change(id, { reason });
  }

  async withdraw(id: string): Promise<void> {
    this.all = this.all.filter((quote) => quote.id !== id);
  }

  async setQuoteId(id: string, quoteId: string): Promise<void> {
    this.change(id, { quoteId });
  }

  async list(
    limit: number,
    cursor?: string,
  ): Promise<{ quotes: readonly UnansweredQuote[]; nextCursor: string | null }> {
    if (cursor !== undefined && !/^\d+$/.test(cursor)) throw new InvalidCursor();
    const found = this.all
      .toReversed()
      .filter(({ id }) => cursor === undefined || Number(id) < Number(cursor));
    const last = found.length > limit ? found[limit - 1] : undefined;
    return { quotes: found.slice(0, limit), nextCursor: last?.id ?? null };
  }

  async removeBefore(before: Date): Promise<number> {
    const kept = this.all.filter(({ requestedAt }) => requestedAt >= before);
    const removed = this.all.length - kept.length;
    this.all = kept;
    return removed;
  }

  private change(id: string, change: Partial<UnansweredQuote>): void {
    this.all = this.all.map((quote) => (quote.id === id ? { ...quote, ...change } : quote));
  }
}
