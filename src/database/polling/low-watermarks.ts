import { URGENCY_NAMES, type UrgencyName } from '../../domain/polling/urgency.ts';
import type { Database } from '../connection/database.ts';

/** A transaction younger than this sets due times close to now. Rows of older transactions may appear below the watermark … */
const MARGIN_MS = 30;
/** … and are found by a full scan after this time. */
const FULL_EVERY_MS = 1_000;
/**
 * While more payments are due than are claimed, the tracker does not ask for the next due time: the watermarks are raised
 * this often.
 */
const RAISE_EVERY_MS = 100;
const NONE: readonly number[] = URGENCY_NAMES.map(() => 0);

interface FirstRow {
  readonly urgency: UrgencyName;
  readonly due_ms: number;
  readonly in_ms: number;
}

/**
 * For each urgency, the due time below which no payment is due. While a long transaction is open elsewhere, PostgreSQL keeps
 * every index entry of claimed payments, and a scan from the index's beginning would read all of them each time.
 */
export class LowWatermarks {
  private watermarks: readonly number[] = NONE;
  private fullAt = 0;
  private raiseAt = 0;

  constructor(
    private readonly database: Database,
    private readonly provider: string,
  ) {}

  /** Milliseconds since the epoch, indexed by urgency, for statements that select due payments. */
  get fromMs(): readonly number[] {
    return this.watermarks;
  }

  /** Milliseconds until the first payment is due, negative when it is overdue; null when no payment is scheduled. */
  async nextDueInMs(): Promise<number | null> {
    const askedAt = performance.now();
    const isFull = askedAt >= this.fullAt;
    if (isFull) this.fullAt = askedAt + FULL_EVERY_MS;
    this.raiseAt = askedAt + RAISE_EVERY_MS;
    const from = this.watermarks;
    const rows = await this.database.query<FirstRow>(FIRST_DUE, [isFull ? NONE : from, this.provider]);
    const [first] = rows;
    if (first === undefined) return null;
    const nowMs = first.due_ms - first.in_ms;
    this.database.clock.measured(nowMs, askedAt);
    if (isFull || from === this.watermarks) this.raise(rows, nowMs);
    return Math.min(...rows.map((row) => row.in_ms));
  }

  /**
   * Notes that a claim, begun at `startedAt` (performance.now()), has taken everything that was due above the watermarks
   * `from`. Does nothing before the first `nextDueInMs`, or after another one has read since: that one may have found
   * payments below.
   */
  noteDrained(startedAt: number, from: readonly number[]): void {
    const startedMs = this.database.clock.earliestMs(startedAt);
    if (startedMs === null || from === NONE || from !== this.watermarks) return;
    this.watermarks = this.watermarks.map((watermark) => Math.max(watermark, startedMs - MARGIN_MS));
  }

  /**
   * After a claim that left due payments behind, raises the watermarks, so that later claims do not read its index entries
   * again.
   */
  async noteLeft(): Promise<void> {
    if (this.watermarks !== NONE && performance.now() >= this.raiseAt) await this.nextDueInMs();
  }

  private raise(rows: readonly FirstRow[], nowMs: number): void {
    this.watermarks = URGENCY_NAMES.map((urgency) => {
      const firstMs = rows.find((row) => row.urgency === urgency)?.due_ms ?? nowMs;
      return Math.min(firstMs, nowMs) - MARGIN_MS;
    });
  }
}

const FIRST_DUE = `
  SELECT class.urgency, (extract(epoch FROM first.due_at) * 1000)::float8 AS due_ms,
    (extract(epoch FROM first.due_at - now()) * 1000)::float8 AS in_ms
  FROM unnest(enum_range(NULL::poll_urgency), $1::float8[]) AS class (urgency, from_ms),
  LATERAL (
    SELECT due_at FROM payment_schedule
    WHERE provider = $2 AND urgency = class.urgency AND due_at >= to_timestamp(class.from_ms / 1000)
    ORDER BY due_at LIMIT 1
  ) first`;
