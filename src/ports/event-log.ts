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

/** Selects events: those that match every given part. */
export interface LogFilter {
  /** Empty: every type. */
  readonly types: readonly EventType[];
  readonly quoteId?: string;
  readonly orderId?: string;
}

export interface LogPage {
  readonly events: readonly LoggedEvent[];
  /** The position of the last event that was read, whether or not it matches the filter. */
  readonly last: LogPosition;
}

/** An open transaction, described so that an operator finds it. */
export interface LogHolder {
  /** `process 1234 (psql)`, or `prepared transaction x`: no user, no address. */
  readonly name: string;
  readonly since: Date;
}

/**
 * All events in one order that never changes; within a payment it is the order of their sequence. An event that becomes
 * visible later always comes after those that were visible before.
 */
export abstract class EventLog {
  /** At most `limit` events after a position. A page before the end may be short or empty, when few events match. */
  abstract read(after: LogPosition, filter: LogFilter, limit: number): Promise<LogPage>;
  /** The position of a cursor or an event's id; null when it is not in the log. */
  abstract find(after: string): Promise<LogPosition | null>;
  /** The position of the log's last event. */
  abstract end(): Promise<LogPosition>;
  /** The position before the last `count` events. */
  abstract beforeLast(count: number): Promise<LogPosition>;
  /**
   * The age of the oldest committed event that is not visible in the log yet, in milliseconds; 0 when there is none. The cost
   * does not grow with the number of such events.
   */
  abstract heldForMs(): Promise<number>;
  /** The oldest open transaction that has written, which holds the log back; null: none, or this role may not see it. */
  abstract holder(): Promise<LogHolder | null>;
  /** The id of the payment with this quote; null when there is none. */
  abstract paymentIdOf(quoteId: string): Promise<string | null>;
}
