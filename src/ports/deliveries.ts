import type { EventType } from '../domain/event/event.ts';

/** One due delivery of one event to one destination, claimed by this process. */
export interface DueDelivery {
  readonly id: string;
  readonly token: string;
  readonly destinationId: string;
  readonly quoteId: string;
  readonly provider: string;
  readonly orderId: string | null;
  readonly eventId: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly time: Date;
  /** The event's bytes, as CloudEvents JSON. */
  readonly body: string;
  /** The trace context of the event; null: it has none. */
  readonly traceparent: string | null;
  /** The number of earlier attempts. */
  readonly attempts: number;
  /** The attempts that used up a step of the retry schedule: an early attempt for a new event uses none. */
  readonly retries: number;
  /** True: a person or a new event asked for this attempt: a failure does not count against the target. */
  readonly isUnscheduled: boolean;
  /** When the delivery of a probe, which is claimed early, is due again after a failure; null: the delivery was due. */
  readonly resumeInMs: number | null;
}

/** A failure class of its descriptor. After a `timeout`, a target gets one attempt at a time; `unroutable` holds no lane. */
export type FailureClass = string;

/** Details of an attempt, which the delivery log keeps for operators. */
export interface Trace {
  /** The address and port of the connection; null without a connection. */
  readonly address: string | null;
  /** The first KiB of the answer's body as text, without U+0000; null without an answer. */
  readonly excerpt: string | null;
}

/** The outcome of an attempt; `deliver` never throws. An attempt without a trace is counted, but not stored. */
export type Outcome =
  | {
      readonly kind: 'delivered';
      readonly httpStatus: number | null;
      readonly trace?: Trace;
      /** True: the attempt is stored, with or without a trace, but counts for no circuit. */
      readonly isStored?: boolean;
      /** Earlier unroutable events of the payment are given up: from now on they would only arrive out of order. */
      readonly isRouted?: true;
    }
  | {
      readonly kind: 'failed';
      readonly failure: FailureClass;
      /** The cause within the class, of Node, OpenSSL or Paybell. */
      readonly code?: string | null;
      readonly httpStatus: number | null;
      readonly retryAfterMs: number | null;
      readonly isStored?: boolean;
      readonly trace?: Trace;
    }
  /** The destination could not be tried, so that the attempt does not count. */
  | { readonly kind: 'held'; readonly retryInMs: number };

export type Failed = Extract<Outcome, { kind: 'failed' }>;

/** An attempt's outcome and its consequence for the delivery, to be committed. */
export interface Settlement {
  readonly delivery: DueDelivery;
  readonly outcome: Outcome;
  /** The wait until the next attempt; null: none follows, since the event is delivered or the schedule is used up. */
  readonly retryInMs: number | null;
  /** False: later events of its payment do not wait for it. */
  readonly holdsLane: boolean;
  /** How long later events of a lane wait after the lane's first failure; null: until the earlier events have ended. */
  readonly lanePatienceMs: number | null;
  /** The time since the attempt began, and its duration. */
  readonly ageMs: number;
  readonly durationMs: number;
}

/** How many deliveries to one destination a claim may take. */
export interface Slots {
  readonly destinationId: string;
  /** The most deliveries to claim now. */
  readonly free: number;
  /** True: claims the next delivery even before it is due. */
  readonly isProbe: boolean;
  /** Due deliveries that were never tried, the newest first: `only` these, or these `first`; left out: by due time. */
  readonly untried?: 'only' | 'first';
}

/** How many new deliveries to a destination a process would send at once: recorders insert this many leased to the process. */
export interface LeaseOffer {
  readonly destinationId: string;
  readonly free: number;
  readonly leaseMs: number;
}

/** The outcomes that were committed. */
export interface Settled {
  readonly changes: readonly TargetChange[];
  /** The targets at which the next delivery of a lane is due now. */
  readonly dueTargets: readonly string[];
}

/**
 * After ten failures in a row, of at least three payments, an endpoint's circuit opens and lets only probes through. The first
 * success makes it `recovering`, until all deliveries that waited for a retry are due again.
 */
