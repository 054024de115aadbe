import type { FailureClass } from './deliveries.ts';

/** The number of failed attempts of one class and code, among deliveries that the endpoint has not acknowledged. */
export interface FailureSum {
  readonly failure: FailureClass;
  readonly code: string | null;
  /** Null without an answer. */
  readonly httpStatus: number | null;
  readonly attempts: number;
  readonly payments: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The first KiB of the last answer as text; null without an answer. */
  readonly excerpt: string | null;
}

export abstract class EndpointFailures {
  /** The class that failed last comes first; `isMore`: only the newest 10,000 deliveries of each state were read. */
  abstract of(
    endpointId: string,
  ): Promise<{ readonly failures: readonly FailureSum[]; readonly isMore: boolean }>;
}
