import type { Clock } from '../../ports/clock.ts';
import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { ApiAnswer, JsonApi } from '../shared/json-api.ts';
import { unavailable } from '../connection/read-response.ts';
import type { QuoteStore } from '../shared/quote-store.ts';
import { reportSeen } from '../shared/read-each.ts';
import { type ChannelQuote, NOTHING_SEEN, type StoredChannel } from './channel-quote.ts';
import { NotFoundLimit } from './not-found-limit.ts';
import { readSwap, type Swap } from './swap.ts';
import { toStatus } from './to-status.ts';

const NOT_FOUND = 404;
const TOO_MANY = 429;
const MINUTE_MS = 60_000;
/** As long as the lock-out that follows too many 404s, which no header announces. */
const LOCKED_FOR_MS = 600_000;
/** The first wait after a 429 for another reason; each further wait is twice as long. */
const PAUSED_FOR_MS = 60_000;
const MOST_DOUBLINGS = 3;
/** Data older than this prove nothing if they show no deposit. */
const STALE_AFTER_MS = 300_000;

/** Reads the state of channels, with one request for each. */
export class SwapReader {
  private readonly notFound: NotFoundLimit;
  /** The number of 429s in a row, without another answer between them. */
  private refusals = 0;

  constructor(
    private readonly api: Pick<JsonApi, 'get'>,
    private readonly store: Pick<QuoteStore<ChannelQuote>, 'replace'>,
    private readonly clock: Clock,
  ) {
    this.notFound = new NotFoundLimit(() => clock.now().getTime());
  }

  async read(quote: StoredChannel, onSent?: () => void): Promise<StatusAnswer> {
    const nowMs = this.clock.now().getTime();
    // Before this time the backend does not know the channel, and no deposit can be confirmed.
    const unasked = readSwap({ state: 'WAITING' }, quote);
    if (unasked !== null && nowMs < (quote.askedFromMs ?? 0)) return this.report(quote, unasked);
    const answer = await this.notFound.send(
      () => this.api.get(`/v2/swaps/${idOf(quote)}`, { onSent }),
      (given) => given.kind === 'error' && given.httpStatus === NOT_FOUND,
    );
    if (answer === null)
      return {
        ...unavailable('it knows too few of the channels asked about', TOO_MANY, MINUTE_MS),
        isAboutAll: true,
      };
    return this.judge(quote, answer);
  }

  private judge(quote: StoredChannel, answer: ApiAnswer): Promise<StatusAnswer> | StatusAnswer {
    if (answer.kind === 'error')
      return { kind: 'refused', httpStatus: answer.httpStatus as 400 | 404 | 422, message: answer.message };
    if (answer.kind === 'credentials') return answer;
    if (answer.kind === 'unavailable')
      return answer.httpStatus === TOO_MANY ? this.lockedOut(answer) : answer;
    this.refusals = 0;
    const swap = readSwap(answer.value, quote);
    if (swap === null) return unavailable('unreadable answer', 200);
    const nowMs = this.clock.now().getTime();
    const ageMs = nowMs - (swap.updatedAt?.getTime() ?? nowMs);
    if (swap.state === 'WAITING' && ageMs > STALE_AFTER_MS)
      return unavailable(`its data are ${Math.floor(ageMs / MINUTE_MS)} minutes old`, null);
    return this.report(quote, swap);
  }

  private lockedOut(answer: Extract<StatusAnswer, { kind: 'unavailable' }>): StatusAnswer {
    const pauseMs = PAUSED_FOR_MS * 2 ** Math.min(this.refusals, MOST_DOUBLINGS);
    this.refusals += 1;
    const waitMs = this.notFound.hasAny ? LOCKED_FOR_MS : pauseMs;
    return { ...answer, retryAfterMs: answer.retryAfterMs ?? waitMs, isAboutAll: true };
  }

  private report(quote: StoredChannel, swap: Swap): Promise<StatusAnswer> {
    const status = toStatus(quote, swap, this.clock.now());
    return reportSeen(this.store, { ...quote, seen: quote.seen ?? NOTHING_SEEN }, status);
  }
}

/** The swap of this payment; after a failure the channel again, since a later deposit may be delivered. */
function idOf({ channelId, seen = NOTHING_SEEN }: StoredChannel): string {
  return encodeURIComponent(seen.swapId === null || seen.hasFailed ? channelId : seen.swapId);
}
