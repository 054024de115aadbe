import type { StatusAnswer } from '../../ports/payment-provider.ts';
import type { DueClaim, Poll } from '../../ports/schedule.ts';
import type { Span } from '../../ports/tracer.ts';

/** An answer to be judged, once its payment was read, and recorded if it changes the payment. */
export interface Answered {
  readonly due: DueClaim;
  /** Null: the payment could not be polled. */
  readonly answer: StatusAnswer | null;
  readonly isCharged: boolean;
  readonly at: Date;
  poll: Poll | null;
  /** True when a claim of its group was taken over: this poll may have been dropped. */
  mayBeDropped: boolean;
  /** When the provider was asked, by `performance.now()`. */
  readonly askedAt: number;
  /** Null: it changes nothing, or is not traced. */
  span: Span | null;
}
