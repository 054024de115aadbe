import type { Clock } from '../../ports/clock.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import { unavailable } from '../connection/read-response.ts';
import { reportAnswer } from '../shared/read-each.ts';
import type { JsonApi } from '../shared/json-api.ts';
import { readSwap, type StoredSwap } from './swap.ts';
import { toStatus, type StatusOptions } from './to-status.ts';

/** A new quote may be unknown to the server that is asked for its status. */
const KNOWN_WITHIN_MS = 60_000;
const NOT_FOUND = 404;

/** Reads how swaps stand: one request for each. */
export class SwapReader {
  constructor(
    private readonly api: Pick<JsonApi, 'get'>,
    private readonly clock: Clock,
    private readonly options: StatusOptions,
  ) {}

  read(quote: StoredSwap, onSent?: () => void): Promise<StatusAnswer> {
    return this.readWith(quote, quote.createdAt, () => quote, onSent);
  }

  /** `quoteIn` finds the quote in 1Click's answer, or says why it is not there. `createdAt`: null for long ago. */
  async readWith(
    { depositAddress, memo }: Pick<StoredSwap, 'depositAddress' | 'memo'>,
    createdAt: Date | null,
    quoteIn: (answer: unknown) => StoredSwap | StatusAnswer,
    onSent?: () => void,
  ): Promise<StatusAnswer> {
    const query = new URLSearchParams({ depositAddress, ...(memo === null ? {} : { depositMemo: memo }) });
    const answer = await this.api.get(`/v0/status?${query.toString()}`, { onSent });
    const now = this.clock.now();
    if (answer.kind === 'error') return refusedOr(answer, now.getTime() - (createdAt?.getTime() ?? 0));
    if (answer.kind !== 'json') return answer;
    const quote = quoteIn(answer.value);
    if ('kind' in quote) return quote;
    const swap = readSwap(answer.value, quote);
    if (swap === null) return unavailable('unreadable answer', 200);
    return reportAnswer(toStatus(quote, swap, now, this.options));
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
