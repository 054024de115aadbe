import { isQuoteId } from '../../domain/payment/reading.ts';
import { readReport } from '../../domain/payment/report.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { unavailable } from '../connection/read-response.ts';
import type { QuoteStore } from '../shared/quote-store.ts';
import type { OneClickApi } from './oneclick-api.ts';
import { readSwap, type StoredSwap, type SwapQuote } from './swap.ts';
import { toStatus, type StatusOptions } from './to-status.ts';

/** A new quote may be unknown to the server that is asked for its status. */
const KNOWN_WITHIN_MS = 60_000;
const NOT_FOUND = 404;
const UNKNOWN_ID: StatusAnswer = { kind: 'refused', httpStatus: 404, message: 'There is no such quote.' };

/** Reads how swaps stand: one request for each. */
export class SwapReader {
  constructor(
    private readonly api: Pick<OneClickApi, 'get'>,
    private readonly store: QuoteStore<SwapQuote>,
    private readonly clock: Clock,
    private readonly options: StatusOptions,
  ) {}

  async readAll(
    quoteIds: readonly string[],
    onAnswer: (quoteId: string, answer: StatusAnswer) => void,
  ): Promise<void> {
    const ids = [...new Set(quoteIds)];
    const quotes = await this.find(ids);
    await Promise.all(
      ids.map(async (quoteId) => {
        if (!(quotes instanceof Map)) return onAnswer(quoteId, quotes);
        const quote = quotes.get(quoteId);
        onAnswer(quoteId, quote === undefined ? UNKNOWN_ID : await this.read(quote));
      }),
    );
  }

  private async find(ids: readonly string[]): Promise<Map<string, StoredSwap> | StatusAnswer> {
    try {
      return await this.store.find(ids.filter(isQuoteId));
    } catch (error) {
      return unavailable(`its quotes could not be read: ${(error as Error).message}`, null);
    }
  }

  private async read(quote: StoredSwap): Promise<StatusAnswer> {
    const { depositAddress, memo } = quote;
    const query = new URLSearchParams({ depositAddress, ...(memo === null ? {} : { depositMemo: memo }) });
    const answer = await this.api.get(`/status?${query.toString()}`);
    const now = this.clock.now();
    if (answer.kind === 'error') return refusedOr(answer, now.getTime() - quote.createdAt.getTime());
    if (answer.kind !== 'json') return answer;
    const swap = readSwap(answer.value, quote);
    if (swap === null) return unavailable('unreadable answer', 200);
    const text = toStatus(quote, swap, now, this.options);
    const report = readReport(JSON.parse(text), text);
    return report === null ? unavailable('unreadable answer', 200) : { kind: 'report', report };
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
