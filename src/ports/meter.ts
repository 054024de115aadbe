import type { EventType } from '../domain/event/event.ts';
import type { Status } from '../domain/payment/status.ts';
import type { UrgencyClass } from '../domain/polling/urgency.ts';

/**
 * The outcome of a poll. `changed`: it made events; `unchanged`: a usable report made none; `refused`: the provider's 400,
 * 404 or 422; `foreign`: a report about another quote; `throttled`: 429; `credentials`: 401 or 403; `unavailable`: anything
 * else.
 */
export const POLL_OUTCOMES = [
  'changed',
  'unchanged',
  'refused',
  'foreign',
  'throttled',
  'credentials',
  'unavailable',
] as const;
export type PollOutcome = (typeof POLL_OUTCOMES)[number];

/** The outcome of handling a track queue message; `held`: the message waits because the database or provider is away. */
export const TRACK_TRIES = ['taken', 'rejected', 'held', 'failed'] as const;
export type TrackTry = (typeof TRACK_TRIES)[number];

/**
 * The outcome of a provider's notice. `accepted`: it makes a payment due; `duplicate`: it came before; `unknown`: it names no
 * stored payment; `unreadable`: its signature is valid, but its body is not; `refused`: its signature or time is invalid.
 */
export const NOTICE_OUTCOMES = ['accepted', 'duplicate', 'unknown', 'unreadable', 'refused'] as const;
export type NoticeOutcome = (typeof NOTICE_OUTCOMES)[number];

/** The outcome of calls to an RPC. `limited`: the RPC asks for fewer calls; `away`: it gave no usable answer. */
export type RpcOutcome = 'answered' | 'limited' | 'away';

/** Why Paybell disabled an endpoint. `gone`: it answered 410; `failing`: every attempt failed for days. */
export type DisabledReason = 'gone' | 'failing';

/** The target of deliveries. */
export interface MeteredTarget {
  /** The kind of its destination. */
  readonly kind: string;
  readonly id: string;
}

/** Records metrics about one provider. Cheap, and never throws. */
export abstract class ProviderMeter {
  abstract polled(outcome: PollOutcome, urgency: UrgencyClass): void;
  /** Counts one status request to the provider, about any number of payments. */
  abstract requested(durationMs: number): void;
  /** Notes that a poll found a new status, `gapMs` after the poll before it. */
  abstract detected(status: Status, gapMs: number): void;
  /** Counts poll results that were dropped because another claim had taken their payment over. */
  abstract stale(count: number): void;
  abstract noticed(outcome: NoticeOutcome): void;
  /** Counts a quote that differed from its request and was refused. */
  abstract unfitQuote(): void;
}

/** Records metrics for operators. Cheap, and never throws. */
export abstract class Meter {
  /** The meter of the provider with this name. */
  abstract of(provider: string): ProviderMeter;
  /** Counts a recorded event. */
  abstract recorded(type: EventType): void;
  /** Counts one attempt of a delivery: `delivered`, `held` (counted but not timed), or its failure class. */
  abstract attempted(target: MeteredTarget, outcome: string, durationMs: number): void;
  /** Notes that a target acknowledged an event, `delayMs` after it was recorded. */
  abstract acknowledged(target: MeteredTarget, delayMs: number): void;
  /** Counts a delivery whose last attempt failed. */
  abstract givenUp(target: MeteredTarget): void;
  abstract endpointDisabled(reason: DisabledReason): void;
  /** Sets the number of open event streams. */
  abstract streaming(count: number): void;
  /** Counts an event that the exchange could not route to any queue at its first attempt. */
  abstract unroutable(): void;
  abstract trackMessage(came: TrackTry): void;
  /** Counts the calls of one request to an RPC of a chain, and sets how many RPCs of that chain get only probes now. */
  abstract rpcAsked(chainId: number, calls: number, outcome: RpcOutcome, openCircuits: number): void;
  /**
   * Counts an RPC that differed from the other RPCs of its chain about an output; `host` is its name in
   * `verification.sources`.
   */
  abstract rpcDisagreed(chainId: number, host: string): void;
}
