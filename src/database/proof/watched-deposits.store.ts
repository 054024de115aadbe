import { Injectable } from '@nestjs/common';

import type { Payment } from '../../domain/payment/payment.ts';
import { isPaid, STATUSES, type Status } from '../../domain/payment/status.ts';
import type { Transition } from '../../domain/payment/transition.ts';
import type { SeenTransfer } from '../../domain/proof/output.ts';
import { Clock } from '../../ports/clock.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { Deliverable } from '../../ports/new-deliveries.ts';
import { Meter } from '../../ports/meter.ts';
import { WatchedDeposits, type DepositClaim } from '../../ports/watched-deposits.ts';
import { ProofSignal } from '../../platform/scheduling/wake-signal.ts';
import { Database } from '../connection/database.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { changePayment } from '../payments/change-payment.ts';
import { readTransfer, writeTransfer } from './proof-row.ts';

interface DepositRow {
  readonly payment_id: string;
  readonly token: string;
  readonly quote_id: string;
  readonly provider: string;
  readonly status: Status;
  readonly created_at: Date;
  readonly quote_text: string | null;
  readonly report_text: string | null;
  readonly tx_hashes: readonly string[];
  readonly inspections: number;
  readonly left_ms: number;
  readonly seen: string | null;
  readonly seen_ago_ms: number;
}

/** Of one payment; each is searched for. */
const MAX_HASHES = 5;

/** The watched deposit addresses in PostgreSQL. */
@Injectable()
export class PostgresWatchedDeposits extends WatchedDeposits {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly meter: Meter,
    private readonly signal: ProofSignal,
  ) {
    super();
  }

  async claimDue(limit: number, leaseMs: number): Promise<DepositClaim[]> {
    const rows = await this.database.withDeadlockRetry(() =>
      this.database.query<DepositRow>(CLAIM, [limit, leaseMs]),
    );
    return rows.map(claimOf);
  }

  async watch(quoteId: string, txHash: string): Promise<boolean> {
    const rows = await this.database.withDeadlockRetry(() =>
      this.database.query(WATCH, [quoteId, txHash, UNPAID]),
    );
    this.signal.wake();
    return rows.length > 0;
  }

  async keep(
    { paymentId, token }: DepositClaim,
    seen: SeenTransfer | null,
    nextInMs: number | null,
  ): Promise<void> {
    if (nextInMs === null) await this.database.query(FORGET, [paymentId, token]);
    else await this.database.query(KEEP, [paymentId, token, writeTransfer(seen), nextInMs]);
  }

  /** The event first: where the process ends between, the same deposit makes no second one. */
  async end(
    claim: DepositClaim,
    judge: (payment: Payment) => Transition,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable> {
    const { database, rules, clock } = this;
    const changed = await changePayment(database, claim.quoteId, judge, rules, offers, clock);
    if (changed !== null) {
      this.database.known.noteRecorded(changed.stored);
      this.meter.recorded('payment.anomaly');
    }
    await this.database.query(FORGET, [claim.paymentId, claim.token]);
    return { deliveries: changed?.deliveries ?? null };
  }
}

function claimOf(row: DepositRow): DepositClaim {
  return {
    paymentId: row.payment_id,
    token: row.token,
    quoteId: row.quote_id,
    provider: row.provider,
    status: row.status,
    quoteText: row.quote_text,
    reportText: row.report_text,
    createdAt: row.created_at,
    txHashes: row.tx_hashes,
    inspections: row.inspections,
    leftMs: row.left_ms,
    seen: readTransfer(row.seen),
    seenAgoMs: row.seen_ago_ms,
  };
}

const UNPAID = STATUSES.filter((status) => !isPaid(status));

const CLAIM = `
  WITH claimed AS (
    UPDATE deposit_watch w
    SET due_at = now() + $2 * interval '1 millisecond', inspections = w.inspections + 1,
      token = greatest(w.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE payment_id = ANY (ARRAY(
      SELECT payment_id FROM deposit_watch WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING w.*
  )
  SELECT w.payment_id, w.token, p.quote_id, p.provider, p.status, p.created_at, w.tx_hashes, w.inspections, w.seen,
    q.body AS quote_text, r.body AS report_text,
    (extract(epoch FROM w.ends_at - now()) * 1000)::float8 AS left_ms,
    coalesce(extract(epoch FROM now() - w.seen_at) * 1000, 0)::float8 AS seen_ago_ms
  FROM claimed w JOIN payment p ON p.id = w.payment_id
  LEFT JOIN payment_quote q ON q.payment_id = p.id
  LEFT JOIN payment_report r ON r.payment_id = p.id`;

/** A payer's word begins the time anew. */
const WATCH = `
  INSERT INTO deposit_watch AS w (payment_id, due_at, ends_at, tx_hashes)
  SELECT id, now(), now() + interval '1 day', ARRAY[$2::text] FROM payment
  WHERE quote_id = $1 AND status = ANY ($3::text[])
  ON CONFLICT (payment_id) DO UPDATE SET due_at = now(), ends_at = excluded.ends_at, inspections = 0, token = w.token + 1,
    tx_hashes = CASE WHEN $2 = ANY (w.tx_hashes) OR cardinality(w.tx_hashes) >= ${MAX_HASHES} THEN w.tx_hashes
      ELSE w.tx_hashes || $2::text END
  RETURNING 1`;

const KEEP = `
  UPDATE deposit_watch
  SET due_at = now() + $4 * interval '1 millisecond', seen = $3,
    seen_at = CASE WHEN $3::text IS NULL THEN NULL ELSE coalesce(seen_at, now()) END
  WHERE payment_id = $1 AND token = $2`;

const FORGET = `DELETE FROM deposit_watch WHERE payment_id = $1 AND token = $2 RETURNING 1`;
