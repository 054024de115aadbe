import type { EventType } from '../../domain/event/event.ts';
import type { CorrectedClock } from '../../platform/process/corrected-clock.ts';
import { type DueDelivery, MAX_CLAIMED, type Slots } from '../../ports/deliveries.ts';
import { type Database, NOW_MS } from '../connection/database.ts';

interface DueRow {
  readonly id: string;
  readonly token: string;
  readonly destination_id: string;
  readonly quote_id: string;
  readonly provider: string;
  readonly order_id: string | null;
  readonly event_id: string;
  readonly type: EventType;
  readonly sequence: number;
  readonly time: Date;
  readonly body: string;
  readonly traceparent: string | null;
  readonly attempts: number;
  readonly retries: number;
  readonly is_unscheduled: boolean;
  readonly resume_in_ms: number | null;
  readonly now_ms: number;
}

/** Claims due deliveries from the watermark on at which the last claim ended. */
export async function claimDeliveries(
  database: Database,
  watermarks: DeliveryWatermarks,
  slots: readonly Slots[],
  leaseMs: number,
): Promise<DueDelivery[]> {
  const startedAt = performance.now();
  const { epoch } = database.known;
  const ids = slots.map((slot) => slot.destinationId);
  const rows = await database.query<DueRow>(CLAIM, [
    ids,
    slots.map((slot) => slot.free),
    slots.map((slot) => slot.isProbe),
    leaseMs,
    watermarks.of(ids),
    slots.map((slot) => slot.untried ?? null),
  ]);
  if (rows[0] !== undefined) database.clock.measured(rows[0].now_ms, startedAt);
  database.known.noteRead(rows.map(seenIn), epoch);
  if (rows.length < MAX_CLAIMED)
    for (const slot of slots)
      if (isDrained(slot, rows)) watermarks.noteDrained(slot.destinationId, startedAt);
  return rows.map(dueOf);
}

function seenIn({ event_id: id, now_ms: nowMs, time }: DueRow): { id: string; ageMs: number } {
  return { id, ageMs: nowMs - time.getTime() };
}

function isDrained({ destinationId, free, isProbe, untried }: Slots, rows: readonly DueRow[]): boolean {
  return (
    !isProbe && untried !== 'only' && rows.filter((row) => row.destination_id === destinationId).length < free
  );
}

function dueOf(row: DueRow): DueDelivery {
  return {
    id: row.id,
    token: row.token,
    destinationId: row.destination_id,
    quoteId: row.quote_id,
    provider: row.provider,
    orderId: row.order_id,
    eventId: row.event_id,
    type: row.type,
    sequence: row.sequence,
    time: row.time,
    body: row.body,
    traceparent: row.traceparent,
    attempts: row.attempts,
    retries: row.retries,
    isUnscheduled: row.is_unscheduled,
    resumeInMs: row.resume_in_ms,
  };
}

/**
 * One short index scan for each destination with free slots: the backlog of one destination is never read for another. A probe
 * that is sent before its delivery is due does not count as a retry: the delivery's retry schedule stays as it was.
 */
const CLAIM = `
  WITH slot AS MATERIALIZED (
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::boolean[], $5::float8[], $6::text[])
      AS slot (destination_id, free, is_probe, from_ms, untried)
  ), untried AS MATERIALIZED (
    SELECT slot.destination_id, found.id FROM slot, LATERAL (
      SELECT id FROM delivery
      WHERE destination_id = slot.destination_id AND slot.untried IS NOT NULL
        AND attempts = 0 AND due_at <= now() AND NOT leased
      ORDER BY id DESC LIMIT slot.free FOR UPDATE SKIP LOCKED
    ) found
    LIMIT ${MAX_CLAIMED}
  ), claimed AS (
    UPDATE delivery d
    SET leased = true, token = d.token + 1, due_at = now() + $4 * interval '1 millisecond',
      last_attempt_at = now(), resume_at = CASE WHEN d.due_at > now() THEN d.due_at END,
      retries = CASE WHEN d.due_at > now() THEN greatest(d.retries - 1, 0) ELSE d.retries END,
      -- The patience of its lane is over: from now on it holds back no other.
      lane_state = CASE d.lane_state WHEN 'waiting' THEN 'released' ELSE d.lane_state END
    WHERE d.id = ANY (ARRAY(SELECT id FROM untried) || ARRAY(
      SELECT due.id
      FROM slot,
      LATERAL (
        SELECT id FROM delivery
        WHERE destination_id = slot.destination_id AND slot.untried IS DISTINCT FROM 'only'
          AND due_at >= CASE WHEN slot.is_probe THEN '-infinity' ELSE to_timestamp(slot.from_ms / 1000) END
          AND due_at <= CASE WHEN slot.is_probe THEN 'infinity' ELSE now() END
          AND (due_at <= now() OR (NOT leased AND lane_state <> 'waiting'))
        ORDER BY due_at, id
        LIMIT slot.free - (SELECT count(*) FROM untried WHERE untried.destination_id = slot.destination_id)
        FOR UPDATE SKIP LOCKED
      ) due
      LIMIT ${MAX_CLAIMED}))
    RETURNING d.*
  )
  SELECT c.id, c.token, c.destination_id, p.quote_id, p.provider, p.order_id, e.id AS event_id, e.type, c.sequence, e.time,
    e.body, p.traceparent, c.attempts, c.retries,
    c.is_unscheduled,
    (extract(epoch FROM c.resume_at - now()) * 1000)::float8 AS resume_in_ms,
    ${NOW_MS}
  FROM claimed c
  JOIN event e ON e.position = c.event_position
  JOIN payment p ON p.id = c.payment_id
  ORDER BY c.id`;

/** A transaction younger than this sets due times close to now. Rows of older transactions may appear below the watermark … */
const MARGIN_MS = 500;
/** … and are found by a full scan after this time. */
const FULL_EVERY_MS = 1_000;

/**
 * For each destination, the due time below which no delivery is due. While a long transaction is open elsewhere,
 * PostgreSQL keeps every index entry of claimed deliveries, and a scan from the index's beginning would read all of
 * them each time.
 */
export class DeliveryWatermarks {
  private readonly watermarks = new Map<string, number>();
  private fullAt = 0;

  constructor(private readonly clock: CorrectedClock) {}

  /** Milliseconds since the epoch, for statements that search these destinations for due deliveries. */
  of(destinationIds: readonly string[]): number[] {
    if (performance.now() >= this.fullAt) {
      this.fullAt = performance.now() + FULL_EVERY_MS;
      this.watermarks.clear();
    }
    return destinationIds.map((id) => this.watermarks.get(id) ?? 0);
  }

  /**
   * Notes that a claim, begun at `startedAt` (performance.now()), has taken everything that was due to this
   * destination.
   */
  noteDrained(destinationId: string, startedAt: number): void {
    const startedMs = this.clock.earliestMs(startedAt);
    if (startedMs !== null) this.watermarks.set(destinationId, startedMs - MARGIN_MS);
  }
}
