import type { UpTo } from './attention.ts';

/** A destination, as operators know it. */
export interface NamedDestination {
  /** Of a webhook endpoint its id; null: the events had no receiver. */
  readonly id: string | null;
  /** A kind of destination, `deleted`: an endpoint that is no more, or `nobody`: there was no destination. */
  readonly kind: string;
  /** Such as `RabbitMQ, exchange payments`; of an endpoint its description, or else its URL. */
  readonly name: string;
}

/** How many payments are untold at a destination; `since`: the oldest event that was not told there. */
export interface UntoldAt extends UpTo {
  readonly destination: NamedDestination;
}

/** How many payments some destination has not been told of; those of the destinations together may be more. */
export interface Untold extends UpTo {
  /** Those that some payment is untold at, the most payments first. */
  readonly destinations: readonly UntoldAt[];
}

export const NOTHING_UNTOLD: Untold = { count: 0, isMore: false, since: null, destinations: [] };

/** The events of one payment that a destination has not been told. */
export interface UntoldEvents {
  readonly destination: NamedDestination;
  readonly events: number;
  /** The first event that was not told: its number in the payment. */
  readonly sequence: number;
  readonly since: Date;
}

/** Which payments destinations have not been told of: the one definition, of domain/event/told.ts. */
export abstract class UntoldPayments {
  abstract now(): Promise<Untold>;
  /** By quote id; payments that a person resolved, and those that are told, are left out. */
  abstract of(quoteIds: readonly string[]): Promise<ReadonlyMap<string, readonly UntoldEvents[]>>;
  /** How many events of the last minute had no receiver, counted up to 1,000. */
  abstract withoutReceiver(): Promise<number>;
}
