/** Rows are given due times of now or later by transactions that began no longer ago than this, nearly always … */
const MARGIN_MS = 500;
/** … and the others are found after so long. */
const FULL_EVERY_MS = 1_000;

/**
 * Below which due time nothing is due to a destination. While a long transaction is open elsewhere, PostgreSQL keeps
 * every index entry that a claim has left behind, and a scan from the index's beginning reads them all again, each time.
 */
export class DeliveryWatermarks {
  private readonly marks = new Map<string, number>();
  private fullAt = 0;
  /** The database's clock as it was heard last, by ours. */
  private clockOffsetMs: number | null = null;

  /** Milliseconds since the epoch, for statements that look for what is due to these. */
  of(destinationIds: readonly string[]): number[] {
    if (performance.now() >= this.fullAt) {
      this.fullAt = performance.now() + FULL_EVERY_MS;
      this.marks.clear();
    }
    return destinationIds.map((id) => this.marks.get(id) ?? 0);
  }

  /** Heard a moment after it was read: rather behind the database's clock than before it. */
  noteClock(nowMs: number): void {
    this.clockOffsetMs = nowMs - performance.now();
  }

  /** A claim that began at `startedAt`, by performance.now(), has taken all that was due to this destination. */
  noteDrained(destinationId: string, startedAt: number): void {
    if (this.clockOffsetMs !== null)
      this.marks.set(destinationId, startedAt + this.clockOffsetMs - MARGIN_MS);
  }
}
