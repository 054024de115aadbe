/** What one batch did. */
export interface Removed {
  readonly count: number;
  /** There may be more to do at once, even where `count` is 0. */
  readonly isMore: boolean;
}

/** Removes what is kept no longer, in bounded batches. */
export abstract class Retention {
  /**
   * Closed payments last touched before then, at most `limit`, with all that belongs to them. Their deliveries go first,
   * as many as one transaction should remove; the payments once none is left.
   */
  abstract removeClosedBefore(before: Date, limit: number): Promise<Removed>;
  /** Discards deliveries owed to endpoints that are gone. */
  abstract discardOrphans(limit: number): Promise<Removed>;
  /** Removes the circuits of endpoints that are gone. */
  abstract removeOrphanCircuits(): Promise<number>;
}
