import type { Queries } from '../../ports/queries.ts';

/** Rows are given due times of now or later by transactions that began no longer ago than this, nearly always … */
const MARGIN_MS = 30;
/** … and the others are found after so long. */
const FULL_EVERY_MS = 1_000;
const NONE: readonly number[] = [0, 0, 0, 0];

interface FirstRow {
  readonly urgency: number;
  readonly due_ms: number;
  readonly in_ms: number;
}

/**
 * Below which due time nothing is due, for each class. While a long transaction is open elsewhere, PostgreSQL keeps every
 * index entry that a claim has left behind, and a scan from the index's beginning reads them all again, each time.
 */
export class LowWater {
  private marks: readonly number[] = NONE;
  private fullAt = 0;
  /** The database's clock as it was heard last, by ours. */
  private clockOffsetMs: number | null = null;

  /** Milliseconds since the epoch, indexed by class, for statements that look for what is due. */
  get marksMs(): readonly number[] {
    return this.marks;
  }

  /** Milliseconds until the first payment is due, negative when it is overdue; null when there is none. */
  async nextDueInMs(queries: Queries): Promise<number | null> {
    const isFull = performance.now() >= this.fullAt;
    if (isFull) this.fullAt = performance.now() + FULL_EVERY_MS;
    const rows = await queries.query<FirstRow>(FIRST_DUE, [isFull ? NONE : this.marks]);
    const [first] = rows;
    if (first === undefined) return null;
    const nowMs = first.due_ms - first.in_ms;
    // Heard a moment after it was read: rather behind the database's clock than before it.
    this.clockOffsetMs = nowMs - performance.now();
    this.raise(rows, nowMs);
    return Math.min(...rows.map((row) => row.in_ms));
  }

  /** A claim that began at `startedAt`, by performance.now(), has taken all that was due. */
  noteDrained(startedAt: number): void {
    if (this.clockOffsetMs === null) return;
    const drainedMs = startedAt + this.clockOffsetMs - MARGIN_MS;
    this.marks = this.marks.map((mark) => Math.max(mark, drainedMs));
  }

  private raise(rows: readonly FirstRow[], nowMs: number): void {
    this.marks = NONE.map((_none, urgency) => {
      const firstMs = rows.find((row) => row.urgency === urgency)?.due_ms ?? nowMs;
      return Math.min(firstMs, nowMs) - MARGIN_MS;
    });
  }
}

const FIRST_DUE = `
  SELECT class.urgency, (extract(epoch FROM first.due_at) * 1000)::float8 AS due_ms,
    (extract(epoch FROM first.due_at - now()) * 1000)::float8 AS in_ms
  FROM unnest('{0,1,2,3}'::smallint[], $1::float8[]) AS class (urgency, from_ms),
  LATERAL (
    SELECT due_at FROM payment_schedule
    WHERE urgency = class.urgency AND due_at >= to_timestamp(class.from_ms / 1000)
    ORDER BY due_at LIMIT 1
  ) first`;
