import type { Status } from '../domain/payment/status.ts';
import type { DestinationKind, FailureClass } from './deliveries.ts';

/**
 * What a look came to. `changed`: it made events; `unchanged`: a usable report that made none; `refused`: the provider's
 * 400, 404 or 422; `foreign`: a report about another quote; `throttled`: 429; `credentials`: 401 or 403;
 * `unavailable`: anything else.
 */
export type PollOutcome =
  'changed' | 'unchanged' | 'refused' | 'foreign' | 'throttled' | 'credentials' | 'unavailable';

/** What an attempt came to: `held`, delivered, or how it failed. */
export type AttemptOutcome = 'delivered' | 'held' | FailureClass;

/** What a try at a message of the track queue came to; `held`: the database or the provider is away, it waits. */
export type TrackTry = 'taken' | 'rejected' | 'held' | 'failed';

/**
 * What a provider's own notice came to. `accepted`: a payment is looked at for it; `duplicate`: it came before; `unknown`:
 * about no payment of ours; `unreadable`: signed, but not understood; `refused`: not signed with our key, or not now.
 */
export type NoticeOutcome = 'accepted' | 'duplicate' | 'unknown' | 'unreadable' | 'refused';

/** Why an endpoint was disabled by the service. `gone`: it answered 410; `failing`: it failed everything for days. */
export type DisabledReason = 'gone' | 'failing';

/** Counts and measures what operators want to see. Cheap, and never throws. */
export abstract class Meter {
  abstract polled(outcome: PollOutcome): void;
  /** One status request to the provider, of however many payments. */
  abstract requested(durationMs: number): void;
  /** A change of status was seen, so long after the look before. */
  abstract detected(status: Status, gapMs: number): void;
  /** Results that came back after their lease was taken over. */
  abstract stale(count: number): void;
  /** One attempt of a delivery; one that was held is counted and not timed. */
  abstract attempted(destination: DestinationKind, outcome: AttemptOutcome, durationMs: number): void;
  /** An event was acknowledged, so long after it happened. */
  abstract acknowledged(destination: DestinationKind, delayMs: number): void;
  /** A delivery has failed for the last time. */
  abstract givenUp(destination: DestinationKind): void;
  abstract endpointDisabled(reason: DisabledReason): void;
  /** So many event streams are open now. */
  abstract streaming(count: number): void;
  /** An event reached the exchange and no queue, for the first time. */
  abstract unroutable(): void;
  abstract trackMessage(came: TrackTry): void;
  abstract noticed(outcome: NoticeOutcome): void;
}
