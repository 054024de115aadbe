import { Injectable } from '@nestjs/common';

import type { Payment } from '../../domain/payment/payment.ts';
import { Clock } from '../../ports/clock.ts';
import type { LeaseOffer } from '../../ports/deliveries.ts';
import { Meter } from '../../ports/meter.ts';
import {
  Proofs,
  type Candidates,
  type JudgedInspection,
  type OutputPlace,
  type ProofClaim,
  type RecordedInspection,
  type Reserved,
} from '../../ports/proofs.ts';
import type { Queries } from '../../ports/queries.ts';
import { Database } from '../connection/database.ts';
import { takeLabelTurn } from '../events/label-lock.ts';
import type { RecordedEvents } from '../events/record-events.ts';
import { RecordSettings } from '../events/record-settings.ts';
import { paymentOf, SELECTED_COLUMNS, type PaymentRow } from '../payments/payment-row.ts';
import { writeTransition } from '../payments/write-transition.ts';
import { pollAfterProof } from '../polling/poll-after-proof.ts';
import { claimOf, writeTransfer, type ProofRow } from './proof-row.ts';
import { releaseOutput, reserveOutput, takenOutputs } from './reserve-output.ts';

type Judge = (payment: Payment, reserved: Reserved, now: Date) => JudgedInspection;

/** The result of a transaction; `events` is null when it recorded none. */
interface WrittenInspection {
  readonly inspection: JudgedInspection;
  readonly events: RecordedEvents | null;
}

/** Rolls the transaction back: the payment has changed since it was read, or another claim has replaced this one. */
class NotWritten extends Error {
  constructor(readonly why: 'outdated' | 'overtaken') {
    super(why);
  }
}

/** The proofs in PostgreSQL. */
@Injectable()
export class PostgresProofs extends Proofs {
  constructor(
    private readonly database: Database,
    private readonly rules: RecordSettings,
    private readonly clock: Clock,
    private readonly meter: Meter,
  ) {
    super();
  }

  async inspectNow(quoteId: string): Promise<void> {
    if (this.rules.proof !== null) await inspectNow(this.database, quoteId);
  }

  async claimDue(limit: number, leaseMs: number): Promise<ProofClaim[]> {
    const rows = await this.database.withDeadlockRetry(() =>
      this.database.query<ProofRow>(CLAIM, [limit, leaseMs]),
    );
    return rows.map(claimOf);
  }

  async extendLease({ paymentId, token }: ProofClaim, leaseMs: number): Promise<void> {
    await this.database.withDeadlockRetry(() => this.database.query(HOLD, [paymentId, token, leaseMs]));
  }

  taken({ paymentId }: ProofClaim, place: OutputPlace, since: Date): Promise<ReadonlySet<string>> {
    return takenOutputs(this.database, paymentId, place, since);
  }

  async record(
    claim: ProofClaim,
    candidates: Candidates,
    judge: Judge,
    offers: readonly LeaseOffer[],
  ): Promise<RecordedInspection> {
    for (;;) {
      try {
        const written = await this.write(claim, candidates, judge, offers);
        this.noteRecorded(written);
        return { isRecorded: true, deliveries: written.events?.deliveries ?? null };
      } catch (error) {
        if (!(error instanceof NotWritten)) throw error;
        if (error.why === 'overtaken') return { isRecorded: false, deliveries: null };
      }
    }
  }

  private write(
    claim: ProofClaim,
    candidates: Candidates,
    judge: Judge,
    offers: readonly LeaseOffer[],
  ): Promise<WrittenInspection> {
    const { rules } = this;
    return this.database.transaction(async (queries) => {
      await takeLabelTurn(queries, [claim.quoteId]);
      // Read before the transaction begins to write, which keeps the order of the log.
      const [row] = await queries.query<PaymentRow>(READ, [claim.paymentId, claim.token]);
      if (row === undefined) throw new NotWritten('overtaken');
      const now = this.clock.now();
      const reserved = await reserveOutput(queries, claim.paymentId, candidates);
      const inspection = judge(paymentOf(row), reserved, now);
      const { transition } = inspection;
      const { payment } = transition;
      if (payment.status !== row.status)
        await pollAfterProof(queries, claim.paymentId, payment, now, rules.urgency);
      const events =
        transition.events.length === 0
          ? null
          : await writeTransition(queries, row, transition, { rules, offers, now });
      if (transition.events.length > 0 && events === null) throw new NotWritten('outdated');
      await this.writeInspection(queries, claim, candidates, inspection);
      return { inspection, events };
    });
  }

