import { Logger } from '@nestjs/common';

import { isRecord } from '../../../domain/payment/reading.ts';
import type { Meter } from '../../../ports/meter.ts';
import { ProviderCredentials, ProviderUnavailable } from '../../../ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../../ports/provider-rate-limit.ts';
import type { RelayAnswer, RelayApi } from '../relay-api.ts';
import { readChangedRequest, type RelayHint } from '../notices/relay-hint.ts';

/** What Relay answered to one page of a sweep. */
export type ReconcilePage =
  | { readonly kind: 'page'; readonly hints: readonly RelayHint[]; readonly continuation: string | null }
  /** Relay does not take such a request. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Not now: the budget is used up, or Relay fails. */
  | { readonly kind: 'later'; readonly waitMs: number };

const CALLER = 'sweep';
/** Relay's most. */
const PAGE_SIZE = 50;
/** Needs a key too, and nothing that is only inferred. */
const PLAIN_PATH = '/requests/v3?limit=1';
const MAX_PAGE_BYTES = 4 * 1024 * 1024;
const AFTER_FAILURE_MS = 4_000;
/** As many in a row as of polls: one alone may be a slip of Relay's. */
const LOCKED_OUT_AFTER = 3;
const MAX_REASON_LENGTH = 200;
const TOO_MANY_REQUESTS = 429;
/** Times of questions are whole seconds. */
const SECOND_MS = 1_000;

/** Asks for changed requests, each page within the pace that all requests share, and tells the pace what it learned. */
export class ChangedRequests {
  private readonly log = new Logger('Relay');
  private refusals = 0;
  /** True once a plain question was answered after our key was refused for a sweep. */
  private isKeyGood = false;

  constructor(
    private readonly api: RelayApi,
    private readonly rateLimit: ProviderRateLimit,
    private readonly meter: Meter,
    private readonly apiKey: string,
  ) {}

  /** True while it is not clear whether Relay takes our key. */
  get isInDoubt(): boolean {
    return this.refusals > 0 || this.isKeyGood;
  }

  /** Requests quoted with our key that changed since then, the earliest first; times are Relay's. */
  async read(since: Date, continuation: string | null): Promise<ReconcilePage> {
    const leave = await this.askLeave();
    if ('kind' in leave) return leave;
    const { isProbe } = leave;
    // A key that may not ask this may be good for all the rest: nobody else is to be shut off for that.
    const isPlain = this.refusals > 0;
    const path = isPlain ? PLAIN_PATH : pathOf(this.apiKey, since, continuation);
    const startedAt = performance.now();
    const answer = await this.api.get(path, MAX_PAGE_BYTES);
    this.meter.requested(performance.now() - startedAt);
    if (answer.kind === 'credentials' && this.isKeyGood && !isProbe) {
      this.isKeyGood = false;
      return { kind: 'refused', reason: 'our key may not ask for it' };
    }
    await this.reportLimits(answer, isProbe);
    if (isPlain) {
      this.isKeyGood = this.refusals === 0;
      return { kind: 'later', waitMs: AFTER_FAILURE_MS };
    }
    return this.pageOf(answer, since);
  }

  /** As a caller who waits: one sweep finds what many polls would, and polling takes all that it can get. */
  private async askLeave(): Promise<
    { readonly isProbe: boolean } | Extract<ReconcilePage, { kind: 'later' }>
  > {
    try {
      return await this.rateLimit.takeOne(CALLER);
    } catch (error) {
      if (error instanceof ProviderUnavailable)
        return { kind: 'later', waitMs: error.retryAfterMs ?? AFTER_FAILURE_MS };
      if (error instanceof ProviderCredentials) return { kind: 'later', waitMs: AFTER_FAILURE_MS };
      throw error;
    }
  }

  private pageOf(answer: RelayAnswer, since: Date): ReconcilePage {
    if (answer.kind === 'credentials') return { kind: 'later', waitMs: AFTER_FAILURE_MS };
    if (answer.kind !== 'unavailable') this.isKeyGood = false;
    if (answer.kind === 'json') return readPage(answer.value, since);
    if (answer.kind === 'error') {
      const words = answer.message.slice(0, MAX_REASON_LENGTH);
      return { kind: 'refused', reason: `status ${answer.httpStatus} ${answer.code ?? ''} ${words}` };
    }
    this.log.debug(`a sweep was not answered: ${answer.reason}`);
    return { kind: 'later', waitMs: AFTER_FAILURE_MS };
  }

  /** With no payment open nobody else asks Relay anything, and only this finds out that our key is wrong or right again. */
  private async reportLimits(answer: RelayAnswer, isProbe: boolean): Promise<void> {
    if (answer.kind === 'credentials') {
      this.refusals += 1;
      if (isProbe || this.refusals >= LOCKED_OUT_AFTER)
        await this.rateLimit.openCircuit('credentials', isProbe);
      return;
    }
    const isOverload = answer.kind === 'unavailable' && answer.httpStatus === TOO_MANY_REQUESTS;
    if (answer.kind !== 'unavailable' || isOverload) {
      this.refusals = 0;
      if (isProbe) await this.rateLimit.closeCircuit();
      if (isOverload) await this.rateLimit.throttle(answer.retryAfterMs);
      return;
    }
    if (isProbe) await this.rateLimit.openCircuit('open', true);
  }
}

function pathOf(apiKey: string, since: Date, continuation: string | null): string {
  const query = new URLSearchParams({
    apiKey,
    sortBy: 'updatedAt',
    // What changes while pages are read moves behind them, so that each page read is a step that counts.
    sortDirection: 'asc',
    startTimestamp: String(Math.floor(since.getTime() / 1_000)),
    limit: String(PAGE_SIZE),
  });
  if (continuation !== null) query.set('continuation', continuation);
  return `/requests/v3?${query.toString()}`;
}

function readPage(value: unknown, since: Date): ReconcilePage {
  if (!isRecord(value) || !Array.isArray(value['requests']))
    return { kind: 'refused', reason: 'an answer without requests' };
  const hints = value['requests'].slice(0, PAGE_SIZE).flatMap((each) => readChangedRequest(each) ?? []);
  // All that there ever was, in many pages, would take the requests that polling needs.
  const fromMs = since.getTime() - SECOND_MS;
  const isOld = ({ updatedAt }: RelayHint): boolean => updatedAt !== null && updatedAt.getTime() < fromMs;
  if (hints.length > 0 && hints.every(isOld))
    return { kind: 'refused', reason: 'it lists what changed before as well' };
  const { continuation } = value;
  return {
    kind: 'page',
    hints,
    continuation: typeof continuation === 'string' && continuation !== '' ? continuation : null,
  };
}
