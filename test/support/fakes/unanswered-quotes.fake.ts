import {
  UnansweredQuotes,
  type StoredUnansweredQuote,
  type UnansweredQuote,
} from '../../../src/ports/unanswered-quotes.ts';

/** Unanswered requests for quotes in memory. */
export class FakeUnansweredQuotes extends UnansweredQuotes {
  readonly all: StoredUnansweredQuote[] = [];

  async add(quote: UnansweredQuote): Promise<string> {
    const id = String(this.all.length + 1);
    this.all.push({ ...quote, id, requestedAt: new Date(0), quoteId: null });
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

  async removeBefore(): Promise<number> {
    return 0;
  }
}
