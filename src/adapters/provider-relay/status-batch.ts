import type { RelayQuote } from './relay-quote.ts';
import type { RelayRequest } from './relay-request.ts';
import { phaseOf } from './request-phase.ts';
import { unavailable, unreadable, type Silence, type StatusPage } from './status-page.ts';
import type { StatusQuestions } from './status-questions.ts';
import { rowsOfQuotes, type RowsOfQuotes } from './status-rows.ts';

/** What Relay has on one quote, all of it, or why that is not known. */
export type Found = { readonly kind: 'rows'; readonly rows: readonly RelayRequest[] } | Silence;

const MAX_PAGES = 3;
/** For one batch, whoever floods its addresses with deposits. */
const MAX_QUESTIONS = 3;
/** What may be under many small refunds: with these alone nobody can hide that a payment is under way, or done. */
const LIVE_STATUSES = ['success', 'pending', 'depositing'];
const FLOODED = 'more deposits than can be read';

type Reach =
  /** There is nothing more. */
  | 'whole'
  /** There is more than was read. */
  | 'cut'
  | Silence;

/** Asks what Relay has on the addresses of a batch of quotes. What stays hidden is a silence, never "no deposit". */
export class StatusBatch {
  private readonly rows: RelayRequest[] = [];
  private readonly found = new Map<string, Found>();
  private sorted: RowsOfQuotes = { byQuote: new Map(), isUnclear: false };
  private isUnclear = false;
  private asked = 0;

  constructor(
    private readonly questions: StatusQuestions,
    private readonly quotes: readonly RelayQuote[],
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** How many requests it took. */
  get requests(): number {
    return this.asked;
  }

  /** Exactly one entry for each quote, by its id. */
  async read(): Promise<ReadonlyMap<string, Found>> {
    let open = this.quotes;
    const crowded: RelayQuote[] = [];
    for (let question = 1; question <= MAX_QUESTIONS && open.length > 0; question += 1) {
      const reach = await this.ask(open);
      if (reach === 'whole') {
        this.settle(open);
        open = [];
      } else if (isSilence(reach)) {
        this.giveUp(this.quotes, reach);
        return this.found;
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
    return this.found;
  }

  /** Under whatever else there is on the crowded addresses, and before what was never reached, somebody may have paid. */
  private async readLive(crowded: readonly RelayQuote[], unseen: readonly RelayQuote[]): Promise<void> {
    const undecided = [...crowded.filter((quote) => !this.isCompleted(quote)), ...unseen];
    const reach = undecided.length === 0 ? 'whole' : await this.ask(undecided, LIVE_STATUSES);
    if (reach === 'whole')
      this.settle([...crowded, ...unseen.filter((quote) => this.rowsOf(quote).length > 0)]);
    this.giveUp([...crowded, ...unseen], isSilence(reach) ? reach : unavailable(FLOODED, 200));
  }

  private async ask(
    quotes: readonly RelayQuote[],
    statuses: readonly string[] | null = null,
  ): Promise<Reach> {
    const addresses = [...new Set(quotes.map(({ depositAddress }) => depositAddress))];
    let all: Reach = 'whole';
    for (const together of this.questions.splitOf(addresses)) {
      const reach = await this.askPages(together, statuses);
      if (reach === 'form_refused') return this.ask(quotes, statuses);
      if (isSilence(reach)) return reach;
      if (reach === 'cut') all = 'cut';
    }
    return all;
  }

  private async askPages(
    addresses: readonly string[],
    statuses: readonly string[] | null,
  ): Promise<Reach | 'form_refused'> {
    let continuation: string | null = null;
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      if (this.signal?.aborted === true) return unavailable('stopping', null);
      this.asked += 1;
      const answer = await this.questions.ask(addresses, statuses, continuation);
      if (answer === 'form_refused' || answer.kind !== 'page') return answer;
      this.take(answer);
      continuation = answer.continuation;
      if (continuation === null) return 'whole';
    }
    return 'cut';
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

function isSilence(reach: Reach): reach is Silence {
  return typeof reach !== 'string';
}
