import type { UpTo } from './attention.ts';

/** A destination, as operators know it. */
export interface NamedDestination {
  /** The id of a webhook endpoint; null: the events had no receiver. */
  readonly id: string | null;
  /** A kind of destination, or `deleted` (a removed endpoint), or `nobody` (there was no destination). */
  readonly kind: string;
  /** A name such as `RabbitMQ (exchange payments)`; for an endpoint its description, or else its URL. */
  readonly name: string;
}

/** How many payments are untold at a destination; `since` is the time of the oldest event that it was not told. */
export interface UntoldAt extends UpTo {
  readonly destination: NamedDestination;
}

/** How many payments are untold at any destination; the numbers of the single destinations may add up to more. */
export interface Untold extends UpTo {
  /** The destinations with untold payments, the most payments first. */
  readonly destinations: readonly UntoldAt[];
}

export const NOTHING_UNTOLD: Untold = { count: 0, isMore: false, since: null, destinations: [] };

/** The events of one payment that a destination was not told. */
export interface UntoldEvents {
  readonly destination: NamedDestination;
  readonly events: number;
  /** The number within the payment of the first event that was not told. */
  readonly sequence: number;
  readonly since: Date;
}

/** Which payments are untold at which destinations, by the one definition in domain/event/told.ts. */
export abstract class UntoldPayments {
  abstract now(): Promise<Untold>;
  /** The untold events by quote id; leaves out told payments and those that a person has settled otherwise. */
  abstract of(quoteIds: readonly string[]): Promise<ReadonlyMap<string, readonly UntoldEvents[]>>;
  /** How many events of the last minute had no receiver, counted up to 1,000. */
  abstract withoutReceiver(): Promise<number>;
}
