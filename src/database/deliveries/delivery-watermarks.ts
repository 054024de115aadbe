import type { CorrectedClock } from '../../platform/process/corrected-clock.ts';

/** Nearly all rows are given a due time of now or later by transactions that began no longer ago than this … */
const MARGIN_MS = 500;
/** … and the others are found after so long. */
const FULL_EVERY_MS = 1_000;

/**
 * Below which due time nothing is due to a destination. While a long transaction is open elsewhere, PostgreSQL keeps
 * every index entry that a claim has left behind, and a scan from the index's beginning reads all of them again each time.
 */
export class DeliveryWatermarks {
  private readonly watermarks = new Map<string, number>();
  private fullAt = 0;

  constructor(private readonly clock: CorrectedClock) {}

  /** Milliseconds since the epoch, for statements that search the due deliveries of these destinations. */
  of(destinationIds: readonly string[]): number[] {
    if (performance.now() >= this.fullAt) {
      this.fullAt = performance.now() + FULL_EVERY_MS;
      this.watermarks.clear();
    }
    return destinationIds.map((id) => this.watermarks.get(id) ?? 0);
  }

  /** A claim that began at `startedAt`, by performance.now(), has taken all that was due to this destination. */
  noteDrained(destinationId: string, startedAt: number): void {
    const startedMs = this.clock.earliestMs(startedAt);
    if (startedMs !== null) this.watermarks.set(destinationId, startedMs - MARGIN_MS);
  }
}
