import type { EventType } from '../domain/event/event.ts';
import type { LogPosition } from '../domain/event/log-position.ts';

/** An event in the log; `body` is the CloudEvents JSON, verbatim. */
export interface LoggedEvent {
  readonly id: string;
  readonly type: EventType;
  readonly paymentId: string;
  readonly body: string;
  readonly position: LogPosition;
}

/** Which events are wanted: all that match each part that is given. */
export interface LogFilter {
  /** None: of every type. */
  readonly types: readonly EventType[];
  readonly quoteId?: string;
  readonly orderId?: string;
}

/** A part of the log. */
export interface LogPage {
  readonly events: readonly LoggedEvent[];
  /** Of the last event that was looked at, wanted or not. */
  readonly last: LogPosition;
  /** Nothing up to here is left to be read; at the end of the log it is ahead of `last`. */
  readonly seenTo: LogPosition;
}

/**
 * Every event in one order that never changes, in which the events of a payment have the order of their sequence. What
 * becomes visible later is always after what was read before.
 */
export abstract class EventLog {
  /** At most `limit` events after a place; fewer, or none, before the end too, where few of those looked at are wanted. */
  abstract read(after: LogPosition, filter: LogFilter, limit: number): Promise<LogPage>;
  /** Where to go on after a cursor or an event's id; null when there is no such event, or place. */
  abstract find(after: string): Promise<LogPosition | null>;
  /** Where the log ends now. */
  abstract end(): Promise<LogPosition>;
  /**
   * How long ago the oldest event happened that is committed and can't be read yet, in milliseconds; 0 when there is none.
   * Cheap however many there are.
   */
  abstract heldForMs(): Promise<number>;
  /** Null: no payment has this quote. */
  abstract paymentIdOf(quoteId: string): Promise<string | null>;
}
