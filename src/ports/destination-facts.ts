import type { Circuit, FailureClass } from './deliveries.ts';
import type { NamedDestination } from './untold-payments.ts';
import type { RefusedPayments, UnsentEvents } from './webhook-endpoints.ts';

/** The last failed attempt, among deliveries that wait or were given up. */
export interface LastFailure {
  readonly at: Date;
  readonly failure: FailureClass;
  readonly code: string | null;
  readonly httpStatus: number | null;
  /** The beginning of the answer as text; null without an answer. */
  readonly excerpt: string | null;
  readonly deliveryId: string;
}

/** The database's facts about a destination. */
export interface DestinationFacts extends NamedDestination {
  /** The id of the destination's row, which identifies its figures. */
  readonly rowId: string;
  /** Null: a kind that has one target. */
  readonly url: string | null;
  readonly enabled: boolean;
  readonly disabledReason: string | null;
  readonly circuit: Circuit;
  readonly failingSince: Date | null;
  readonly nextProbeAt: Date | null;
  readonly refused: RefusedPayments;
  /** How many deliveries are pending, counted as in a list of endpoints; `isMore`: the number is a lower bound. */
  readonly pending: number;
  readonly isMore: boolean;
  readonly oldestPendingAt: Date | null;
  readonly unsent: UnsentEvents;
  readonly lastDeliveredAt: Date | null;
  readonly lastFailure: LastFailure | null;
  /** When the destination last acknowledged a test event. */
  readonly testedAt: Date | null;
}

/** All destinations to which events are sent, of any kind. */
export abstract class KnownDestinations {
  /** Kinds that have one target come first, if they are enabled; then webhook endpoints, the oldest first. */
  abstract list(): Promise<DestinationFacts[]>;
}
