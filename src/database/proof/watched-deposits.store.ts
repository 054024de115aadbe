import { Injectable } from '@nestjs/common';

import type { Payment } from '../../domain/payment/payment.ts';
import { isPaid, STATUSES, type Status } from '../../domain/payment/status.ts';
import type { Transition } from '../../domain/transitions/transition.ts';
import { foldCase, readSearch } from '../../domain/payment/search.ts';
import type { AddressPayment, NotedDeposit } from '../../domain/transitions/untold-deposits.ts';
import { Clock } from '../../ports/clock.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import type { Deliverable } from '../../ports/new-deliveries.ts';
import { Meter } from '../../ports/meter.ts';
import { WatchedDeposits, type DepositClaim } from '../../ports/watched-deposits.ts';
import { ProofSignal } from '../../platform/scheduling/wake-signal.ts';
import { Database } from '../connection/database.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { changePayment } from '../payments/change-payment.ts';

interface AddressRow {
  readonly payment_id: string;
  readonly status: Status;
  readonly created_at: Date;
  readonly quote_text: string | null;
  readonly report_text: string | null;
  readonly contradictions: readonly string[];
  readonly is_watched: boolean;
}

interface DepositRow extends AddressRow {
  readonly token: string;
  readonly quote_id: string;
  readonly provider: string;
  readonly tx_hashes: readonly string[];
  readonly inspections: number;
  readonly left_ms: number;
  readonly claimed_at: Date;
  readonly seen: string | null;
}

/** A deposit as the row stores it: JSON has no bigint and no date. */
type StoredDeposit = Omit<NotedDeposit, 'amount' | 'at' | 'notedAt'> &
  Readonly<Record<'amount' | 'at' | 'notedAt', string>>;

/** The most hashes of one payment; each is searched for. */
const MAX_HASHES = 5;
/** An address with more payments cannot tell to which of them a deposit belongs. */
const MAX_OTHERS = 200;

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

  async othersWith({ id }: DepositClaim, depositAddress: string): Promise<readonly AddressPayment[] | null> {
    const { text, term, isWholeTerm } = readSearch(depositAddress);
    const [found] = await this.database.query<{ ids: readonly string[] | null }>(SEARCH, [
      text,
      foldCase(text),
      term,
      isWholeTerm,
      MAX_OTHERS,
    ]);
    const ids = found?.ids ?? null;
    if (ids === null) return null;
    const rows = await this.database.query<AddressRow>(OTHERS, [ids, String(id)]);
    return rows.map(addressPaymentOf);
  }

  async keep(
    { id, token }: DepositClaim,
    noted: readonly NotedDeposit[],
    nextInMs: number | null,
  ): Promise<void> {
    const row = [String(id), token];
    if (nextInMs === null) await this.database.query(FORGET, row);
    else await this.database.query(KEEP, [...row, writeDeposits(noted), nextInMs]);
  }

  /** The watch goes on: if the process ends now, the next claim finds the deposit among the reported ones. */
  async tell(
    quoteId: string,
    judge: (payment: Payment) => Transition,
    offers: readonly LeaseOffer[],
  ): Promise<Deliverable> {
    const { database, rules, clock } = this;
    const changed = await changePayment(database, quoteId, judge, rules, offers, clock);
    if (changed !== null) {
      this.database.known.noteRecorded(changed.stored);
      this.meter.recorded('payment.anomaly');
    }
    return { deliveries: changed?.deliveries ?? null };
  }
}

function claimOf(row: DepositRow): DepositClaim {
  return {
    ...addressPaymentOf(row),
    token: row.token,
    quoteId: row.quote_id,
    provider: row.provider,
    txHashes: row.tx_hashes,
    inspections: row.inspections,
    leftMs: row.left_ms,
    now: row.claimed_at,
    noted: readDeposits(row.seen),
  };
}

function addressPaymentOf(row: AddressRow): AddressPayment {
  return {
    id: BigInt(row.payment_id),
    status: row.status,
    createdAt: row.created_at,
    quoteText: row.quote_text,
    reportText: row.report_text,
    contradictions: row.contradictions,
    isWatched: row.is_watched,
  };
}

function writeDeposits(noted: readonly NotedDeposit[]): string | null {
  const stored = noted.map((deposit) => ({ ...deposit, amount: deposit.amount.toString() }));
  return stored.length === 0 ? null : JSON.stringify(stored);
}

function readDeposits(text: string | null): NotedDeposit[] {
  const stored = text === null ? [] : (JSON.parse(text) as StoredDeposit[]);
  return stored.map(({ amount, at, notedAt, ...deposit }) => ({
    ...deposit,
    amount: BigInt(amount),
    at: new Date(at),
    notedAt: new Date(notedAt),
  }));
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
  SELECT w.payment_id, w.token, p.quote_id, p.provider, p.status, p.created_at, p.contradictions, w.tx_hashes, w.inspections, w.seen,
    q.body AS quote_text, r.body AS report_text, true AS is_watched,
    (extract(epoch FROM w.ends_at - now()) * 1000)::float8 AS left_ms, now() AS claimed_at
  FROM claimed w JOIN payment p ON p.id = w.payment_id
  LEFT JOIN payment_quote q ON q.payment_id = p.id
  LEFT JOIN payment_report r ON r.payment_id = p.id`;

/** A payer's message begins the watch's time anew. */
const WATCH = `
  INSERT INTO deposit_watch AS w (payment_id, due_at, ends_at, tx_hashes)
  SELECT id, now(), now() + interval '1 day', ARRAY[$2::text] FROM payment
  WHERE quote_id = $1 AND status = ANY ($3::text[])
  ON CONFLICT (payment_id) DO UPDATE SET due_at = now(), ends_at = excluded.ends_at, inspections = 0, token = w.token + 1,
    tx_hashes = CASE WHEN $2 = ANY (w.tx_hashes) OR cardinality(w.tx_hashes) >= ${MAX_HASHES} THEN w.tx_hashes
      ELSE w.tx_hashes || $2::text END
  RETURNING 1`;

const KEEP = `
  UPDATE deposit_watch SET due_at = now() + $4 * interval '1 millisecond', seen = $3
  WHERE payment_id = $1 AND token = $2`;

const FORGET = `DELETE FROM deposit_watch WHERE payment_id = $1 AND token = $2 RETURNING 1`;

const SEARCH = `SELECT found_ids::text[] AS ids FROM search_payments($1, $2, $3, $4, NULL, $5, '{}')`;

const OTHERS = `
  SELECT p.id AS payment_id, p.status, p.created_at, p.contradictions, q.body AS quote_text, r.body AS report_text,
    EXISTS (SELECT FROM deposit_watch w WHERE w.payment_id = p.id) AS is_watched
  FROM payment p
  LEFT JOIN payment_quote q ON q.payment_id = p.id
  LEFT JOIN payment_report r ON r.payment_id = p.id
  WHERE p.id = ANY ($1::bigint[]) AND p.id <> $2`;
