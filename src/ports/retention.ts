/** The result of one batch. */
export interface Removed {
  readonly count: number;
  /** True when another batch may find more, even after a `count` of 0. */
  readonly isMore: boolean;
}

/** Removes expired data in bounded batches. */
export abstract class Retention {
  /**
   * Removes at most `limit` closed payments that last changed before then, with their events and deliveries. One transaction
   * removes a bounded number of deliveries; a payment follows once none of its deliveries is left.
   */
  abstract removeClosedBefore(before: Date, limit: number): Promise<Removed>;
  /** Discards pending deliveries to deleted endpoints. */
  abstract discardOrphans(limit: number): Promise<Removed>;
  /** Removes undelivered deliveries of event types that their endpoint no longer wants. */
  abstract removeUnwanted(): Promise<number>;
  /** Removes the circuits of deleted endpoints. */
  abstract removeOrphanCircuits(): Promise<number>;
  /** Removes at most `limit` entries of the audit log that are older than `before`. */
  abstract removeAudit(before: Date, limit: number): Promise<Removed>;
  /** Forgets the last uses of API keys before this time. */
  abstract removeKeyUses(before: Date): Promise<number>;
}
