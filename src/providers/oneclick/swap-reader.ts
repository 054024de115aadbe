import type { Clock } from '../../ports/clock.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { unavailable } from '../connection/read-response.ts';
import type { ApiAnswer, JsonApi } from '../shared/json-api.ts';
import type { QuoteStore } from '../shared/quote-store.ts';
import { reportAnswer, reportSeen } from '../shared/read-each.ts';
import { NOTHING_SEEN, readSwap, type StoredSwap, type SwapQuote } from './swap.ts';
import { type SeenStatus, toStatus } from './to-status.ts';

/** A new quote may still be unknown to the server that answers for its status. */
const KNOWN_WITHIN_MS = 60_000;
const NOT_FOUND = 404;
const UNREADABLE = unavailable('unreadable answer', 200);

/** Reads the state of swaps, with one request for each. */
export class SwapReader {
  constructor(
    private readonly api: Pick<JsonApi, 'get'>,
    private readonly store: Pick<QuoteStore<SwapQuote>, 'replace'>,
    private readonly clock: Clock,
  ) {}

  async read(quote: StoredSwap, onSent?: () => void): Promise<StatusAnswer> {
    const answer = await this.ask(quote, quote.createdAt, onSent);
    if (answer.kind !== 'json') return answer;
    const status = this.statusOf(quote, answer.value);
    return status === null
      ? UNREADABLE
      : reportSeen(this.store, { ...quote, seen: quote.seen ?? NOTHING_SEEN }, status);
  }

  /**
   * Reads the status of a quote that is not stored: `quoteIn` finds the quote in 1Click's answer, or says why it is missing.
   */
  async readLost(
    place: Pick<StoredSwap, 'depositAddress' | 'memo'>,
    quoteIn: (answer: unknown) => StoredSwap | StatusAnswer,
  ): Promise<StatusAnswer> {
    const answer = await this.ask(place, new Date(0));
    if (answer.kind !== 'json') return answer;
    const quote = quoteIn(answer.value);
    if ('kind' in quote) return quote;
    const status = this.statusOf(quote, answer.value);
    return status === null ? UNREADABLE : reportAnswer(status.text);
  }

  private async ask(
    { depositAddress, memo }: Pick<StoredSwap, 'depositAddress' | 'memo'>,
    createdAt: Date,
    onSent?: () => void,
  ): Promise<StatusAnswer | Extract<ApiAnswer, { kind: 'json' }>> {
    const query = new URLSearchParams({ depositAddress, ...(memo === null ? {} : { depositMemo: memo }) });
    const answer = await this.api.get(`/v0/status?${query.toString()}`, { onSent });
    return answer.kind === 'error'
      ? refusedOr(answer, this.clock.now().getTime() - createdAt.getTime())
      : answer;
  }

  private statusOf(quote: StoredSwap, answer: unknown): SeenStatus | null {
    const swap = readSwap(answer, quote);
    return swap === null ? null : toStatus(quote, swap, this.clock.now());
  }
}

function refusedOr(
  { httpStatus, message }: { readonly httpStatus: number; readonly message: string },
  ageMs: number,
): StatusAnswer {
  if (httpStatus === NOT_FOUND && ageMs < KNOWN_WITHIN_MS)
    return unavailable('the quote is not known yet', httpStatus);
  return { kind: 'refused', httpStatus: httpStatus as 400 | 404 | 422, message };
}
