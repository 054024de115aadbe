import type { Status } from '../../src/domain/payment/status.ts';
import { changeAt, type Change, type Life } from './lives.ts';
import type { Random } from './random.ts';
import { SlidingMinute } from './sliding-minute.ts';
import { troubleAt, type Trouble } from './troubles.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The provider's answer to one poll. */
export type Answer =
  | { readonly kind: 'status'; readonly status: Status; readonly index: number }
  | { readonly kind: 'refused'; readonly retryAfterMs: number | null }
  /** Null: no answer came within the time-out. */
  | { readonly kind: 'failed'; readonly httpStatus: 500 | null };

const LATENCY = { medianMs: 60, sigma: 0.5 };
export const PROVIDER_TIMEOUT_MS = 5_000;
/** One request in a thousand fails for no reason at all. */
const SHARE_FAILING = 0.001;

/** Answers with the payment's status after a moment; refuses requests beyond its limit, and has troubles. */
export class SimulatedProvider {
  private readonly accepted = new SlidingMinute();
  refusals = 0;

  constructor(
    private readonly clock: VirtualClock,
    private readonly troubles: readonly Trouble[],
    /** Requests in any minute; 0: no limit. */
    private readonly limit: number,
    private readonly random: Random,
  ) {}

  ask(life: Life, onAnswer: (answer: Answer) => void): void {
    const wayMs = this.random.lognormal(LATENCY.medianMs, LATENCY.sigma) / 2;
    const arrivesAt = this.clock.now + wayMs;
    this.clock.at(arrivesAt, () => {
      const trouble = troubleAt(this.troubles, arrivesAt);
      const backAt =
        trouble?.kind === 'silence' ? arrivesAt - wayMs + PROVIDER_TIMEOUT_MS : arrivesAt + wayMs;
      const answer = this.answer(life, trouble);
      this.clock.at(backAt, () => {
        onAnswer(answer);
      });
    });
  }

  private answer(life: Life, trouble: Trouble | null): Answer {
    if (trouble?.kind === 'refusals') return this.refuse(trouble.retryAfterMs);
    if (trouble?.kind === 'silence') return { kind: 'failed', httpStatus: null };
    const isFailing = trouble?.kind === 'errors' || this.random.chance(SHARE_FAILING);
    if (isFailing) return { kind: 'failed', httpStatus: 500 };
    if (this.limit > 0 && this.accepted.count(this.clock.now) >= this.limit) return this.refuse(null);
    this.accepted.add(this.clock.now);
    const index = changeAt(life, this.clock.now);
    return { kind: 'status', status: (life.changes[index] as Change).status, index };
  }

  private refuse(retryAfterMs: number | null): Answer {
    this.refusals++;
    return { kind: 'refused', retryAfterMs };
  }
}
