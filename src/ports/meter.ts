import type { Status } from '../domain/status.ts';

/**
 * What a look came to. `changed`: it made events; `unchanged`: a usable report that made none; `refused`: the provider's
 * 400, 404 or 422; `foreign`: a report about another quote; `throttled`: 429; `credentials`: 401 or 403;
 * `unavailable`: anything else.
 */
export type PollOutcome =
  'changed' | 'unchanged' | 'refused' | 'foreign' | 'throttled' | 'credentials' | 'unavailable';

/** Counts and measures what operators want to see. Cheap, and never throws. */
export abstract class Meter {
  abstract polled(outcome: PollOutcome): void;
  /** One status request to the provider, of however many payments. */
  abstract requested(durationMs: number): void;
  /** A change of status was seen, so long after the look before. */
  abstract detected(status: Status, gapMs: number): void;
  /** Results that came back after their lease was taken over. */
  abstract overtaken(count: number): void;
}
