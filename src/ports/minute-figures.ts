import type { Counts } from '../domain/figures/counts.ts';
import type { FigureLength, TimeRange } from '../domain/figures/time-ranges.ts';
import type { ReplicaState } from './replicas.ts';
import type { Removed } from './retention.ts';

/** The counts of one destination. */
export interface TargetCounts {
  readonly destinationId: string;
  readonly counts: Counts;
}

export interface ProviderCounts {
  readonly provider: string;
  readonly counts: Counts;
}

/** The owner of figures: a destination or a provider. */
export type FigureTarget = { readonly destinationId: string } | { readonly provider: string };

/** The counts of a replica in a minute. */
export interface FigureBatch {
  /**
   * A number that each replica counts up from 1: a batch that is written again, because the first answer was lost, counts
   * once.
   */
  readonly number: number;
  /** The beginning of the minute. */
  readonly at: Date;
  readonly all: Counts;
  /** For each destination with activity. */
  readonly destinations: readonly TargetCounts[];
  /** The counts of each provider that was asked. */
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
  /** Writes a replica's state and its counts; null: no new counts. Uses one statement. */
  abstract write(replica: ReplicaState, batch: FigureBatch | null): Promise<void>;

  /**
   * The counts of one target, or of all together (null), in steps of `stepMs` from `range.from` on, without empty steps.
   * `length` selects which stored length to read; the step is a multiple of it.
   */
  abstract series(
    target: FigureTarget | null,
    range: TimeRange,
    stepMs: number,
    length: FigureLength,
  ): Promise<FigurePoint[]>;

  /** The sum of a target, or of all together (null), over the range, whose ends are whole minutes. */
  abstract sum(target: FigureTarget | null, range: TimeRange): Promise<Counts>;

  /** The sums of each destination with activity, or only of one (its id). */
  abstract sumsOfDestinations(range: TimeRange, destinationId: string | null): Promise<DestinationSum[]>;

  /** Removes figures that are older than `before`. */
  abstract removeBefore(before: Date, limit: number): Promise<Removed>;
}
