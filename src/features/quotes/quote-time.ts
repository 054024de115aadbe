import { within } from '../../platform/scheduling/within.ts';
import { ProviderNotAsked } from '../../ports/payment-provider.ts';
import type { Timers } from '../../ports/timers.ts';

/** The share of the time that is kept for storing the quote, and its upper bound. */
const STORING = 1 / 12;
const STORING_UP_TO_MS = 1_000;
/** The share of the storing time that the statement itself may need. */
const STATEMENT = 1 / 4;

/** No time was left to ask a provider: its quote would open an address that no payer is shown. */
export class QuoteTimeOver extends ProviderNotAsked {
  constructor() {
    super('the time of the quote was over', null);
  }
}

/** The time that one quote has from its arrival to its answer, for all of its waits together. */
export class QuoteTime {
  private readonly endAtMs: number;
  private readonly askUntilMs: number;
  private readonly storeUntilMs: number;

  /** `spentMs`: how long ago it arrived. */
  constructor(
    private readonly timers: Timers,
    limitMs: number,
    spentMs: number,
  ) {
    this.endAtMs = timers.nowMs() + limitMs - spentMs;
    const storingMs = Math.min(limitMs * STORING, STORING_UP_TO_MS);
    this.askUntilMs = this.endAtMs - storingMs;
    this.storeUntilMs = this.endAtMs - storingMs * STATEMENT;
  }

  /** True: the answer may be sent before the quote is stored. */
  get isTooLateToStore(): boolean {
    return this.timers.nowMs() >= this.storeUntilMs;
  }

  /** The time left for everything before the storing; not above 0: it is too late to ask a provider. */
  get leftToAskMs(): number {
    return this.askUntilMs - this.timers.nowMs();
  }

  /** Throws TookTooLong when the time is over before the work is done. */
  bound<Result>(work: Promise<Result>): Promise<Result> {
    return within(this.endAtMs - this.timers.nowMs(), this.timers, work);
  }

  /** Throws TookTooLong if the result is not known in time. */
  boundAsking<Result>(work: Promise<Result>): Promise<Result> {
    return within(this.leftToAskMs, this.timers, work);
  }
}
