import type { Queries } from '../../../ports/queries.ts';

/** The right to sweep for a while, in all replicas. */
export interface ReconcileTurn {
  /** Up to where Relay's changes were told, by Relay's clock; null before the first sweep. */
  readonly reconciledTo: Date | null;
  /** The database's clock. */
  readonly now: Date;
}

interface Row {
  readonly reconciled_to: Date | null;
  readonly now: Date;
  readonly next_at: string;
}

/** Before anybody else takes over the turn of a replica that swept last: who knows what it has told tells it once. */
const OTHERS_WAIT_MS = 2_000;

/** Hands the one turn at sweeping from replica to replica, through the database that they share. */
export class ReconcileTurns {
  /** What this process wrote last: whoever finds another value was taken over. Text, since a Date loses microseconds. */
  private fence: string | null = null;

  constructor(private readonly queries: Queries) {}

  /** Null while it is another's turn, or nobody's for `restMs` after the next was due. */
  async claim(leaseMs: number, restMs: number): Promise<ReconcileTurn | null> {
    const [row] = await this.queries.query<Row>(CLAIM, [leaseMs, restMs, this.fence, OTHERS_WAIT_MS]);
    if (row === undefined) return null;
    this.fence = row.next_at;
    return { reconciledTo: row.reconciled_to, now: row.now };
  }

  /** Keeps the turn for longer; false when it was taken over. */
  hold(leaseMs: number): Promise<boolean> {
    return this.write(null, leaseMs);
  }

  /** Tells up to where was swept, null: no further, and when the next turn is; false when it was taken over. */
  finish(reconciledTo: Date | null, nextInMs: number): Promise<boolean> {
    return this.write(reconciledTo, nextInMs);
  }

  private async write(reconciledTo: Date | null, nextInMs: number): Promise<boolean> {
    const [row] = await this.queries.query<Pick<Row, 'next_at'>>(WRITE, [reconciledTo, nextInMs, this.fence]);
    if (row !== undefined) this.fence = row.next_at;
    return row !== undefined;
  }
}

/** By the clock, not the transaction: the fence must be another one each time. */
const NEXT_AT = `clock_timestamp() + $2::float8 * interval '1 millisecond'`;

const CLAIM = `
  UPDATE relay_reconcile SET next_at = clock_timestamp() + $1::float8 * interval '1 millisecond'
  WHERE id = 1 AND next_at <= now() - interval '1 millisecond' *
    ($2::float8 + CASE WHEN next_at = $3::timestamptz THEN 0 ELSE $4::float8 END)
  RETURNING reconciled_to, now() AS now, next_at::text AS next_at`;

const WRITE = `
  UPDATE relay_reconcile
  SET next_at = ${NEXT_AT},
    reconciled_to = greatest(reconciled_to, $1::timestamptz)
  WHERE id = 1 AND next_at = $3::timestamptz
  RETURNING next_at::text AS next_at`;
