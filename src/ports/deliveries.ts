import type { EventType } from '../domain/event/event.ts';

/** One event owed to one destination, claimed by this process. */
export interface DueDelivery {
  readonly id: string;
  readonly token: string;
  readonly destinationId: string;
  readonly quoteId: string;
  readonly orderId: string | null;
  readonly eventId: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly time: Date;
  /** The event's bytes, as CloudEvents JSON. */
  readonly body: string;
  /** Attempts made before this one. */
  readonly attempts: number;
  /** Of these, those that used up a wait of the retry schedule: one made early for a new event does not. */
  readonly retries: number;
  /** How long ago its first attempt was, by the database's clock; 0 before it. */
  readonly failingMs: number;
  /** Claimed early, as a probe: when it would have been due, and is again if it fails; null: it was due. */
  readonly resumeInMs: number | null;
}

/** How an attempt ended, as an operator understands it. */
export type FailureClass =
  | 'timeout'
  | 'dns'
  | 'refused'
  | 'tls'
  | 'reset'
  | 'status'
  | 'redirect'
  | 'blocked_address'
  | 'too_large'
  | 'unroutable'
  | 'nack'
  | 'gone';

/** What an attempt met, kept for whoever wants to know why. */
export interface Trace {
  /** The address and port that were connected to; null without a connection. */
  readonly address: string | null;
  /** The first KiB of the answer's body; null without an answer. */
  readonly excerpt: Buffer | null;
}

/** Outcomes are values: `deliver` never throws. Without a trace the attempt is counted, but not kept. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly httpStatus: number | null; readonly trace?: Trace }
  | {
      readonly kind: 'failed';
      readonly failure: FailureClass;
      readonly httpStatus: number | null;
      readonly retryAfterMs: number | null;
      readonly trace?: Trace;
    }
  /** The destination could not be tried at all: no attempt is used up. */
  | { readonly kind: 'held'; readonly retryInMs: number };

export type Failed = Extract<Outcome, { kind: 'failed' }>;

/** What becomes of a delivery after an attempt. */
export interface Settlement {
  readonly delivery: DueDelivery;
  readonly outcome: Outcome;
  /** Wait until the next attempt; null: none follows (delivered, or the schedule is used up). */
  readonly retryInMs: number | null;
  /** False once it has failed for so long that later events of its payment no longer wait for it. */
  readonly holdsLane: boolean;
  /** How long ago the attempt began, and how long it took. */
  readonly ageMs: number;
  readonly durationMs: number;
}

export interface Slots {
  readonly destinationId: string;
  /** How many of its deliveries may be claimed now. */
  readonly free: number;
  /** Claims what is due next even if it is not due yet. */
  readonly isProbe: boolean;
}

/**
 * After ten failures in a row an endpoint's circuit opens, and only probes go out; the first success makes it
 * `recovering`, until what waited for a retry is due again.
 */
export const CIRCUITS = ['closed', 'open', 'recovering'] as const;
export type Circuit = (typeof CIRCUITS)[number];

/** Whom deliveries are made to. */
export interface Target {
  readonly id: string;
  readonly circuit: Circuit;
  /** Since its circuit was open last; null: it never was. */
  readonly recoveredForMs: number | null;
}

/**
 * What attempts made of a target: its circuit opened, or closed again; or it failed everything and takes no more.
 * `open`: they failed while it was open, and another replica may have opened it.
 */
export interface TargetChange {
  readonly targetId: string;
  readonly change: 'opened' | 'open' | 'recovered' | 'disabled';
}

/** When a target is owed something next. */
export interface NextDue {
  readonly targetId: string;
  /** 0: now. */
  readonly inMs: number;
}

/** What is owed to whom. In order per payment and destination; other payments and destinations never wait. */
export abstract class Deliveries {
  /** Claims due deliveries for `leaseMs`, at most `free` for each destination and 50 in all. */
  abstract claim(slots: readonly Slots[], leaseMs: number): Promise<DueDelivery[]>;
  /** Commits outcomes in one transaction and makes the next of each lane due. Answers what they made of the targets. */
  abstract settle(settlements: readonly Settlement[]): Promise<readonly TargetChange[]>;
  /** Which of these are owed something within `withinMs`. */
  abstract dueWithin(targetIds: readonly string[], withinMs: number): Promise<readonly NextDue[]>;
  /** Who is owed something that was recorded after `position`, and the position to ask from next; null: from now on. */
  abstract newlyDue(position: string | null): Promise<{ targetIds: readonly string[]; position: string }>;
  /** Which of these, whose circuits are open, are to be probed now: each is answered to one asker, ever more rarely. */
  abstract takeProbes(targetIds: readonly string[]): Promise<readonly string[]>;
  /** Makes some of what waits for a retry at a recovering target due now; once nothing is left, its circuit is closed. */
  abstract bringForward(targetId: string): Promise<void>;
}

export type DestinationKind = 'webhook' | 'rabbitmq';

/** A way of telling the world: webhook endpoints, or the RabbitMQ exchange. */
export abstract class Destination {
  abstract readonly kind: DestinationKind;
  /** Attempts in flight at once, in all and for each target. */
  abstract readonly limits: {
    readonly total: number;
    readonly perTarget: number;
    readonly timeoutMs: number;
  };
  /** The targets that take deliveries now; none while the broker is away. */
  abstract targets(): Promise<readonly Target[]>;
  /** The merchant's words for a target, for the log; null: none, or not known here. */
  abstract describe(targetId: string): string | null;
  /** Takes note of what attempts made of its targets. */
  abstract applyChanges(changes: readonly TargetChange[]): void;
  /** Makes one attempt. Always settles within `limits.timeoutMs` and a little. */
  abstract deliver(delivery: DueDelivery, signal: AbortSignal): Promise<Outcome>;
  /** The wait before the next attempt; null when no further one is made. `retries` counts the one that failed. */
  abstract retryInMs(retries: number, failed: Failed): number | null;
  /** How long a failing event holds back the later events of its payment; null: as long as it is owed. */
  abstract readonly lanePatienceMs: number | null;
}

/** The id of the one destination that is the RabbitMQ exchange. */
export const EXCHANGE_DESTINATION_ID = '00000000-0000-4000-8000-00000000e0c0';