  private async writeInspection(
    queries: Queries,
    claim: ProofClaim,
    { seenInputs = [] }: Candidates,
    { judged }: JudgedInspection,
  ): Promise<void> {
    const key = [claim.paymentId, claim.token];
    if ((judged?.provenBy ?? null) === null) await releaseOutput(queries, claim.paymentId);
    const written =
      judged === null
        ? await queries.query(FORGET, key)
        : await queries.query(WRITE, [
            ...key,
            judged.proof.verification.state,
            JSON.stringify(judged.proof.verification),
            writeTransfer(judged.provenBy),
            judged.nextInMs,
            seenInputs.length === 0 ? null : JSON.stringify(seenInputs),
          ]);
    if (written.length === 0) throw new NotWritten('overtaken');
  }

  private noteRecorded({ inspection, events }: WrittenInspection): void {
    if (events === null) return;
    this.database.known.noteRecorded(events.stored);
    for (const { type } of inspection.transition.events) this.meter.recorded(type);
  }
}

/** Counts in microseconds, so that no token is given twice, even when a crash of the database undoes a claim. */
const CLAIM = `
  WITH claimed AS (
    UPDATE payment_proof f
    SET due_at = now() + $2 * interval '1 millisecond', leased_until = now() + $2 * interval '1 millisecond', inspections = f.inspections + 1,
      token = greatest(f.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
    WHERE payment_id = ANY (ARRAY(
      SELECT payment_id FROM payment_proof WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
    RETURNING f.*
  )
  SELECT f.payment_id, f.token, p.quote_id, p.provider, p.created_at, f.report_digest, f.state, f.verification, f.proven_by, f.seen_inputs, f.lost_to,
    f.inspections, q.body AS quote_text, r.body AS report_text,
    (extract(epoch FROM now() - f.began_at) * 1000)::float8 AS begun_ago_ms,
    (SELECT count(*) > 1 FROM event_entry e WHERE e.payment_id = p.id AND e.time = p.created_at) AS was_under_way
  FROM claimed f JOIN payment p ON p.id = f.payment_id
  LEFT JOIN payment_quote q ON q.payment_id = p.id
  LEFT JOIN payment_report r ON r.payment_id = p.id`;

const HOLD = `UPDATE payment_proof SET (due_at, leased_until) = (SELECT t, t FROM (SELECT now() + $3 * interval '1 millisecond') AS x (t)) WHERE payment_id = $1 AND token = $2`;

const READ = `
  SELECT ${SELECTED_COLUMNS} FROM payment p JOIN payment_proof f ON f.payment_id = p.id
  WHERE p.id = $1 AND f.token = $2`;

const WRITE = `
  UPDATE payment_proof
  SET decided_at = CASE WHEN state = $3 THEN decided_at WHEN $3 <> 'pending' THEN now() END,
    state = $3, verification = $4, proven_by = $5, lost_to = CASE WHEN $3 = 'pending' THEN lost_to END, due_at = now() + $6::float8 * interval '1 millisecond', leased_until = NULL,
    seen_inputs = CASE WHEN $6::float8 IS NOT NULL THEN coalesce($7, seen_inputs) END
  WHERE payment_id = $1 AND token = $2 RETURNING 1`;

const FORGET = `DELETE FROM payment_proof WHERE payment_id = $1 AND token = $2 RETURNING 1`;

/** The result of an inspection that began within this time is recent. */
const RECENT_MS = 5_000;

/** Makes the witness inspect a payment's output and its deposit now, even after it had given up. */
async function inspectNow(queries: Queries, quoteId: string): Promise<void> {
  await queries.query(INSPECT_NOW, [quoteId, RECENT_MS]);
}

/** The token of a claim is the time of the claim. */
const IS_NOT_RECENT = `token < ((extract(epoch FROM clock_timestamp()) * 1000 - $2::float8) * 1000)::bigint`;

const INSPECT_NOW = `
  WITH asked AS (SELECT id FROM payment WHERE quote_id = $1), deposit AS (
    UPDATE deposit_watch SET due_at = now()
    WHERE payment_id = (SELECT id FROM asked) AND due_at > now() AND ${IS_NOT_RECENT}
  )
  UPDATE payment_proof SET due_at = now()
  WHERE payment_id = (SELECT id FROM asked) AND ${IS_NOT_RECENT} AND coalesce(leased_until <= now(), true)
    AND (due_at > now() OR (due_at IS NULL AND state <> 'proven'))`;