export const CIRCUITS = ['closed', 'open', 'recovering'] as const;
export type Circuit = (typeof CIRCUITS)[number];

/** A receiver of deliveries, such as a webhook endpoint or the RabbitMQ exchange. */
export interface Target {
  readonly id: string;
  readonly circuit: Circuit;
  /** The time since the target's circuit was last open; null: it never was. */
  readonly recoveredForMs: number | null;
}

/**
 * A change of a target's state caused by attempts: its circuit opened, started to recover, or the target was disabled.
 * `open`: attempts failed while the circuit was already open, perhaps because another replica had opened it.
 */
export interface TargetChange {
  readonly targetId: string;
  readonly change: 'opened' | 'open' | 'recovered' | 'disabled';
}

/** A target with an open circuit that gets one delivery now. */
export interface Probe {
  readonly targetId: string;
  /** True: a delivery that is due and was never tried; false: the delivery that is due next. */
  readonly isUntried: boolean;
}

/** When the next delivery to a target is due. */
export interface NextDue {
  readonly targetId: string;
  /** 0: now. */
  readonly inMs: number;
}

/** The limit for all destinations together: in a larger claim the first deliveries would wait for the last. */
export const MAX_CLAIMED = 50;

/** The stored deliveries. A lane, one payment at one destination, is delivered in order and waits for no other lane. */
export abstract class Deliveries {
  /** Claims due deliveries for `leaseMs`, at most `free` for each destination and MAX_CLAIMED in all. */
  abstract claim(slots: readonly Slots[], leaseMs: number): Promise<DueDelivery[]>;
  /** Commits outcomes in one transaction, and makes each lane's next delivery due. */
  abstract settle(settlements: readonly Settlement[]): Promise<Settled>;
  /** The targets among these that have a delivery due within `withinMs`. */
  abstract dueWithin(targetIds: readonly string[], withinMs: number): Promise<readonly NextDue[]>;
  /**
   * The open circuits to probe now. Each probe is given to one process, and a circuit has one at a time: for `leaseMs` if the
   * outcome is never settled. An untried delivery can be a probe 5 s after the last one; without such a delivery, the wait
   * between probes grows.
   */
  abstract takeProbes(targetIds: readonly string[], leaseMs: number): Promise<readonly Probe[]>;
  /** Makes some waiting retries at a recovering target due now, and closes its circuit after the last one. */
  abstract bringForward(targetId: string): Promise<void>;
}

/** A target as the log names it. */
export interface LoggedTarget {
  /** The id in the API and on the command line. */
  readonly id: string;
  /** The merchant's description; null: none, or not known here. */
  readonly description: string | null;
  /** The name for use in a sentence. */
  readonly name: string;
}

/** A kind of destination, such as webhook endpoints or the RabbitMQ exchange. */
export abstract class Destination {
  /** The kind in its descriptor. */
  abstract readonly kind: string;
  /** The most attempts in flight, in all and for each target, and the time-out of an attempt. */
  abstract readonly limits: {
    readonly total: number;
    readonly perTarget: number;
    readonly timeoutMs: number;
  };
  /** The targets that accept deliveries now; none while the broker is away. */
  abstract targets(): Promise<readonly Target[]>;
  /** How log lines name a target. */
  describe(targetId: string): LoggedTarget {
    return { id: targetId, description: null, name: targetId };
  }
  /** Updates its targets after attempts have changed their state. */
  applyChanges(_changes: readonly TargetChange[]): void {}
  /** Makes one attempt. Always settles within little more than `limits.timeoutMs`. */
  abstract deliver(delivery: DueDelivery, signal: AbortSignal): Promise<Outcome>;
  /** The wait before the next attempt; null after the last attempt. `retries` includes the failed attempt. */
  abstract retryInMs(retries: number, failed: Failed): number | null;
  /** How long later events of a lane wait after the lane's first failure; null: until the earlier events have ended. */
  abstract readonly lanePatienceMs: number | null;
}
