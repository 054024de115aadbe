import { matchOf } from './deposit-match.ts';
import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';
import { phaseOf } from './request-phase.ts';
import { onRoute } from './routed-request.ts';
import { unavailable, unreadable, type NoAnswer, type StatusPage } from './status-page.ts';
import { isNoAnswer, StatusPages, type Reach } from './status-pages.ts';
import type { StatusQueries } from './status-queries.ts';
import { rowsOfQuotes, type RowsOfQuotes } from './status-rows.ts';

/** All of Relay's requests on one quote, or the reason why they are unknown. */
export type Found = { readonly kind: 'rows'; readonly rows: readonly RelayRequest[] } | NoAnswer;

/** The most rounds of address queries for one batch, when its addresses are flooded with deposits. */
const MAX_ROUNDS = 3;
/** With a filter for these statuses, many small refunds cannot hide a payment that is in progress or done. */
const LIVE_STATUSES = ['success', 'pending', 'depositing'];
/** The most successors in a chain, in which each successor may have a further one. */
const MAX_HOPS = 3;
/** The most queries for one step to successors in the form `single`, where each query names one request. */
const MAX_SINGLES = 5;
const FLOODED = 'more deposits than can be read';
const SUCCESSOR_UNREAD = 'the successor of its request could not be read';

/**
 * Reads Relay's requests on the addresses of a batch of quotes. A quote that could not be read gets NoAnswer, never "no
 * deposit".
 */
export class StatusBatch {
  private readonly rows: RelayRequest[] = [];
  private readonly found = new Map<string, Found>();
  private sorted: RowsOfQuotes = { byQuote: new Map(), isUnclear: false };
  private isUnclear = false;
  private readonly pages: StatusPages;

  constructor(
    private readonly queries: StatusQueries,
    private readonly quotes: readonly RelayQuote[],
    onSent?: () => void,
  ) {
    this.pages = new StatusPages(queries, (page) => this.addPage(page), onSent);
  }

  /** The number of requests that were sent. */
  get requests(): number {
    return this.pages.requests;
  }

  /** Calls `onFound` exactly once for each quote, as soon as its result is known. */
  async read(onFound: (quote: RelayQuote, found: Found) => void): Promise<void> {
    await this.readAddresses();
    const later = new Set(this.unseenSuccessorsExcept(new Set()).values());
    const report = (quotes: readonly RelayQuote[]): void => {
      for (const quote of quotes) onFound(quote, this.found.get(quote.quoteId) ?? unreadable());
    };
    report(this.quotes.filter(({ quoteId }) => !later.has(quoteId)));
    if (later.size === 0) return;
    await this.readSuccessors();
    report(this.quotes.filter(({ quoteId }) => later.has(quoteId)));
  }

  private async readAddresses(): Promise<void> {
    let open = this.quotes;
    const crowded: RelayQuote[] = [];
    for (let round = 1; round <= MAX_ROUNDS && open.length > 0; round += 1) {
      const reach = await this.queryAddresses(open);
      if (reach === 'whole') {
        this.settle(open);
        open = [];
      } else if (isNoAnswer(reach)) {
        this.giveUp(this.quotes, reach);
        return;
      } else {
        // The rows of some addresses have filled all pages: queries the others without them.
        const unseen = open.filter((quote) => this.rowsOf(quote).length === 0);
        crowded.push(...open.filter((quote) => !unseen.includes(quote)));
        // No row belongs to these quotes: Relay ignores the filter, and another round would return the same rows.
        if (unseen.length === open.length) break;
        open = unseen;
      }
    }
    await this.readLiveStatuses(crowded, open);
  }

  /** A successor may have another deposit address, or none, so it is queried by its id. */
  private async readSuccessors(): Promise<void> {
    const [asked, answered] = [new Set<string>(), new Set<string>()];
    for (let hop = 1; hop <= MAX_HOPS; hop += 1) {
      const values = [...this.unseenSuccessorsExcept(asked).keys()];
      if (values.length === 0) break;
      for (const part of this.queries.splitOf({ by: 'id', values }).slice(0, MAX_SINGLES)) {
        const isAnswered = !isNoAnswer(await this.pages.readAll(part));
        for (const id of part.values) {
          asked.add(id);
          if (isAnswered) answered.add(id);
        }
      }
    }
    // While the successor is unseen, it is not known whether there was a deposit.
    const left = new Set(this.unseenSuccessorsExcept(answered).values());
    for (const quoteId of left) this.found.set(quoteId, unavailable(SUCCESSOR_UNREAD, 200));
    const followed = this.quotes.filter(({ quoteId }) => this.found.get(quoteId)?.kind === 'rows');
    this.settle(followed);
  }

