import type { Queries } from '../../../ports/queries.ts';

/** The right of one replica to reconcile for a while. */
export interface ReconcileLease {
  /** How far Relay's changes were read, by Relay's clock; null before the first run. */
  readonly reconciledTo: Date | null;
  /** The database's clock. */
  readonly now: Date;
}

interface Row {
  readonly reconciled_to: Date | null;
  readonly now: Date;
  readonly next_at: string;
}

/** Another replica waits this much longer before its claim: the last holder knows which changes it has handled. */
const OTHERS_WAIT_MS = 2_000;

/** Leases reconciliation to one replica at a time, in the database that the replicas share. */
export class ReconcileLeases {
  /** The fencing token: the `next_at` that this process wrote last. Text, since a Date would lose microseconds. */
  private fence: string | null = null;

  constructor(private readonly queries: Queries) {}

  /** Null while another replica holds the lease, and until `restMs` after the next run was due. */
  async claim(leaseMs: number, restMs: number): Promise<ReconcileLease | null> {
    const [row] = await this.queries.query<Row>(CLAIM, [leaseMs, restMs, this.fence, OTHERS_WAIT_MS]);
    if (row === undefined) return null;
    this.fence = row.next_at;
    return { reconciledTo: row.reconciled_to, now: row.now };
  }

  /** Extends the lease; false when another replica has claimed it. */
  renew(leaseMs: number): Promise<boolean> {
    return this.write(null, leaseMs);
  }

  /**
   * Ends the lease: writes `reconciledTo`, or null to keep the former value, and the time of the next run. False when another
   * replica has claimed the lease.
   */
  release(reconciledTo: Date | null, nextInMs: number): Promise<boolean> {
    return this.write(reconciledTo, nextInMs);
  }

  private async write(reconciledTo: Date | null, nextInMs: number): Promise<boolean> {
    const [row] = await this.queries.query<Pick<Row, 'next_at'>>(WRITE, [reconciledTo, nextInMs, this.fence]);
    if (row !== undefined) this.fence = row.next_at;
    return row !== undefined;
  }
}

/** clock_timestamp(), not now(): every write needs a new fencing token. */
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
