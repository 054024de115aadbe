import { URGENCY_NAMES, type UrgencyName } from '../../domain/polling/urgency.ts';
import type { Database } from '../connection/database.ts';

/** Nearly all rows are given a due time of now or later by transactions that began no longer ago than this … */
const MARGIN_MS = 30;
/** … and the time after which the others are found. */
const FULL_EVERY_MS = 1_000;
/** While more is due than is claimed, the tracker does not ask for the next due time. */
const RAISE_EVERY_MS = 100;
const NONE: readonly number[] = URGENCY_NAMES.map(() => 0);

interface FirstRow {
  readonly urgency: UrgencyName;
  readonly due_ms: number;
  readonly in_ms: number;
}

/**
 * Below which due time nothing is due, for each urgency. While a long transaction is open elsewhere, PostgreSQL keeps every
 * index entry that a claim has left behind, and a scan from the index's beginning reads all of them again each time.
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

  /** Milliseconds until the first payment is due, negative when it is overdue; null when there is none. */
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
   * A claim that began at `startedAt`, by performance.now(), has taken all that was due above the watermarks `from`. The first
   * reading of `nextDueInMs` sets them. A reading that was made meanwhile may have found payments below: it stands.
   */
  noteDrained(startedAt: number, from: readonly number[]): void {
    const startedMs = this.database.clock.earliestMs(startedAt);
    if (startedMs === null || from === NONE || from !== this.watermarks) return;
    this.watermarks = this.watermarks.map((watermark) => Math.max(watermark, startedMs - MARGIN_MS));
  }

  /** A claim has left due payments: the next ones should not read again what it leaves behind in the index. */
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
