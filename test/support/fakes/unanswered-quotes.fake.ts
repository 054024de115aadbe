import { InvalidCursor } from '../../../src/ports/payments.ts';
import {
  type AskedQuote,
  NOT_ENDED,
  type RecentlyUnanswered,
  type UnansweredFilter,
  type UnansweredQuote,
  UnansweredQuotes,
} from '../../../src/ports/unanswered-quotes.ts';
import { UNSAFE } from '../../../src/ports/unfit-quote.ts';

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
    filter: UnansweredFilter,
  ): Promise<{ quotes: readonly UnansweredQuote[]; nextCursor: string | null }> {
    const { limit, cursor, sort } = filter;
    if (cursor !== undefined && !/^\d+$/.test(cursor)) throw new InvalidCursor();
    const sorted = sort === 'oldest' ? this.all : this.all.toReversed();
    const isBehind = (id: string): boolean =>
      sort === 'oldest' ? Number(id) > Number(cursor) : Number(id) < Number(cursor);
    const found = sorted.filter(
      (quote) => (cursor === undefined || isBehind(quote.id)) && fits(quote, filter),
    );
    const last = found.length > limit ? found[limit - 1] : undefined;
    return { quotes: found.slice(0, limit), nextCursor: last?.id ?? null };
  }

  async recent(): Promise<RecentlyUnanswered> {
    const open = this.all.filter(({ quoteId, reason }) => quoteId === null && reason !== NOT_ENDED);
    const names = [...new Set(open.map(({ provider }) => provider))].toSorted();
    return {
      count: open.length,
      isMore: false,
      unfit: open.filter(({ reason }) => reason.startsWith(UNSAFE)).length,
      since: open[0]?.requestedAt ?? null,
      providers: names.map((name) => ({
        provider: name,
        count: open.filter(({ provider }) => provider === name).length,
      })),
    };
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

function fits(quote: UnansweredQuote, filter: UnansweredFilter): boolean {
  const { providers, orderId, isTracked, requestedAfter, requestedBefore } = filter;
  return [
    providers?.includes(quote.provider) ?? true,
    orderId === undefined || quote.orderId === orderId,
    isTracked === undefined || (quote.quoteId !== null) === isTracked,
    requestedAfter === undefined || quote.requestedAt >= requestedAfter,
    requestedBefore === undefined || quote.requestedAt < requestedBefore,
  ].every(Boolean);
}
