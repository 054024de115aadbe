import type { EventType } from '../domain/event/event.ts';
import type { Status } from '../domain/payment/status.ts';
import type { UrgencyClass } from '../domain/polling/urgency.ts';

/**
 * The outcome of a poll. `changed`: it made events; `unchanged`: a usable report made none; `refused`: the provider's
 * 400, 404 or 422; `foreign`: a report about another quote; `throttled`: 429; `credentials`: 401 or 403;
 * `unavailable`: anything else.
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

/** The outcome of handling a track queue message; `held`: the message waits, since the database or provider is away. */
export const TRACK_TRIES = ['taken', 'rejected', 'held', 'failed'] as const;
export type TrackTry = (typeof TRACK_TRIES)[number];

/**
 * The outcome of a provider's notice. `accepted`: it makes a payment due; `duplicate`: it came before; `unknown`: it names
 * no stored payment; `unreadable`: its signature is valid, its body is not; `refused`: its signature or time is invalid.
 */
export const NOTICE_OUTCOMES = ['accepted', 'duplicate', 'unknown', 'unreadable', 'refused'] as const;
export type NoticeOutcome = (typeof NOTICE_OUTCOMES)[number];

/** The outcome of calls to an RPC. `limited`: it wants fewer calls; `away`: it gave no usable answer. */
export type RpcOutcome = 'answered' | 'limited' | 'away';

/** Why Paybell disabled an endpoint. `gone`: it answered 410; `failing`: every attempt failed for days. */
export type DisabledReason = 'gone' | 'failing';

/** Where deliveries go. */
export interface MeteredTarget {
  /** The kind of its destination. */
  readonly kind: string;
  readonly id: string;
}

/** Records metrics about one provider. Cheap, and never throws. */
export abstract class ProviderMeter {
  abstract polled(outcome: PollOutcome, urgency: UrgencyClass): void;
  /** One status request to the provider, about any number of payments. */
  abstract requested(durationMs: number): void;
  /** A poll found a new status, `gapMs` after the poll before it. */
  abstract detected(status: Status, gapMs: number): void;
  /** Poll results that were dropped, since another claim had taken their payment over. */
  abstract stale(count: number): void;
  abstract noticed(outcome: NoticeOutcome): void;
  /** A quote differed from its request, and was refused. */
  abstract unfitQuote(): void;
}

/** Records metrics for operators. Cheap, and never throws. */
export abstract class Meter {
  /** The measures of the provider with this name. */
  abstract of(provider: string): ProviderMeter;
  /** An event was recorded. */
  abstract recorded(type: EventType): void;
  /** One attempt of a delivery: `delivered`, `held`, which is counted but not timed, or the class of its failure. */
  abstract attempted(target: MeteredTarget, outcome: string, durationMs: number): void;
  /** A target acknowledged an event, `delayMs` after it was recorded. */
  abstract acknowledged(target: MeteredTarget, delayMs: number): void;
  /** A delivery's last attempt failed. */
  abstract givenUp(target: MeteredTarget): void;
  abstract endpointDisabled(reason: DisabledReason): void;
  /** The number of open event streams. */
  abstract streaming(count: number): void;
  /** The exchange could not route an event to any queue, at its first attempt. */
  abstract unroutable(): void;
  abstract trackMessage(came: TrackTry): void;
  /** Calls of one request to an RPC of a chain, and how many RPCs of that chain get only probes now. */
  abstract rpcAsked(chainId: number, calls: number, outcome: RpcOutcome, openCircuits: number): void;
  /** An RPC said something else of an output than the others of its chain; `host`: its name, as `verification.sources` has it. */
  abstract rpcDisagreed(chainId: number, host: string): void;
}
