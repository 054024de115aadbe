import {
  UnansweredQuotes,
  type StoredUnansweredQuote,
  type UnansweredQuote,
} from '../../../src/ports/unanswered-quotes.ts';

/** Unanswered requests for quotes in memory. */
export class FakeUnansweredQuotes extends UnansweredQuotes {
  all: StoredUnansweredQuote[] = [];
  private added = 0;

  async addQuote(quote: UnansweredQuote): Promise<string> {
    this.added += 1;
    const id = String(this.added);
    this.all.push({ ...quote, id, requestedAt: new Date(), quoteId: null });
    return id;
  }

  async setQuoteId(id: string, quoteId: string): Promise<void> {
    const index = this.all.findIndex((quote) => quote.id === id);
    const quote = this.all[index];
    if (quote !== undefined) this.all[index] = { ...quote, quoteId };
  }

  async list(limit: number): Promise<readonly StoredUnansweredQuote[]> {
    return this.all.toReversed().slice(0, limit);
  }

  async removeBefore(before: Date): Promise<number> {
    const kept = this.all.filter(({ requestedAt }) => requestedAt >= before);
    const removed = this.all.length - kept.length;
    this.all = kept;
    return removed;
  }
}
