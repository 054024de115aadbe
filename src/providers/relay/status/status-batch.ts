import type { RelayQuote } from '../quote/relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';
import { phaseOf } from './request-phase.ts';
import { unavailable, unreadable, type Silence, type StatusPage } from './status-page.ts';
import { isSilence, StatusPages, type Reach } from './status-pages.ts';
import type { StatusQuestions } from './status-questions.ts';
import { rowsOfQuotes, type RowsOfQuotes } from './status-rows.ts';
import { unseenSuccessors } from './successors.ts';

/** What Relay has on one quote, all of it, or why that is not known. */
export type Found = { readonly kind: 'rows'; readonly rows: readonly RelayRequest[] } | Silence;

/** For one batch, whoever floods its addresses with deposits. */
const MAX_QUESTIONS = 3;
/** What may be under many small refunds: with these alone nobody can hide that a payment is under way, or done. */
const LIVE_STATUSES = ['success', 'pending', 'depositing'];
/** A request that continues another may be continued itself. */
const MAX_HOPS = 3;
/** For one hop, where each is a request of its own. */
const MAX_SINGLES = 5;
const FLOODED = 'more deposits than can be read';
const UNFOLLOWED = 'what continues its request could not be read';

/** Asks what Relay has on the addresses of a batch of quotes. What stays hidden is a silence, never "no deposit". */
export class StatusBatch {
  private readonly rows: RelayRequest[] = [];
  private readonly found = new Map<string, Found>();
  private sorted: RowsOfQuotes = { byQuote: new Map(), isUnclear: false };
  private isUnclear = false;
  private readonly pages: StatusPages;

  constructor(
    private readonly questions: StatusQuestions,
    private readonly quotes: readonly RelayQuote[],
    signal: AbortSignal | undefined,
  ) {
    this.pages = new StatusPages(questions, signal, (page) => this.take(page));
  }

  /** How many requests it took. */
  get requests(): number {
    return this.pages.asked;
  }

  /** Hands over exactly one entry for each quote, as soon as it is known. */
  async read(onFound: (quote: RelayQuote, found: Found) => void): Promise<void> {
    await this.readAddresses();
    const later = new Set(this.unfollowed(new Set()).values());
    const handOver = (quotes: readonly RelayQuote[]): void => {
      for (const quote of quotes) onFound(quote, this.found.get(quote.quoteId) ?? unreadable());
    };
    handOver(this.quotes.filter(({ quoteId }) => !later.has(quoteId)));
    if (later.size === 0) return;
    await this.readSuccessors();
    handOver(this.quotes.filter(({ quoteId }) => later.has(quoteId)));
  }

  private async readAddresses(): Promise<void> {
    let open = this.quotes;
    const crowded: RelayQuote[] = [];
    for (let question = 1; question <= MAX_QUESTIONS && open.length > 0; question += 1) {
      const reach = await this.askOf(open);
      if (reach === 'whole') {
        this.settle(open);
        open = [];
      } else if (isSilence(reach)) {
        this.giveUp(this.quotes, reach);
        return;
      } else {
        // Somebody's rows have filled all the pages: the others are asked for without them.
        const unseen = open.filter((quote) => this.rowsOf(quote).length === 0);
        crowded.push(...open.filter((quote) => !unseen.includes(quote)));
        // Rows of nobody's come again and again where Relay does not heed the question.
        if (unseen.length === open.length) break;
        open = unseen;
      }
    }
    await this.readLive(crowded, open);
  }

  /** What continues a request may be paid to another address, or name none: it is asked for by its id. */
  private async readSuccessors(): Promise<void> {
    const [asked, answered] = [new Set<string>(), new Set<string>()];
    for (let hop = 1; hop <= MAX_HOPS; hop += 1) {
      const values = [...this.unfollowed(asked).keys()];
      if (values.length === 0) break;
      for (const part of this.questions.splitOf({ by: 'id', values }).slice(0, MAX_SINGLES)) {
        const isAnswered = !isSilence(await this.pages.ask(part));
        for (const id of part.values) {
          asked.add(id);
          if (isAnswered) answered.add(id);
        }
      }
    }
    // Without it nobody can say that there was no deposit.
    const left = new Set(this.unfollowed(answered).values());
    for (const quoteId of left) this.found.set(quoteId, unavailable(UNFOLLOWED, 200));
    const followed = this.quotes.filter(({ quoteId }) => this.found.get(quoteId)?.kind === 'rows');
    this.settle(followed);
  }

  private unfollowed(asked: ReadonlySet<string>): ReadonlyMap<string, string> {
    const known = this.quotes.filter(({ quoteId }) => this.found.get(quoteId)?.kind === 'rows');
    const unseen = unseenSuccessors(known, (quote) => this.rowsOf(quote));
    return new Map([...unseen].filter(([id]) => !asked.has(id)));
  }

  /** Under whatever else there is on the crowded addresses, and before what was never reached, somebody may have paid. */
  private async readLive(crowded: readonly RelayQuote[], unseen: readonly RelayQuote[]): Promise<void> {
    const undecided = [...crowded.filter((quote) => !this.isCompleted(quote)), ...unseen];
    const reach = undecided.length === 0 ? 'whole' : await this.askOf(undecided, LIVE_STATUSES);
    if (reach === 'whole')
      this.settle([...crowded, ...unseen.filter((quote) => this.rowsOf(quote).length > 0)]);
    this.giveUp([...crowded, ...unseen], isSilence(reach) ? reach : unavailable(FLOODED, 200));
  }

  private askOf(quotes: readonly RelayQuote[], statuses: readonly string[] | null = null): Promise<Reach> {
    const addresses = new Set(quotes.map(({ depositAddress }) => depositAddress));
    return this.pages.ask({ by: 'depositAddress', values: [...addresses] }, statuses);
  }

  private take({ rows, isUnclear }: StatusPage): void {
    this.rows.push(...rows);
    this.isUnclear ||= isUnclear;
    this.sorted = rowsOfQuotes(this.quotes, this.rows);
  }

  private settle(quotes: readonly RelayQuote[]): void {
    const isUnclear = this.isUnclear || this.sorted.isUnclear;
    for (const quote of quotes) {
      const rows = this.rowsOf(quote);
      const isHidden = rows.length === 0 && isUnclear;
      this.found.set(quote.quoteId, isHidden ? unreadable() : { kind: 'rows', rows });
    }
  }

  /** What is settled stays so, and a success that was seen stands, whatever else there is. */
  private giveUp(quotes: readonly RelayQuote[], silence: Silence): void {
    this.settle(quotes.filter((quote) => this.isCompleted(quote)));
    for (const { quoteId } of quotes) {
      if (!this.found.has(quoteId)) this.found.set(quoteId, silence);
    }
  }

  private isCompleted(quote: RelayQuote): boolean {
    return this.rowsOf(quote).some((row) => phaseOf(row) === 'completed');
  }

  private rowsOf({ quoteId }: RelayQuote): readonly RelayRequest[] {
    return this.sorted.byQuote.get(quoteId) ?? [];
  }
}
