import type { Counts } from '../domain/figures/counts.ts';
import type { FigureLength, TimeRange } from '../domain/figures/time-ranges.ts';
import type { ReplicaState } from './replicas.ts';
import type { Removed } from './retention.ts';

/** The counts of one destination. */
export interface TargetCounts {
  readonly destinationId: string;
  readonly counts: Counts;
}

/** The counts of one provider. */
export interface ProviderCounts {
  readonly provider: string;
  readonly counts: Counts;
}

/** Whose figures: a destination's, or a provider's. */
export type FigureTarget = { readonly destinationId: string } | { readonly provider: string };

/** The counts of a replica in a minute. */
export interface FigureBatch {
  /** 1, 2, 3, … of this replica: a batch that is written again, since the first answer was lost, counts once. */
  readonly number: number;
  /** The beginning of the minute. */
  readonly at: Date;
  readonly all: Counts;
  /** For each destination that something happened at. */
  readonly destinations: readonly TargetCounts[];
  /** For each provider that was asked. */
  readonly providers: readonly ProviderCounts[];
}

export interface FigurePoint {
  readonly at: Date;
  readonly counts: Counts;
}

/** The sum over a range of time for one destination. */
export interface DestinationSum extends TargetCounts {
  /** `webhook` or `rabbitmq`. */
  readonly kind: string;
}

/** The figures of all replicas together, by the minute. */
export abstract class MinuteFigures {
  /** Writes what a replica says of itself, and what it counted; null: nothing new. One statement. */
  abstract write(replica: ReplicaState, batch: FigureBatch | null): Promise<void>;

  /**
   * The counts by steps of `stepMs` from `range.from` on, without empty steps; of one target, or of everything (null).
   * `length`: from which of the kept lengths; the step is a multiple of it.
   */
  abstract series(
    target: FigureTarget | null,
    range: TimeRange,
    stepMs: number,
    length: FigureLength,
  ): Promise<FigurePoint[]>;

  /** The sum of a target or of everything (null) over the range, whose ends are whole minutes. */
  abstract sum(target: FigureTarget | null, range: TimeRange): Promise<Counts>;

  /** The sums of the destinations that something happened at, of one (its id) or of all (null). */
  abstract sumsOfDestinations(range: TimeRange, destinationId: string | null): Promise<DestinationSum[]>;

  /** Removes figures that are older than `before`. */
  abstract removeBefore(before: Date, limit: number): Promise<Removed>;
}
