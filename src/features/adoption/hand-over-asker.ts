import { ProviderNotAsked, type StatusAnswer } from '../../ports/payment-provider.ts';
import type { ProviderRateLimit } from '../../ports/provider-rate-limit.ts';
import type { Timers } from '../../ports/timers.ts';
import { Batcher } from '../../platform/scheduling/batcher.ts';
import { sleep } from '../../platform/scheduling/system-timers.ts';
import { Asker, type AskedProvider } from './asker.ts';

/** Shorter than the usual time-out of a client, even with one more wait for a request and its answer. */
const ASKS_FOR_MS = 20_000;
/** A small number, so that quotes and polls keep connections to the provider. */
const REQUESTS_AT_ONCE = 8;
const GATHER_MS = 5;
const RETRY_AFTER_MS = 1_000;

/**
 * Asks about the many quotes of one submission: several in a request if the provider allows it, and few requests at once.
 * Waits for the provider's budget up to a time limit; the remaining quotes are refused then, and may be submitted again.
 */
export class HandOverAsker extends Asker {
  private readonly batches = new Map<AskedProvider, Batcher<string, StatusAnswer>>();
  /** The last request of each lane. */
  private readonly lanes = Array.from({ length: REQUESTS_AT_ONCE }, () => Promise.resolve<unknown>(null));
  private requests = 0;
  private readonly endAtMs: number;

  constructor(
    caller: string,
    private readonly timers: Timers,
  ) {
    super(caller);
    this.endAtMs = timers.nowMs() + ASKS_FOR_MS;
  }

  override async takeOne(rateLimit: ProviderRateLimit): Promise<{ readonly isProbe: boolean }> {
    while (this.timers.nowMs() < this.endAtMs) {
      try {
        return await super.takeOne(rateLimit);
      } catch (error) {
        const waitMs = error instanceof ProviderNotAsked ? error.retryAfterMs : null;
        if (waitMs === null || this.timers.nowMs() + waitMs >= this.endAtMs) throw error;
        await sleep(this.timers, waitMs);
      }
    }
    throw new ProviderNotAsked('the time of this hand-over is over', RETRY_AFTER_MS);
  }

  override ask(provider: AskedProvider, quoteId: string): Promise<StatusAnswer> {
    const { batchSize } = provider.limits;
    if (batchSize === 1) return super.ask(provider, quoteId);
    const batch =
      this.batches.get(provider) ??
      new Batcher<string, StatusAnswer>((quoteIds) => provider.askTogether(quoteIds, this), {
        maxBatch: batchSize,
        gatherMs: GATHER_MS,
        failsAll: () => true,
      });
    this.batches.set(provider, batch);
    return batch.add(quoteId);
  }

  override inTurn<Result>(request: () => Promise<Result>): Promise<Result> {
    this.requests += 1;
    const lane = this.requests % REQUESTS_AT_ONCE;
    const done = (this.lanes[lane] ?? Promise.resolve()).then(request);
    this.lanes[lane] = done.catch(() => undefined);
    return done;
  }
}