  private unseenSuccessorsExcept(asked: ReadonlySet<string>): ReadonlyMap<string, string> {
    const known = this.quotes.filter(({ quoteId }) => this.found.get(quoteId)?.kind === 'rows');
    const unseen = unseenSuccessors(known, (quote) => this.rowsOf(quote));
    return new Map([...unseen].filter(([id]) => !asked.has(id)));
  }

  /**
   * Queries only the live statuses of addresses with too many rows, and of those that no page has reached: they may have been
   * paid.
   */
  private async readLiveStatuses(
    crowded: readonly RelayQuote[],
    unseen: readonly RelayQuote[],
  ): Promise<void> {
    const undecided = [...crowded.filter((quote) => !this.isCompleted(quote)), ...unseen];
    const reach = undecided.length === 0 ? 'whole' : await this.queryAddresses(undecided, LIVE_STATUSES);
    if (reach === 'whole')
      this.settle([...crowded, ...unseen.filter((quote) => this.rowsOf(quote).length > 0)]);
    this.giveUp([...crowded, ...unseen], isNoAnswer(reach) ? reach : unavailable(FLOODED, 200));
  }

  private queryAddresses(
    quotes: readonly RelayQuote[],
    statuses: readonly string[] | null = null,
  ): Promise<Reach> {
    const addresses = new Set(quotes.map(({ depositAddress }) => depositAddress));
    return this.pages.readAll({ by: 'depositAddress', values: [...addresses] }, statuses);
  }

  private addPage({ rows, isUnclear }: StatusPage): void {
    this.rows.push(...rows);
    this.isUnclear ||= isUnclear;
    this.sorted = rowsOfQuotes(this.quotes, this.rows);
  }

  private settle(quotes: readonly RelayQuote[]): void {
    const isUnclear = this.isUnclear || this.sorted.isUnclear;
    for (const quote of quotes) {
      const rows = this.rowsOf(quote);
      const isHidden =
        (rows.length === 0 && isUnclear) ||
        (rows.some(({ status }) => status === '') && !this.isCompleted(quote));
      this.found.set(quote.quoteId, isHidden ? unreadable() : { kind: 'rows', rows });
    }
  }

  /** Settles quotes that have a success; the other quotes without a result get `noAnswer`. */
  private giveUp(quotes: readonly RelayQuote[], noAnswer: NoAnswer): void {
    this.settle(quotes.filter((quote) => this.isCompleted(quote)));
    for (const { quoteId } of quotes) {
      if (!this.found.has(quoteId)) this.found.set(quoteId, noAnswer);
    }
  }

  private isCompleted(quote: RelayQuote): boolean {
    return this.rowsOf(quote).some((row) => phaseOf(onRoute(quote, row)) === 'completed');
  }

  private rowsOf({ quoteId }: RelayQuote): readonly RelayRequest[] {
    return this.sorted.byQuote.get(quoteId) ?? [];
  }
}

/** The ids of successors that are missing among their quote's rows, with the quote's id. A paid quote has no successors. */
function unseenSuccessors(
  quotes: readonly RelayQuote[],
  rowsOf: (quote: RelayQuote) => readonly RelayRequest[],
): ReadonlyMap<string, string> {
  const own = new Set(quotes.map(({ requestId }) => requestId));
  const unseen = new Map<string, string>();
  for (const quote of quotes) {
    const rows = rowsOf(quote);
    if (rows.some((row) => isPaid(quote, row))) continue;
    const ids = new Set(rows.map(({ id }) => id));
    for (const { supersededBy: next } of rows)
      if (next !== null && !ids.has(next) && !own.has(next)) unseen.set(next, quote.quoteId);
  }
  return unseen;
}

/** Delivered dust on the same address is not the payment. */
function isPaid(quote: RelayQuote, row: RelayRequest): boolean {
  return phaseOf(onRoute(quote, row)) === 'completed' && matchOf(quote, row.deposited) !== 'underpaid';
}
