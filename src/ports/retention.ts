/** Removes what is kept no longer. Both work in bounded batches and tell how many they removed. */
export abstract class Retention {
  /** Closed payments last touched before then, with their quotes, reports, events and deliveries. */
  abstract removeClosedBefore(before: Date, limit: number): Promise<number>;
  /** Discards deliveries owed to endpoints that are gone. */
  abstract discardOrphans(limit: number): Promise<number>;
}
